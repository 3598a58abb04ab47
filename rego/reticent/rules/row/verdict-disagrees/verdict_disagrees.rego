# METADATA
# description: a row says one verdict and the proof says the other
# related_resources:
#   - description: documentation
#     ref: docs/rules/row/verdict-disagrees.md
package reticent.rules.row["verdict-disagrees"]

import data.reticent.faults
import data.reticent.proof

# METADATA
# description: |
#   the row, its own verdict, and the verdict that the proof gives when every claimed
#   condition holds: what is signed is the table, and evidence comes and goes
errors contains {"code": "verdict-disagrees", "at": ["surfaces", surface, "verdict"], "value": says, "proof": proved} if {
	count(faults.table) == 0
	some surface, row in input.surfaces
	says := row.verdict
	proved := _proved(surface)
	says != proved
}

_proved(surface) := "pass" if {
	count(proof.claimed[surface]) == 0
} else := "strip"
