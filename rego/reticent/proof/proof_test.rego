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

test_condition_that_is_not_shown_cuts_nothing if {
	table := fixtures.with_statement({"held": false})
	offenders := proof.offenders with input as table
	{offender.place | some offender in offenders.tasks} == {"archive", "reader"}
	offenders.memory == offenders.tasks
	claimed := proof.claimed with input as table
	claimed.tasks == set()
	proof.unshown("memory", 10000) == {"failed"} with input as table
}

test_condition_of_another_that_is_not_shown_is_told if {
	conditions := proof.conditions with input as fixtures.with_statement({"held": false})
	some condition in conditions.memory
	condition.name == "encrypted"
	condition.evidence.status == "failed"
}

test_moments_at_which_more_is_reached_are_known_behind_cut_arrows_too if {
	table := json.patch(fixtures.evidenced, [{
		"op": "add",
		"path": "/surfaces/memory/conditions",
		"value": {"sealed": {"cuts": ["tasks"]}},
	}])
	proof.ends("memory") == {12600} with input as table
	proof.ends("log") == set() with input as table
	later := proof.later("tasks", 12600) with input as table
	{offender.place | some offender in later} == {"archive", "reader"}
}

test_bound_that_is_not_shown_leaves_a_lasting_copy if {
	asked := {"probe": "sweeper", "max_age": "1h"}
	table := fixtures.evidenced_with("/surfaces/tasks/conditions/erased/evidence", asked)
	offenders := proof.offenders with input as table
	offenders.tasks == {{"kind": "store", "place": "tasks", "reason": "outliving-store-reachable"}}
}
