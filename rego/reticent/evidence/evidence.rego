# METADATA
# description: |
#   whether the conditions that ask for evidence are shown to hold, and until when; a
#   condition that asks for none is taken at its word. The input tells what was looked at,
#   what came of it, whether the signature under it is good, and what time it is
package reticent.evidence

# METADATA
# description: the seconds in each unit that an age can be written in
units := {"s": 1, "m": 60, "h": 3600, "d": 86400}

# METADATA
# description: by how many seconds the clock of whoever looked may be ahead of ours
tolerance := 60

# METADATA
# description: the moment of the decision, in seconds since 1970; without one no evidence counts
# scope: document
default now := -1

now := input.evidence.now if is_number(input.evidence.now)

# METADATA
# description: what each condition that needs evidence asks for
asked[surface][name] := wanted if {
	some surface, row in input.surfaces
	some name, claim in row.conditions
	wanted := object.get(claim, "evidence", null)
	wanted != null
}

# METADATA
# description: an age such as `24h` in seconds; undefined for anything else
seconds(age) := to_number(digits) * units[unit] if {
	digits := substring(age, 0, count(age) - 1)
	count(digits) in {1, 2, 3, 4, 5, 6}
	trim(digits, "0123456789") == ""
	to_number(digits) > 0
	unit := substring(age, count(age) - 1, 1)
}

# METADATA
# description: the conditions, as surface and name, that are not shown to hold at a moment
lost(moment) := {[surface, name] |
	some surface, names in asked
	some name, _ in names
	not _held(surface, name, moment)
}

# METADATA
# description: the moments at which a surface loses a condition that holds now
ends(surface) := {_until[surface][name] |
	some name, _ in asked[surface]
	_held(surface, name, now)
}

# METADATA
# description: in one word, how a condition that asks for evidence stands at a moment
status(surface, name, moment) := "held" if {
	_held(surface, name, moment)
} else := "failed" if {
	not _says_held(_deciding[surface][name])
} else := "stale" if {
	_deciding[surface][name]
} else := _unfit(surface, name)

# METADATA
# description: what a plan tells about the evidence for a condition; null when it asks for none
# scope: document
told(surface, name) := null if not asked[surface][name]

told(surface, name) := {
	"status": word,
	"probe": object.get(wanted, "probe", null),
	"max_age": object.get(wanted, "max_age", null),
	"since": _since(word, surface, name),
	"until": object.get(_until, [surface, name], null),
	"statement": object.get(_deciding, [surface, name], null),
} if {
	wanted := asked[surface][name]
	word := status(surface, name, now)
}

_since(word, surface, name) := object.get(_deciding[surface][name], "since", null) if {
	word in {"held", "failed"}
} else := _until[surface][name] if {
	word == "stale"
} else := null

_held(surface, name, moment) if {
	_says_held(_deciding[surface][name])
	moment < _until[surface][name]
}

_says_held(statement) if statement.held == true

_until[surface][name] := statement.observed + seconds(asked[surface][name].max_age) if {
	some surface, names in _deciding
	some name, statement in names
}

# the latest look decides; of several at one moment, one that says no. Sorted, since the order
# in which a set is walked is each engine's own
_deciding[surface][name] := array.concat(
	sort([one | some one in latest; not _says_held(one)]),
	sort([one | some one in latest; _says_held(one)]),
)[0] if {
	some surface, names in asked
	some name, _ in names
	fitting := {one | some one in _about(surface, name); _objection(one, surface, name) == "none"}
	last := max({one.observed | some one in fitting})
	latest := {one | some one in fitting; one.observed == last}
}

_about(surface, name) := {one |
	some one in input.evidence.statements
	one.surface == surface
	one.condition == name
}

# the gravest objection is told, of those to every statement about the condition
_unfit(surface, name) := [word |
	some word in ["tampered", "unknown-signer", "other-table", "other-probe", "future"]
	some one in _about(surface, name)
	_objection(one, surface, name) == word
][0] if {
	count(_about(surface, name)) > 0
} else := "missing"

_objection(one, surface, name) := "unknown-signer" if {
	not _signer_known(one)
} else := "tampered" if {
	not _signature_good(one)
} else := "other-table" if {
	not _same_table(one)
} else := "other-probe" if {
	not _same_probe(one, surface, name)
} else := "future" if {
	not _past(one)
} else := "none"

_signer_known(one) if {
	input.signers[one.signer]
	object.get(one, "signature", "") != "unknown-signer"
}

_signature_good(one) if one.signature == "good"

_same_table(one) if one.table == input.evidence.table

_same_probe(one, surface, name) if one.probe == asked[surface][name].probe

_past(one) if {
	is_number(one.observed)
	one.observed <= now + tolerance
}
