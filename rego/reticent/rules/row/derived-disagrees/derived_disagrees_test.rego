package reticent.rules.row["derived-disagrees_test"]

import data.reticent.fixtures_test as fixtures
import data.reticent.rules.row["derived-disagrees"] as rule

test_silent_when_a_strip_row_strips_derived_text if {
	rule.errors == set() with input as fixtures.with_value("/surfaces/log/derived", "strip")
}

test_finds_a_pass_row_that_strips_derived_text if {
	errors := rule.errors with input as fixtures.with_value("/surfaces/memory/derived", "strip")
	{error.at | some error in errors} == {["surfaces", "memory", "derived"]}
}
