package reticent.faults_test

import data.reticent.faults
import data.reticent.fixtures_test as fixtures

test_right_table_has_none if {
	faults.table == set() with input as fixtures.table
	faults.row == set() with input as fixtures.table
}

test_every_rule_is_heard if {
	table := json.patch(fixtures.table, [
		{"op": "remove", "path": "/surfaces/log/owner"},
		{"op": "add", "path": "/surfaces/log/flows", "value": ["nowhere"]},
	])
	found := faults.table with input as table
	{error.code | some error in found} == {"missing-key", "unknown-name"}
}

test_rows_are_judged_only_in_a_table_that_can_be_read if {
	table := json.patch(fixtures.table, [
		{"op": "remove", "path": "/surfaces/log/owner"},
		{"op": "add", "path": "/surfaces/log/verdict", "value": "pass"},
	])
	faults.row == set() with input as table
}
