package reticent.proof_test

import data.reticent.fixtures_test as fixtures
import data.reticent.proof

test_reach_follows_uncut_arrows_around_cycles if {
	reach := proof.reach with input as fixtures.table
	reach.memory == {"memory", "tasks", "producer", "spool"}
	reach.tasks == reach.memory
}

test_producer_and_brief_store_do_not_offend if {
	offenders := proof.offenders with input as fixtures.table
	offenders.memory == set()
	offenders.tasks == set()
}

test_offenders_are_told_with_kind_and_reason if {
	offenders := proof.offenders with input as fixtures.table
	offenders.log == {
		{"kind": "store", "place": "archive", "reason": "outliving-store-reachable"},
		{"kind": "person", "place": "reader", "reason": "person-reachable"},
	}
}

test_condition_tells_whom_it_keeps_out if {
	conditions := proof.conditions with input as fixtures.table
	kept := {condition.name: {reader.place | some reader in condition.keeps_out} |
		some condition in conditions.tasks
	}
	kept == {"encrypted": {"archive", "reader"}, "erased": {"tasks"}}
}

test_conditions_of_others_on_the_way_are_told if {
	conditions := proof.conditions with input as fixtures.table
	{condition.surface | some condition in conditions.memory} == {"tasks"}
}

test_condition_elsewhere_that_keeps_nobody_out_is_not_told if {
	table := fixtures.with_value("/surfaces/tasks/conditions/sealed", {"cuts": ["memory"]})
	conditions := proof.conditions with input as json.patch(table, [{
		"op": "add",
		"path": "/surfaces/memory/conditions",
		"value": {"quiet": {"cuts": ["spool"]}},
	}])
	{condition.name | some condition in conditions.memory} == {"quiet", "encrypted", "erased"}
	"quiet" in {condition.name | some condition in conditions.memory}
	not "sealed" in {condition.name | some condition in conditions.memory}
}

test_bound_of_a_surface_does_not_bound_what_flowed_on if {
	table := fixtures.with_value("/surfaces/tasks/conditions", {"erased": {"bounds": "task"}})
	offenders := proof.offenders with input as table
	{offender.place | some offender in offenders.tasks} == {"archive", "reader"}
}

test_condition_does_not_keep_out_whom_content_reaches_anyway if {
	table := fixtures.with_value("/surfaces/tasks/conditions/encrypted/cuts", ["archive"])
	conditions := proof.conditions with input as table
	kept := {condition.name: {reader.place | some reader in condition.keeps_out} |
		some condition in conditions.tasks
	}
	kept.encrypted == {"archive"}
}
