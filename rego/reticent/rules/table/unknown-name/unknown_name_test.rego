package reticent.rules.table["unknown-name_test"]

import data.reticent.fixtures_test as fixtures
import data.reticent.rules.table["unknown-name"] as rule

test_silent_on_a_right_table if {
	rule.errors == set() with input as fixtures.table
	rule.errors == set() with input as fixtures.with_exception({})
}

test_finds_arrows_to_what_is_not_declared if {
	row := rule.errors with input as fixtures.with_value("/surfaces/log/flows", ["archive", "archiv"])
	{[error.at, error.value] | some error in row} == {[["surfaces", "log", "flows", 1], "archiv"]}

	onward := rule.errors with input as fixtures.with_value("/flows/archive", ["reders"])
	{error.at | some error in onward} == {["flows", "archive", 0]}
}

test_arrows_from_surfaces_belong_in_their_rows if {
	errors := rule.errors with input as fixtures.with_value("/flows/log", ["reader"])
	{error.at | some error in errors} == {["flows", "log"]}
}

test_finds_exceptions_for_what_is_no_surface if {
	errors := rule.errors with input as fixtures.with_exception({"surface": "archive"})
	{error.at | some error in errors} == {["exceptions", 0, "surface"]}
}
