# METADATA
# description: the arrows of a table as a graph, with and without the conditions that cut them
package reticent.flows

import data.reticent.evidence

# METADATA
# description: every name that content can rest at or get to, also those that nobody declared
nodes := union({_surfaces, _places, _sources, _targets})

# METADATA
# description: the names that the table declares
declared := _surfaces | _places

# METADATA
# description: where content really can go next, from each node, now
uncut := graph_without(evidence.lost(evidence.now))

# METADATA
# description: where content could go next if every condition held that the table claims
claimed := graph_without(set())

# METADATA
# description: where content could go next if no condition held
arrows := {node: drawn(node) | some node in nodes}

# METADATA
# description: the graph as it would be if one more condition of one surface no longer held
without[surface][name] := graph_without({[surface, name]} | evidence.lost(evidence.now)) if {
	some surface, row in input.surfaces
	some name, _ in row.conditions
}

# METADATA
# description: the graph when the conditions in a set, as surface and name, do not hold
graph_without(dropped) := {node: targets |
	# a node without arrows must be a key as well: graph.reachable leaves out what is no key
	some node in nodes
	targets := drawn(node) - _cut(node, dropped)
}

# METADATA
# description: where a row or an onward flow draws an arrow to, cut or not
drawn(node) := {target | some target in input.surfaces[node].flows} | {target | some target in input.flows[node]}

_cut(surface, dropped) := {target |
	some name, condition in input.surfaces[surface].conditions
	not [surface, name] in dropped
	some target in condition.cuts
}

_surfaces := {name | some name, _ in input.surfaces}

_places := {name | some name, _ in input.places}

_sources := {name | some name, _ in input.flows}

_targets := {target | some node in (declared | _sources); some target in drawn(node)}
