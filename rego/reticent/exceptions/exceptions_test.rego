package reticent.exceptions_test

import data.reticent.exceptions
import data.reticent.fixtures_test as fixtures

test_counts_before_the_day_it_expires if {
	exceptions.granted("log", "2027-02-28") == {"summary"} with input as fixtures.with_exception({})
}

test_does_not_count_on_the_day_it_expires if {
	exceptions.granted("log", "2027-03-01") == set() with input as fixtures.with_exception({})
	exceptions.lapsed("log", "2027-03-01") with input as fixtures.with_exception({})
}

test_counts_for_its_surface_only if {
	exceptions.granted("memory", "2026-12-01") == set() with input as fixtures.with_exception({})
	not exceptions.lapsed("memory", "2028-01-01") with input as fixtures.with_exception({})
}

test_without_a_date_it_never_counts if {
	table := fixtures.with_value("/exceptions", [{"surface": "log", "classes": ["text"]}])
	exceptions.granted("log", "2026-11-29") == set() with input as table
	exceptions.told("log") == {{"classes": {"text"}, "expires": null, "owner": null, "reason": null}} with input as table
}

test_only_days_after_today_are_still_to_come if {
	exceptions.ends("log") == {"2027-03-01"} with input as fixtures.with_exception({})
	exceptions.ends("log") == set() with input as fixtures.with_exception({"expires": "2026-11-29"})
}
