# METADATA
# description: who and what can get at the content of a surface, and what keeps the others away
package reticent.proof

import data.reticent.evidence
import data.reticent.flows
import data.reticent.holdings

# METADATA
# description: the nodes that content of each surface can get to, the surface itself among them
reach[surface] := graph.reachable(flows.uncut, {surface}) if some surface, _ in input.surfaces

# METADATA
# description: the readers, systems and stores that a surface must not reach and does reach
offenders[surface] := _offending(reach[surface], _lost) if some surface, _ in input.surfaces

# METADATA
# description: those that it would reach if every condition held that the table claims
claimed[surface] := _offending(graph.reachable(flows.claimed, {surface}), set()) if some surface, _ in input.surfaces

# METADATA
# description: those that it will reach from a later moment on, when some evidence is too old
later(surface, moment) := _offending(graph.reachable(flows.graph_without(lost), {surface}), lost) if {
	lost := evidence.lost(moment)
}

# METADATA
# description: |
#   the moments after now from which a surface may reach more, because evidence for a
#   condition on one of its ways is too old from then on
ends(surface) := {moment |
	some node in graph.reachable(flows.arrows, {surface})
	some moment in evidence.ends(node)
}

# METADATA
# description: what is wrong with the evidence for conditions that a surface needs, at a moment
unshown(surface, moment) := {evidence.status(owner, name, moment) |
	lost := evidence.lost(moment)
	nodes := graph.reachable(flows.graph_without(lost), {surface})
	some [owner, name] in lost
	owner in nodes
}

# METADATA
# description: the arrows that content of a surface can really take
edges[surface] := {[node, target] | some node in reach[surface]; some target in flows.uncut[node]} if {
	some surface, _ in input.surfaces
}

# METADATA
# description: |
#   the conditions of a surface, and those of other surfaces on its way, each with what
#   would offend as well if this one condition no longer held
conditions[surface] := {condition |
	some owner in reach[surface]
	some name, claim in input.surfaces[owner].conditions
	condition := {
		"surface": owner,
		"name": name,
		"cuts": {target | some target in claim.cuts},
		"bounds": object.get(claim, "bounds", null),
		"keeps_out": _kept_out(surface, owner, name),
		"evidence": evidence.told(owner, name),
	}
	_worth_telling(surface, condition)
} if {
	some surface, _ in input.surfaces
}

_worth_telling(surface, condition) if condition.surface == surface

_worth_telling(surface, condition) if {
	condition.surface != surface
	count(condition.keeps_out) > 0
}

_worth_telling(surface, condition) if {
	condition.surface != surface
	[condition.surface, condition.name] in _lost
}

_kept_out(surface, owner, name) := _offending(wider, {[owner, name]} | _lost) - offenders[surface] if {
	wider := graph.reachable(flows.without[owner][name], {surface})
}

_lost := evidence.lost(evidence.now)

_offending(nodes, dropped) := _by_rule(nodes) | _unbounded(nodes, dropped)

_by_rule(nodes) := {offender |
	some rule
	some place in (data.reticent.rules.reach[rule].offenders & nodes)
	offender := {"kind": data.reticent.rules.reach[rule].kind, "place": place, "reason": rule}
}

# a bounding condition that does not hold leaves a lasting copy, of which no reach rule knows
_unbounded(nodes, dropped) := {{"kind": "store", "place": owner, "reason": "outliving-store-reachable"} |
	some [owner, _] in dropped
	owner in nodes
	holdings.outlives(owner, dropped)
}
