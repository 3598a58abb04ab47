package reticent.rules.table["wrong-age_test"]

import data.reticent.fixtures_test as fixtures
import data.reticent.rules.table["wrong-age"] as rule

test_silent_on_an_age_that_can_be_read if {
	rule.errors == set() with input as fixtures.evidenced
}

test_finds_an_age_that_means_nothing if {
	path := "/surfaces/tasks/conditions/encrypted/evidence/max_age"
	errors := rule.errors with input as fixtures.evidenced_with(path, "for ever")
	at := ["surfaces", "tasks", "conditions", "encrypted", "evidence", "max_age"]
	errors == {{"code": "wrong-age", "at": at, "value": "for ever"}}
}
