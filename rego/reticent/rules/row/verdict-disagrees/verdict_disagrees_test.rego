package reticent.rules.row["verdict-disagrees_test"]

import data.reticent.fixtures_test as fixtures
import data.reticent.rules.row["verdict-disagrees"] as rule

test_silent_when_row_and_proof_agree if {
	rule.errors == set() with input as fixtures.table
}

test_finds_a_row_that_passes_what_readers_reach if {
	errors := rule.errors with input as fixtures.with_value("/surfaces/log/verdict", "pass")
	errors == {{
		"code": "verdict-disagrees",
		"at": ["surfaces", "log", "verdict"],
		"value": "pass",
		"proof": "strip",
	}}
}

test_finds_a_row_that_strips_what_nobody_reaches if {
	errors := rule.errors with input as fixtures.with_value("/surfaces/memory/verdict", "strip")
	{error.proof | some error in errors} == {"pass"}
}

test_an_exception_does_not_change_what_the_row_must_say if {
	rule.errors == set() with input as fixtures.with_exception({"classes": ["text", "summary", "opaque"]})
}

test_row_is_signed_on_what_is_claimed_and_not_on_evidence if {
	rule.errors == set() with input as fixtures.with_statement({"held": false})
}
