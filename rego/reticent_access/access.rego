# METADATA
# description: |
#   decides, for every caller of the service, what it may ask for; the input is the list of
#   callers with what was granted to them, the surfaces of the plan, and today's date, and
#   never a token or a payload; what is not granted here is denied
package reticent_access

# METADATA
# description: |
#   what can be granted for one surface; `reasoning` is needed to filter for a surface that
#   lets reasoning pass; `break-glass` asks to see the reasoning of one task where it is
#   withheld, and `approve` agrees to what another person asked
surface_verbs := {"read", "filter", "reasoning", "break-glass", "approve"}

# METADATA
# description: what can be granted for the service as a whole; `restore` is needed to get reasoning out of the task store
service_verbs := {"plan", "propose", "history", "metrics", "tasks", "restore"}

# METADATA
# description: what each caller may do
# entrypoint: true
grants[caller] := {"service": _service(caller), "surfaces": _surfaces(caller)} if some caller, _ in input.callers

# METADATA
# description: what is wrong with the list; it is used only when this is empty
# entrypoint: true
faults contains {"caller": caller, "code": "unknown-verb", "name": verb} if {
	some caller, facts in input.callers
	some grant in facts.may
	some verb in grant.verbs
	not verb in (surface_verbs | service_verbs)
}

faults contains {"caller": caller, "code": "unknown-surface", "name": surface} if {
	some caller, facts in input.callers
	some grant in facts.may
	some surface in grant.surfaces
	surface != "*"
	not input.surfaces[surface]
}

_service(caller) := {verb |
	some grant in _in_force(input.callers[caller])
	some verb in grant.verbs
	verb in service_verbs
}

_surfaces(caller) := {surface: verbs |
	some surface, facts in input.surfaces
	granted := _granted(caller, surface)
	verbs := {verb | some verb in granted; _holds(verb, granted, facts)}
	count(verbs) > 0
}

_granted(caller, surface) := {verb |
	some grant in _in_force(input.callers[caller])
	_covers(grant, surface)
	some verb in grant.verbs
	verb in surface_verbs
}

_covers(grant, surface) if surface in grant.surfaces

_covers(grant, _) if "*" in grant.surfaces

# reasoning leaves only for those who were granted reasoning; a surface of which nothing is known counts as one that has it
_holds("filter", _, facts) if facts.reasoning == false

_holds("filter", granted, _) if "reasoning" in granted

_holds(verb, _, _) if verb in (surface_verbs - {"filter"})

_in_force(facts) := facts.may if facts.expires == null

_in_force(facts) := facts.may if input.today < facts.expires

_in_force(facts) := [] if {
	facts.expires != null
	not input.today < facts.expires
}
