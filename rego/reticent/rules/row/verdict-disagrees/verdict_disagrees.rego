# METADATA
# description: a row says one verdict and the proof says the other
# related_resources:
#   - description: documentation
#     ref: docs/rules/row/verdict-disagrees.md
package reticent.rules.row["verdict-disagrees"]

import data.reticent.faults
import data.reticent.proof

# METADATA
# description: the row, its own verdict, and the verdict that the proof gives
errors contains {"code": "verdict-disagrees", "at": ["surfaces", surface, "verdict"], "value": says, "proof": proved} if {
	count(faults.table) == 0
	some surface, row in input.surfaces
	says := row.verdict
	proved := _proved(surface)
	says != proved
}

_proved(surface) := "pass" if {
	count(proof.offenders[surface]) == 0
} else := "strip"
