# METADATA
# description: a date is not written as year, month and day
# related_resources:
#   - description: documentation
#     ref: docs/rules/table/wrong-date.md
package reticent.rules.table["wrong-date"]

# METADATA
# description: where the date stands
errors contains {"code": "wrong-date", "at": at, "value": value} if {
	some [at, value] in _dates
	not _date(value)
}

_dates contains [["today"], input.today]

_dates contains [["exceptions", index, "expires"], exception.expires] if some index, exception in input.exceptions

# dates are compared as text, which is right only for this one spelling
_date(value) if {
	parts := split(value, "-")
	[count(part) | some part in parts] == [4, 2, 2]
	every part in parts { trim(part, "0123456789") == "" }
}
