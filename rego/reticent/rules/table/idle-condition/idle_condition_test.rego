package reticent.rules.table["idle-condition_test"]

import data.reticent.fixtures_test as fixtures
import data.reticent.rules.table["idle-condition"] as rule

test_silent_when_conditions_do_something if {
	rule.errors == set() with input as fixtures.table
}

test_finds_conditions_that_do_nothing if {
	every condition in [{}, {"cuts": []}] {
		errors := rule.errors with input as fixtures.with_value("/surfaces/log/conditions", {"hope": condition})
		errors == {{"code": "idle-condition", "at": ["surfaces", "log", "conditions", "hope"]}}
	}
}
