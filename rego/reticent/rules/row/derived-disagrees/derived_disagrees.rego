# METADATA
# description: a row that passes everything asks for derived text to be stripped
# related_resources:
#   - description: documentation
#     ref: docs/rules/row/derived-disagrees.md
package reticent.rules.row["derived-disagrees"]

# METADATA
# description: where the row says so
errors contains {"code": "derived-disagrees", "at": ["surfaces", surface, "derived"]} if {
	some surface, row in input.surfaces
	row.verdict == "pass"
	row.derived == "strip"
}
