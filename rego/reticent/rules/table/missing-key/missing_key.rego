# METADATA
# description: the table leaves out a fact that a verdict rests on
# related_resources:
#   - description: documentation
#     ref: docs/rules/table/missing-key.md
package reticent.rules.table["missing-key"]

import data.reticent.evidence

# METADATA
# description: where the key is missing, and its name
errors contains {"code": "missing-key", "at": at, "key": key} if {
	some [at, owner, keys] in _required
	some key in keys
	not _present(owner, key)
}

_present(owner, key) if object.get(owner, key, null) != null

_required contains [[], input, {"version", "today", "places", "surfaces"}]

_required contains [["places", name], facts, {"kind"}] if some name, facts in input.places

_required contains [["places", name], facts, {"lifetime"}] if {
	some name, facts in input.places
	facts.kind == "store"
}

_required contains [["surfaces", name], row, {"verdict", "holds", "flows", "owner", "why"}] if {
	some name, row in input.surfaces
}

_required contains [["surfaces", name, "holds"], row.holds, {"kind", "lifetime"}] if some name, row in input.surfaces

_required contains [["exceptions", index], exception, {"surface", "classes", "reason", "owner", "expires"}] if {
	some index, exception in input.exceptions
}

_required contains [[], input, {"signers"}] if some _, _ in evidence.asked

_required contains [["signers", name], signer, {"key", "owner"}] if some name, signer in input.signers

_required contains [["surfaces", surface, "conditions", name, "evidence"], wanted, {"probe", "max_age"}] if {
	some surface, names in evidence.asked
	some name, wanted in names
}
