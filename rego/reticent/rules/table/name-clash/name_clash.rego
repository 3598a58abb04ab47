# METADATA
# description: one name is used for a surface and for a place
# related_resources:
#   - description: documentation
#     ref: docs/rules/table/name-clash.md
package reticent.rules.table["name-clash"]

# METADATA
# description: where the surface of that name stands
errors contains {"code": "name-clash", "at": ["surfaces", name], "value": name} if {
	some name, _ in input.surfaces
	input.places[name]
}
