package reticent.main_test

import data.reticent.fixtures_test as fixtures
import data.reticent.main

all_strip := {"text": "strip", "summary": "strip", "opaque": "strip", "derived": "strip"}

all_pass := {"text": "pass", "summary": "pass", "opaque": "pass", "derived": "pass"}

test_every_surface_is_decided if {
	plan := main.plan with input as fixtures.table
	object.keys(plan) == object.keys(fixtures.table.surfaces)
}

test_a_right_table_has_no_errors if {
	main.errors == set() with input as fixtures.table
}

test_passes_where_nothing_can_be_reached if {
	plan := main.plan with input as fixtures.table
	plan.memory.classes == all_pass
	plan.memory.verdict == "pass"
	plan.memory.reasons == {"nothing-reachable"}
}

test_strips_where_readers_are_reached_and_carries_derived_text if {
	plan := main.plan with input as fixtures.table
	plan.log.verdict == "strip"
	plan.log.classes == {"text": "strip", "summary": "strip", "opaque": "strip", "derived": "pass"}
	plan.log.reasons == {"person-reachable", "outliving-store-reachable"}
	plan.log.edges == {["log", "archive"], ["archive", "reader"]}
}

test_row_may_ask_for_derived_text_to_be_stripped if {
	plan := main.plan with input as fixtures.with_value("/surfaces/log/derived", "strip")
	plan.log.classes == all_strip
	"derived-stripped" in plan.log.reasons
}

test_row_that_says_strip_is_stripped_though_nothing_is_reached if {
	plan := main.plan with input as fixtures.with_value("/surfaces/memory/verdict", "strip")
	plan.memory.verdict == "strip"
	"row-says-strip" in plan.memory.reasons
}

test_row_that_says_pass_is_stripped_where_a_reader_is_reached if {
	plan := main.plan with input as fixtures.with_value("/surfaces/log/verdict", "pass")
	plan.log.verdict == "strip"
}

test_one_fault_strips_every_class_of_every_surface if {
	plan := main.plan with input as fixtures.with_value("/places/router/kind", "robot")
	every surface in {"memory", "tasks", "log"} {
		plan[surface].classes == all_strip
		"table-invalid" in plan[surface].reasons
	}
}

test_surface_that_is_no_mapping_is_decided if {
	plan := main.plan with input as fixtures.with_value("/surfaces/log", "strip")
	plan.log.classes == all_strip
}

test_table_without_a_date_is_decided if {
	plan := main.plan with input as fixtures.without_value("/today")
	plan.memory.classes == all_strip
}

test_nothing_is_decided_without_a_mapping_of_surfaces if {
	main.plan == {} with input as fixtures.with_value("/surfaces", ["log"])
}

test_exception_passes_exactly_its_classes if {
	plan := main.plan with input as fixtures.with_exception({})
	plan.log.classes == {"text": "strip", "summary": "pass", "opaque": "strip", "derived": "pass"}
	plan.log.verdict == "strip"
	"exception-in-force" in plan.log.reasons
}

test_exception_for_every_class_is_pass if {
	plan := main.plan with input as fixtures.with_exception({"classes": ["text", "summary", "opaque"]})
	plan.log.verdict == "pass"
}

test_expired_exception_is_strip_again if {
	plan := main.plan with input as fixtures.with_exception({"expires": "2026-11-29"})
	plan.log.classes.summary == "strip"
	"exception-expired" in plan.log.reasons
	plan.log.lapses == set()
}

test_answer_for_the_day_an_exception_ends_is_given_today if {
	plan := main.plan with input as fixtures.with_exception({})
	plan.log.lapses == {{
		"from": "2027-03-01",
		"moment": 0,
		"verdict": "strip",
		"classes": {"text": "strip", "summary": "strip", "opaque": "strip", "derived": "pass"},
		"reasons": {"person-reachable", "outliving-store-reachable", "exception-expired"},
	}}
}

test_complaints_of_rows_and_of_tables_are_both_errors if {
	row := main.errors with input as fixtures.with_value("/surfaces/log/verdict", "pass")
	{error.code | some error in row} == {"verdict-disagrees"}

	table := main.errors with input as fixtures.without_value("/version")
	{error.code | some error in table} == {"missing-key"}
}

test_evidence_that_fails_strips_with_the_reason if {
	plan := main.plan with input as fixtures.with_statement({"held": false})
	plan.tasks.verdict == "strip"
	plan.tasks.reasons == {"person-reachable", "outliving-store-reachable", "evidence-failed"}
	plan.memory.reasons == plan.tasks.reasons
	plan.log.reasons == {"person-reachable", "outliving-store-reachable"}
	main.errors == set() with input as fixtures.with_statement({"held": false})
}

test_answer_for_the_moment_evidence_is_too_old_is_given_now if {
	plan := main.plan with input as fixtures.evidenced
	plan.tasks.verdict == "pass"
	plan.tasks.lapses == {{
		"from": "0001-01-01",
		"moment": 12600,
		"verdict": "strip",
		"classes": {"text": "strip", "summary": "strip", "opaque": "strip", "derived": "pass"},
		"reasons": {"person-reachable", "outliving-store-reachable", "evidence-stale"},
	}}
	plan.log.lapses == set()
}

test_day_and_moment_are_answered_together if {
	exception := {
		"surface": "tasks", "classes": ["summary"], "reason": "r", "owner": "o", "expires": "2027-03-01",
	}
	plan := main.plan with input as fixtures.evidenced_with("/exceptions", [exception])
	summaries := {[lapse.from, lapse.moment]: lapse.classes.summary | some lapse in plan.tasks.lapses}
	summaries == {
		["0001-01-01", 12600]: "pass",
		["2027-03-01", 0]: "pass",
		["2027-03-01", 12600]: "strip",
	}
}
