package reticent.flows_test

import data.reticent.fixtures_test as fixtures
import data.reticent.flows

test_condition_cuts_the_arrows_it_names if {
	graph := flows.uncut with input as fixtures.table
	graph.tasks == {"memory"}
	graph.archive == {"reader"}
}

test_arrow_is_back_when_its_condition_no_longer_holds if {
	graph := flows.without.tasks.encrypted with input as fixtures.table
	graph.tasks == {"memory", "archive", "reader"}
}

test_arrow_that_two_conditions_cut_stays_cut_without_one if {
	table := fixtures.with_value("/surfaces/tasks/conditions/sealed", {"cuts": ["archive"]})
	graph := flows.without.tasks.encrypted with input as table
	graph.tasks == {"memory", "reader"}
}

test_name_nobody_declared_is_a_node if {
	table := fixtures.with_value("/surfaces/log/flows", ["nowhere"])
	"nowhere" in flows.nodes with input as table
	not "nowhere" in flows.declared with input as table
}

test_node_without_arrows_is_in_the_graph if {
	graph := flows.uncut with input as fixtures.table
	graph.reader == set()
}

test_arrows_of_a_name_that_is_only_a_source_count if {
	table := fixtures.with_value("/flows/ghost", ["reader"])
	graph := flows.uncut with input as table
	graph.ghost == {"reader"}
}
