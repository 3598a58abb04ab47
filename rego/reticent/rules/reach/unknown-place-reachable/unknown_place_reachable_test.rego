package reticent.rules.reach["unknown-place-reachable_test"]

import data.reticent.fixtures_test as fixtures
import data.reticent.rules.reach["unknown-place-reachable"] as rule

test_silent_when_everything_is_declared if {
	rule.offenders == set() with input as fixtures.table
	rule.kind == "unknown"
}

test_finds_names_that_nobody_declared if {
	rule.offenders == {"nowhere"} with input as fixtures.with_value("/flows/archive", ["nowhere"])
}

test_finds_places_of_no_known_kind if {
	rule.offenders == {"router"} with input as fixtures.with_value("/places/router/kind", "robot")
	rule.offenders == {"router"} with input as fixtures.without_value("/places/router/kind")
}
