package reticent.rules.table["unknown-word_test"]

import data.reticent.fixtures_test as fixtures
import data.reticent.rules.table["unknown-word"] as rule

test_silent_on_a_right_table if {
	rule.errors == set() with input as fixtures.table
	rule.errors == set() with input as fixtures.with_exception({})
}

test_finds_words_that_have_no_meaning_where_they_stand if {
	paths := {
		"/version", "/places/router/kind", "/places/archive/lifetime", "/surfaces/log/verdict",
		"/surfaces/log/derived", "/surfaces/log/holds/kind", "/surfaces/log/holds/lifetime",
		"/surfaces/tasks/conditions/erased/bounds",
	}
	every path in paths {
		errors := rule.errors with input as fixtures.with_value(path, "perhaps")
		{error.at | some error in errors} == {split(trim_prefix(path, "/"), "/")}
	}
}

test_durable_is_no_bound if {
	errors := rule.errors with input as fixtures.with_value("/surfaces/tasks/conditions/erased/bounds", "durable")
	{error.value | some error in errors} == {"durable"}
}

test_finds_classes_that_do_not_exist if {
	errors := rule.errors with input as fixtures.with_exception({"classes": ["summary", "gist"]})
	{error.at | some error in errors} == {["exceptions", 0, "classes", 1]}
}
