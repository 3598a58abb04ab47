package reticent.rules.table["wrong-shape_test"]

import data.reticent.fixtures_test as fixtures
import data.reticent.rules.table["wrong-shape"] as rule

test_silent_on_a_right_table if {
	rule.errors == set() with input as fixtures.table
	rule.errors == set() with input as fixtures.with_exception({})
}

test_finds_wrong_types_wherever_a_verdict_could_rest_on_them if {
	wrong := {
		["/places", "", []],
		["/flows", "", "archive"],
		["/exceptions", "", {}],
		["/places/router", "", "system"],
		["/places/router/producer", "", "yes"],
		["/flows/archive", "", "reader"],
		["/flows/archive", "/0", [7]],
		["/surfaces/log", "", "strip"],
		["/surfaces/log/flows", "", "archive"],
		["/surfaces/log/flows", "/0", [{"to": "archive"}]],
		["/surfaces/log/holds", "", "memory"],
		["/surfaces/log/owner", "", " "],
		["/surfaces/log/why", "", ""],
		["/surfaces/tasks/conditions", "", ["encrypted"]],
		["/surfaces/tasks/conditions/erased", "", "task"],
		["/surfaces/tasks/conditions/encrypted/cuts", "", "archive"],
		["/exceptions", "/0", ["log"]],
	}
	every case in wrong {
		[path, inner, value] := case
		errors := rule.errors with input as fixtures.with_value(path, value)
		concat("", [path, inner]) in {sprintf("/%s", [concat("/", [sprintf("%v", [step]) | some step in error.at])]) |
			some error in errors
		}
	}
}

test_finds_wrong_types_in_exceptions if {
	errors := rule.errors with input as fixtures.with_exception({"classes": "summary", "reason": " ", "owner": 7})
	{error.at | some error in errors} == {["exceptions", 0, key] | some key in {"classes", "reason", "owner"}}
}

test_finds_evidence_and_signers_of_a_wrong_type if {
	rule.errors == set() with input as fixtures.evidenced
	every path, value in {
		"/signers": [],
		"/signers/ops": "key",
		"/signers/ops/key": 1,
		"/surfaces/tasks/conditions/encrypted/evidence": "yes",
		"/surfaces/tasks/conditions/encrypted/evidence/probe": "",
		"/surfaces/tasks/conditions/encrypted/evidence/settings": [],
	} {
		errors := rule.errors with input as fixtures.evidenced_with(path, value)
		some error in errors
		error.at == split(trim_prefix(path, "/"), "/")
	}
}
