# METADATA
# description: what is wrong with a table, found by every rule that complains
package reticent.faults

# METADATA
# description: faults of the table's own facts; while there is one, no verdict can be trusted
table contains error if {
	some rule
	some error in data.reticent.rules.table[rule].errors
}

# METADATA
# description: rows that say one thing while the proof says another
row contains error if {
	some rule
	some error in data.reticent.rules.row[rule].errors
}
