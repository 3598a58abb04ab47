# METADATA
# description: a condition claims to cut an arrow that its row does not draw
# related_resources:
#   - description: documentation
#     ref: docs/rules/table/cut-without-flow.md
package reticent.rules.table["cut-without-flow"]

# METADATA
# description: where the cut stands, and the arrows that the row does draw
errors contains {"code": "cut-without-flow", "at": at, "value": target, "known": known} if {
	some name, row in input.surfaces
	some title, condition in row.conditions
	some index, target in condition.cuts
	known := {flow | some flow in row.flows}
	not target in known
	at := ["surfaces", name, "conditions", title, "cuts", index]
}
