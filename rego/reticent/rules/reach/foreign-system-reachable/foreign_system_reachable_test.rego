package reticent.rules.reach["foreign-system-reachable_test"]

import data.reticent.fixtures_test as fixtures
import data.reticent.rules.reach["foreign-system-reachable"] as rule

test_finds_systems_other_than_the_producer if {
	rule.offenders == {"router"} with input as fixtures.table
	rule.kind == "system"
}

test_system_is_the_producer_only_when_the_table_says_true if {
	rule.offenders == {"router", "producer"} with input as fixtures.with_value("/places/producer/producer", "yes")
}
