# METADATA
# description: who and what can get at the content of a surface, and what keeps the others away
package reticent.proof

import data.reticent.flows
import data.reticent.holdings

# METADATA
# description: the nodes that content of each surface can get to, the surface itself among them
reach[surface] := graph.reachable(flows.uncut, {surface}) if some surface, _ in input.surfaces

# METADATA
# description: the readers, systems and stores that a surface must not reach and does reach
offenders[surface] := _offending(reach[surface]) if some surface, _ in input.surfaces

# METADATA
# description: the names of the reach rules that object to a surface
objections[surface] := {offender.reason | some offender in offenders[surface]} if some surface, _ in input.surfaces

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

_kept_out(surface, owner, name) := (_offending(wider) | _unbounded(owner, name)) - offenders[surface] if {
	wider := graph.reachable(flows.without[owner][name], {surface})
}

# a bounding condition keeps out the surface's own lasting copy
_unbounded(owner, name) := {{"kind": "store", "place": owner, "reason": "outliving-store-reachable"} |
	holdings.outlives(owner, name)
}

_offending(nodes) := {offender |
	some rule
	some place in (data.reticent.rules.reach[rule].offenders & nodes)
	offender := {"kind": data.reticent.rules.reach[rule].kind, "place": place, "reason": rule}
}
