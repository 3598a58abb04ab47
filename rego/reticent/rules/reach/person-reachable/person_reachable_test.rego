package reticent.rules.reach["person-reachable_test"]

import data.reticent.fixtures_test as fixtures
import data.reticent.rules.reach["person-reachable"] as rule

test_finds_people_and_nothing_else if {
	rule.offenders == {"reader"} with input as fixtures.table
	rule.kind == "person"
}

test_person_who_is_called_producer_is_a_person if {
	rule.offenders == {"reader"} with input as fixtures.with_value("/places/reader/producer", true)
}
