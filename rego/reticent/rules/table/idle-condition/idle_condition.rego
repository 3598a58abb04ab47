# METADATA
# description: a condition cuts nothing and bounds nothing
# related_resources:
#   - description: documentation
#     ref: docs/rules/table/idle-condition.md
package reticent.rules.table["idle-condition"]

# METADATA
# description: where the condition stands
errors contains {"code": "idle-condition", "at": ["surfaces", name, "conditions", title]} if {
	some name, row in input.surfaces
	some title, condition in row.conditions
	is_object(condition)
	count(object.get(condition, "cuts", [])) == 0
	not condition.bounds
}
