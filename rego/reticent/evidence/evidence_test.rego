package reticent.evidence_test

import data.reticent.evidence
import data.reticent.fixtures_test as fixtures

encrypted := ["tasks", "encrypted"]

test_condition_that_asks_for_no_evidence_is_taken_at_its_word if {
	evidence.lost(evidence.now) == set() with input as fixtures.table
	evidence.told("tasks", "erased") == null with input as fixtures.evidenced
}

test_condition_that_is_shown_holds_until_its_evidence_is_too_old if {
	table := fixtures.evidenced
	evidence.lost(12599) == set() with input as table
	evidence.lost(12600) == {encrypted} with input as table
	evidence.ends("tasks") == {12600} with input as table
	evidence.told("tasks", "encrypted") == {
		"status": "held",
		"probe": "rows",
		"max_age": "1h",
		"since": 500,
		"until": 12600,
		"statement": fixtures.statement,
	} with input as table
}

test_what_is_wrong_with_a_statement_is_said_in_a_word if {
	cases := {
		"failed": {"held": false},
		"stale": {"observed": 6400},
		"future": {"observed": 10061},
		"unknown-signer": {"signer": "stranger"},
		"tampered": {"signature": "broken"},
		"other-table": {"table": "sha256:u"},
		"other-probe": {"probe": "columns"},
		"missing": {"condition": "erased"},
	}
	every word, change in cases {
		table := fixtures.with_statement(change)
		evidence.lost(evidence.now) == {encrypted} with input as table
		evidence.status("tasks", "encrypted", evidence.now) == word with input as table
	}
}

test_key_of_a_stranger_under_a_known_name_is_a_stranger if {
	table := fixtures.with_statement({"signature": "unknown-signer"})
	evidence.status("tasks", "encrypted", evidence.now) == "unknown-signer" with input as table
}

test_statement_that_does_not_say_whether_it_held_says_no if {
	table := fixtures.with_statement({"held": "yes"})
	evidence.status("tasks", "encrypted", evidence.now) == "failed" with input as table
}

test_moment_that_is_no_number_is_no_moment if {
	table := fixtures.with_statement({"observed": "long ago"})
	evidence.status("tasks", "encrypted", evidence.now) == "future" with input as table
}

test_clock_may_be_a_little_ahead if {
	evidence.lost(evidence.now) == set() with input as fixtures.with_statement({"observed": 10060})
}

test_without_a_clock_or_without_evidence_nothing_is_shown if {
	evidence.lost(evidence.now) == {encrypted} with input as fixtures.evidenced_with("/evidence/now", "noon")
	table := fixtures.evidenced_with("/evidence", {"now": 10000})
	evidence.status("tasks", "encrypted", evidence.now) == "missing" with input as table
}

test_latest_look_decides_and_of_two_the_one_that_says_no if {
	older := object.union(fixtures.statement, {"observed": 8000, "held": false})
	after_failure := fixtures.evidenced_with("/evidence/statements", [older, fixtures.statement])
	evidence.lost(evidence.now) == set() with input as after_failure

	beside := object.union(fixtures.statement, {"held": false, "code": "readable"})
	both := fixtures.evidenced_with("/evidence/statements", [fixtures.statement, beside])
	evidence.status("tasks", "encrypted", evidence.now) == "failed" with input as both
	evidence.told("tasks", "encrypted").statement == beside with input as both
}

test_evidence_that_does_not_count_takes_nothing_from_evidence_that_does if {
	forged := object.union(fixtures.statement, {"observed": 9999, "held": false, "signature": "broken"})
	table := fixtures.evidenced_with("/evidence/statements", [forged, fixtures.statement])
	evidence.lost(evidence.now) == set() with input as table
}

test_since_when_is_told_where_it_is_known if {
	stale := evidence.told("tasks", "encrypted") with input as fixtures.with_statement({"observed": 6000})
	stale.since == 9600

	failed := evidence.told("tasks", "encrypted") with input as fixtures.with_statement({"held": false})
	failed.since == 500

	missing := evidence.told("tasks", "encrypted") with input as fixtures.with_statement({"surface": "log"})
	missing.since == null
	missing.until == null
	missing.statement == null
}

test_age_is_a_number_and_a_unit if {
	every text, expected in {"90s": 90, "15m": 900, "24h": 86400, "7d": 604800} {
		evidence.seconds(text) == expected
	}
	every text in {"", "h", "0h", "-1h", "1.5h", "1h30m", "24", "1w", "9999999h", 24} {
		not evidence.seconds(text)
	}
}

test_age_that_cannot_be_read_shows_nothing if {
	table := fixtures.evidenced_with("/surfaces/tasks/conditions/encrypted/evidence/max_age", "ever")
	evidence.lost(evidence.now) == {encrypted} with input as table
}

test_evidence_that_is_asked_for_in_a_wrong_way_is_not_there if {
	table := fixtures.evidenced_with("/surfaces/tasks/conditions/encrypted/evidence", "yes")
	evidence.lost(evidence.now) == {encrypted} with input as table
}
