# METADATA
# description: |
#   turns one table (the input) into one plan: for each surface a verdict for every class
#   of content, the reasons, and the arrows that a reader can follow to see why
package reticent.main

import data.reticent.evidence
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

	decision := object.union(_answer(surface, _today, evidence.now), {
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

_today := object.get(input, "today", "")

# the answers that will hold from a day on which an exception ends, and from a moment at
# which evidence gets too old; the first day there is and the moment 0 have always been
_lapses(surface) := {lapse |
	some date in ({"0001-01-01"} | exceptions.ends(surface))
	some moment in ({0} | _ends(surface))
	[date, moment] != ["0001-01-01", 0]
	answer := _answer(surface, max({date, _today}), max({moment, evidence.now}))
	lapse := object.union({"from": date, "moment": moment}, answer)
}

# what is not proved now is not proved later
_ends(surface) := {moment | _sound(surface, evidence.now); some moment in proof.ends(surface)}

_answer(surface, date, moment) := {
	"verdict": _overall(classes),
	"classes": classes,
	"reasons": _reasons(surface, date, moment),
} if {
	passing := _passing(surface, date, moment)
	classes := {class: _verdict(class, passing) | some class in words.classes}
}

_overall(classes) := "pass" if {
	every verdict in classes { verdict == "pass" }
} else := "strip"

_verdict(class, passing) := "pass" if {
	class in passing
} else := "strip"

_passing(surface, date, moment) := {class |
	count(faults.table) == 0
	some class in union({_proved(surface, moment), _carried(surface), exceptions.granted(surface, date)})
}

_proved(surface, moment) := {class |
	_sound(surface, moment)
	some class in words.reasoning_classes
}

_carried(surface) := {"derived" | object.get(input.surfaces[surface], "derived", "pass") == "pass"}

# the strictest word wins: the proof and the row must both say pass
_sound(surface, moment) if {
	count(_offenders(surface, moment)) == 0
	_says_pass(surface)
}

_offenders(surface, moment) := proof.offenders[surface] if moment == evidence.now

_offenders(surface, moment) := proof.later(surface, moment) if moment != evidence.now

_reasons(surface, date, moment) := union({
	{reason | some reason, holds in _grounds(surface, date, moment); holds},
	{offender.reason | some offender in _offenders(surface, moment)},
	_unshown(surface, moment),
})

# told where the verdict hangs on it: on what is claimed alone, nobody would be reached
_unshown(surface, moment) := {concat("-", ["evidence", status]) |
	count(_offenders(surface, moment)) > 0
	count(proof.claimed[surface]) == 0
	some status in proof.unshown(surface, moment)
}

_grounds(surface, date, moment) := {
	"table-invalid": count(faults.table) > 0,
	"nothing-reachable": count(_offenders(surface, moment)) == 0,
	"row-says-strip": _says_strip(surface, moment),
	"derived-stripped": count(_carried(surface)) == 0,
	"exception-in-force": count(exceptions.granted(surface, date)) > 0,
	"exception-expired": _lapsed(surface, date),
}

_says_strip(surface, moment) if {
	count(_offenders(surface, moment)) == 0
	not _says_pass(surface)
} else := false

_says_pass(surface) if input.surfaces[surface].verdict == "pass"

_lapsed(surface, date) if {
	exceptions.lapsed(surface, date)
} else := false
