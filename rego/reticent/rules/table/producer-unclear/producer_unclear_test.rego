package reticent.rules.table["producer-unclear_test"]

import data.reticent.fixtures_test as fixtures
import data.reticent.rules.table["producer-unclear"] as rule

test_silent_on_one_producer_or_none if {
	rule.errors == set() with input as fixtures.table
	rule.errors == set() with input as fixtures.without_value("/places/producer/producer")
}

test_finds_two_producers if {
	errors := rule.errors with input as fixtures.with_value("/places/router/producer", true)
	{error.value | some error in errors} == {"producer", "router"}
}

test_finds_a_producer_that_is_no_system if {
	errors := rule.errors with input as json.patch(fixtures.table, [
		{"op": "remove", "path": "/places/producer"},
		{"op": "add", "path": "/places/reader/producer", "value": true},
	])
	{error.value | some error in errors} == {"reader"}
}
