package reticent.rules.table["wrong-date_test"]

import data.reticent.fixtures_test as fixtures
import data.reticent.rules.table["wrong-date"] as rule

test_silent_on_dates if {
	rule.errors == set() with input as fixtures.with_exception({})
}

test_finds_what_cannot_be_compared_as_a_date if {
	every value in ["never", "2027-3-1", "27-03-2001", "2027/03/01", "2027-03-01T00:00", "20x7-03-01", "", 20270301, true] {
		errors := rule.errors with input as fixtures.with_exception({"expires": value})
		{error.at | some error in errors} == {["exceptions", 0, "expires"]}
	}
}

test_today_must_be_a_date_as_well if {
	errors := rule.errors with input as fixtures.with_value("/today", "now")
	{error.at | some error in errors} == {["today"]}
}
