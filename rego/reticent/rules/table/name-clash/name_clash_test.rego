package reticent.rules.table["name-clash_test"]

import data.reticent.fixtures_test as fixtures
import data.reticent.rules.table["name-clash"] as rule

test_silent_when_names_differ if {
	rule.errors == set() with input as fixtures.table
}

test_finds_a_name_used_twice if {
	errors := rule.errors with input as fixtures.with_value("/places/log", {"kind": "person"})
	{error.at | some error in errors} == {["surfaces", "log"]}
}
