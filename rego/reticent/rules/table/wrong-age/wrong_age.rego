# METADATA
# description: an age is not written as a whole number and one of s, m, h and d
# related_resources:
#   - description: documentation
#     ref: docs/rules/table/wrong-age.md
package reticent.rules.table["wrong-age"]

import data.reticent.evidence

# METADATA
# description: where the age stands
errors contains {"code": "wrong-age", "at": at, "value": wanted.max_age} if {
	some surface, names in evidence.asked
	some name, wanted in names
	not evidence.seconds(wanted.max_age)
	at := ["surfaces", surface, "conditions", name, "evidence", "max_age"]
}
