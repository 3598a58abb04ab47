package reticent.holdings_test

import data.reticent.fixtures_test as fixtures
import data.reticent.holdings

test_bounded_copy_ends_with_the_work if {
	not holdings.outlives("tasks", set()) with input as fixtures.table
}

test_copy_outlives_the_work_when_its_bound_no_longer_holds if {
	holdings.outlives("tasks", {["tasks", "erased"]}) with input as fixtures.table
}

test_durable_memory_outlives_the_work_as_a_store_does if {
	holdings.outlives("log", set()) with input as fixtures.with_value("/surfaces/log/holds/lifetime", "durable")
}

test_copy_of_unknown_lifetime_outlives_the_work if {
	holdings.outlives("log", set()) with input as fixtures.without_value("/surfaces/log/holds")
}

test_brief_copy_needs_no_bound if {
	not holdings.outlives("log", set()) with input as fixtures.table
}

test_bound_that_does_not_end_with_the_work_is_no_bound if {
	table := fixtures.with_value("/surfaces/tasks/conditions/erased/bounds", "durable")
	holdings.outlives("tasks", set()) with input as table
}
