package reticent.rules.table["missing-key_test"]

import data.reticent.fixtures_test as fixtures
import data.reticent.rules.table["missing-key"] as rule

test_silent_on_a_right_table if {
	rule.errors == set() with input as fixtures.table
}

test_finds_every_key_that_a_verdict_rests_on if {
	paths := {
		"/version", "/today", "/places", "/surfaces", "/places/router/kind", "/places/archive/lifetime",
		"/surfaces/log/verdict", "/surfaces/log/holds", "/surfaces/log/flows", "/surfaces/log/owner",
		"/surfaces/log/why", "/surfaces/log/holds/kind", "/surfaces/log/holds/lifetime",
	}
	every path in paths {
		errors := rule.errors with input as fixtures.without_value(path)
		steps := split(trim_prefix(path, "/"), "/")
		some error in errors
		array.concat(error.at, [error.key]) == steps
	}
}

test_finds_what_an_exception_lacks if {
	errors := rule.errors with input as fixtures.with_value("/exceptions", [{"surface": "log"}])
	{error.key | some error in errors} == {"classes", "reason", "owner", "expires"}
}

test_null_is_as_good_as_nothing if {
	errors := rule.errors with input as fixtures.with_value("/surfaces/log/verdict", null)
	errors == {{"code": "missing-key", "at": ["surfaces", "log"], "key": "verdict"}}
}

test_only_stores_need_a_lifetime if {
	rule.errors == set() with input as fixtures.with_value("/places/crowd", {"kind": "person"})
	rule.errors != set() with input as fixtures.with_value("/places/crowd", {"kind": "store"})
}

test_evidence_needs_a_probe_an_age_and_somebody_who_signs if {
	rule.errors == set() with input as fixtures.evidenced
	table := fixtures.with_value("/surfaces/tasks/conditions/encrypted/evidence", {})
	errors := rule.errors with input as table
	{error.key | some error in errors} == {"probe", "max_age", "signers"}
}

test_signer_has_a_key_and_an_owner if {
	errors := rule.errors with input as fixtures.evidenced_with("/signers/ops", {})
	{error.key | some error in errors} == {"key", "owner"}
}
