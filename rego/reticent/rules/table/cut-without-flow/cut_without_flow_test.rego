package reticent.rules.table["cut-without-flow_test"]

import data.reticent.fixtures_test as fixtures
import data.reticent.rules.table["cut-without-flow"] as rule

test_silent_when_the_row_draws_what_it_cuts if {
	rule.errors == set() with input as fixtures.table
}

test_finds_cuts_of_arrows_that_are_not_drawn if {
	errors := rule.errors with input as fixtures.with_value("/surfaces/tasks/conditions/encrypted/cuts", ["archive", "router"])
	errors == {{
		"code": "cut-without-flow",
		"at": ["surfaces", "tasks", "conditions", "encrypted", "cuts", 1],
		"value": "router",
		"known": {"memory", "archive", "reader"},
	}}
}
