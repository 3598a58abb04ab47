package reticent.rules.reach["outliving-store-reachable_test"]

import data.reticent.fixtures_test as fixtures
import data.reticent.rules.reach["outliving-store-reachable"] as rule

test_finds_durable_stores if {
	rule.offenders == {"archive"} with input as fixtures.table
	rule.kind == "store"
}

test_finds_surfaces_that_keep_a_lasting_copy if {
	table := fixtures.without_value("/surfaces/tasks/conditions/erased")
	rule.offenders == {"archive", "tasks"} with input as table
}

test_store_of_unknown_lifetime_outlives_the_work if {
	table := fixtures.without_value("/places/spool/lifetime")
	rule.offenders == {"archive", "spool"} with input as table
}
