# METADATA
# description: the table speaks of a surface or place that it does not declare
# related_resources:
#   - description: documentation
#     ref: docs/rules/table/unknown-name.md
package reticent.rules.table["unknown-name"]

import data.reticent.flows

# METADATA
# description: where the name stands, and the names that are declared
errors contains {"code": "unknown-name", "at": at, "value": name, "known": known} if {
	some [at, name, known] in _mentions
	not name in known
}

_mentions contains [["surfaces", name, "flows", index], target, flows.declared] if {
	some name, row in input.surfaces
	some index, target in row.flows
}

_mentions contains [["flows", name], name, {place | some place, _ in input.places}] if some name, _ in input.flows

_mentions contains [["flows", name, index], target, flows.declared] if {
	some name, targets in input.flows
	some index, target in targets
}

_mentions contains [["exceptions", index, "surface"], exception.surface, {name | some name, _ in input.surfaces}] if {
	some index, exception in input.exceptions
}
