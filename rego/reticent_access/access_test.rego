package reticent_access_test

import data.reticent_access

surfaces := {"logs": {"reasoning": false}, "task_store": {"reasoning": true}}

told(facts) := access if {
	document := {"today": "2026-11-29", "surfaces": surfaces, "callers": {"console": facts}}
	access := {
		"grants": reticent_access.grants.console,
		"faults": reticent_access.faults,
	} with input as document
}

caller(verbs, names) := {"expires": null, "may": [{"verbs": verbs, "surfaces": names}]}

nothing := {"service": set(), "surfaces": {}}

test_what_is_not_granted_is_denied if {
	told({"expires": null, "may": []}).grants == nothing
	told(caller(["filter"], [])).grants == nothing
	told(caller([], ["*"])).grants == nothing
}

test_a_grant_reaches_only_the_surfaces_it_names if {
	told(caller(["read", "filter"], ["logs"])).grants.surfaces == {"logs": {"read", "filter"}}
	told(caller(["read"], ["*"])).grants.surfaces == {"logs": {"read"}, "task_store": {"read"}}
}

test_reasoning_needs_a_grant_of_its_own if {
	told(caller(["filter"], ["*"])).grants.surfaces == {"logs": {"filter"}}
	told(caller(["filter", "reasoning"], ["task_store"])).grants.surfaces == {"task_store": {"filter", "reasoning"}}
}

test_a_surface_of_which_nothing_is_known_counts_as_one_with_reasoning if {
	document := {"today": "2026-11-29", "surfaces": {"new": {}}, "callers": {"console": caller(["filter"], ["*"])}}
	reticent_access.grants.console == nothing with input as document
}

test_verbs_of_the_service_need_no_surface if {
	told(caller(["plan", "metrics"], [])).grants == {"service": {"plan", "metrics"}, "surfaces": {}}
}

test_who_holds_turns_gets_no_reasoning_back if {
	told(caller(["tasks"], [])).grants.service == {"tasks"}
	told(caller(["tasks", "restore"], [])).grants.service == {"tasks", "restore"}
}

test_to_ask_and_to_approve_are_grants_of_their_own if {
	told(caller(["break-glass"], ["logs"])).grants.surfaces == {"logs": {"break-glass"}}
	told(caller(["approve"], ["logs"])).grants.surfaces == {"logs": {"approve"}}
	told(caller(["read", "filter", "reasoning"], ["logs"])).grants.surfaces == {"logs": {"read", "filter", "reasoning"}}
}

test_a_grant_ends_on_its_day if {
	early := object.union(caller(["read"], ["logs"]), {"expires": "2026-11-29"})
	late := object.union(caller(["read"], ["logs"]), {"expires": "2026-11-30"})
	told(early).grants == nothing
	told(late).grants.surfaces == {"logs": {"read"}}
}

test_a_word_or_surface_nobody_knows_is_a_fault if {
	told(caller(["admin"], ["logs"])).faults == {{"caller": "console", "code": "unknown-verb", "name": "admin"}}
	told(caller(["read"], ["lgos"])).faults == {{"caller": "console", "code": "unknown-surface", "name": "lgos"}}
	told(caller(["read"], ["*"])).faults == set()
}
