# METADATA
# scope: subpackages
# description: |
#   decides, for every surface of a table, whether content that rests there can get to a
#   person, to a system other than its producer, or to a store that outlives the work;
#   the input is a table with today's date beside it, and never a payload
# related_resources:
#   - description: every key of the table
#     ref: docs/table.md
# schemas:
#   - input: schema.surface_table
package reticent
