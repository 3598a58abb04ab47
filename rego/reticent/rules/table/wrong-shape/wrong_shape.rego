# METADATA
# description: a value of the table has the wrong type, so that what it says cannot be read
# related_resources:
#   - description: documentation
#     ref: docs/rules/table/wrong-shape.md
package reticent.rules.table["wrong-shape"]

import data.reticent.evidence

# METADATA
# description: the place of each such value, and the type it should have
errors contains {"code": "wrong-shape", "at": at, "wanted": wanted} if {
	some [at, value, wanted] in _checks
	not _fits(value, wanted)
}

_fits(value, "text") if {
	is_string(value)
	trim_space(value) != ""
}

_fits(value, wanted) if type_name(value) == wanted

_checks contains [[key], input[key], "object"] if some key in {"places", "surfaces", "flows", "signers"}

_checks contains [["exceptions"], input.exceptions, "array"]

_checks contains [["places", name], facts, "object"] if some name, facts in input.places

_checks contains [["places", name, "producer"], facts.producer, "boolean"] if some name, facts in input.places

_checks contains [["flows", name], targets, "array"] if some name, targets in input.flows

_checks contains [["flows", name, index], target, "text"] if {
	some name, targets in input.flows
	some index, target in targets
}

_checks contains [["surfaces", name], row, "object"] if some name, row in input.surfaces

_checks contains [["surfaces", name, key], row[key], wanted] if {
	some name, row in input.surfaces
	some key, wanted in {"holds": "object", "flows": "array", "conditions": "object", "owner": "text", "why": "text"}
}

_checks contains [["surfaces", name, "flows", index], target, "text"] if {
	some name, row in input.surfaces
	some index, target in row.flows
}

_checks contains [["surfaces", name, "conditions", title], condition, "object"] if {
	some name, row in input.surfaces
	some title, condition in row.conditions
}

_checks contains [["surfaces", name, "conditions", title, "cuts"], condition.cuts, "array"] if {
	some name, row in input.surfaces
	some title, condition in row.conditions
}

_checks contains [["exceptions", index], exception, "object"] if some index, exception in input.exceptions

_checks contains [["exceptions", index, key], exception[key], wanted] if {
	some index, exception in input.exceptions
	some key, wanted in {"classes": "array", "reason": "text", "owner": "text"}
}

_checks contains [["signers", name], signer, "object"] if some name, signer in input.signers

_checks contains [["signers", name, key], signer[key], "text"] if {
	some name, signer in input.signers
	some key in {"key", "owner"}
}

_checks contains [["surfaces", surface, "conditions", name, "evidence"], wanted, "object"] if {
	some surface, names in evidence.asked
	some name, wanted in names
}

_checks contains [["surfaces", surface, "conditions", name, "evidence", key], wanted[key], type] if {
	some surface, names in evidence.asked
	some name, wanted in names
	some key, type in {"probe": "text", "settings": "object"}
}
