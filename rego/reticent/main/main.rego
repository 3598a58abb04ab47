# METADATA
# description: |
#   turns one table (the input) into one plan: for each surface a verdict for every class
#   of content, the reasons, and the arrows that a reader can follow to see why
package reticent.main

import data.reticent.exceptions
import data.reticent.faults
import data.reticent.proof
import data.reticent.words

# METADATA
# description: what was decided for each surface; what cannot be decided is strip
# entrypoint: true
plan[surface] := decision if {
	is_object(input.surfaces)
	some surface, _ in input.surfaces

	decision := object.union(_answer(surface, object.get(input, "today", "")), {
		"offenders": proof.offenders[surface],
		"edges": proof.edges[surface],
		"conditions": proof.conditions[surface],
		"exceptions": exceptions.told(surface),
		"lapses": _lapses(surface),
	})
}

# METADATA
# description: what is wrong with the table; a plan is used only when this is empty
# entrypoint: true
errors := faults.table | faults.row

# the answers that will hold from the day on which an exception ends
_lapses(surface) := {object.union({"from": date}, _answer(surface, date)) | some date in exceptions.ends(surface)}

_answer(surface, date) := {
	"verdict": _overall(classes),
	"classes": classes,
	"reasons": _reasons(surface, date),
} if {
	passing := _passing(surface, date)
	classes := {class: _verdict(class, passing) | some class in words.classes}
}

_overall(classes) := "pass" if {
	every verdict in classes { verdict == "pass" }
} else := "strip"

_verdict(class, passing) := "pass" if {
	class in passing
} else := "strip"

_passing(surface, date) := {class |
	count(faults.table) == 0
	some class in union({_proved(surface), _carried(surface), exceptions.granted(surface, date)})
}

_proved(surface) := {class |
	_sound(surface)
	some class in words.reasoning_classes
}

_carried(surface) := {"derived" | object.get(input.surfaces[surface], "derived", "pass") == "pass"}

# the strictest word wins: the proof and the row must both say pass
_sound(surface) if {
	count(proof.offenders[surface]) == 0
	_says_pass(surface)
}

_reasons(surface, date) := {reason | some reason, holds in _grounds(surface, date); holds} | proof.objections[surface]

_grounds(surface, date) := {
	"table-invalid": count(faults.table) > 0,
	"nothing-reachable": count(proof.offenders[surface]) == 0,
	"row-says-strip": _says_strip(surface),
	"derived-stripped": count(_carried(surface)) == 0,
	"exception-in-force": count(exceptions.granted(surface, date)) > 0,
	"exception-expired": _lapsed(surface, date),
}

_says_strip(surface) if {
	count(proof.offenders[surface]) == 0
	not _says_pass(surface)
} else := false

_says_pass(surface) if input.surfaces[surface].verdict == "pass"

_lapsed(surface, date) if {
	exceptions.lapsed(surface, date)
} else := false
