# METADATA
# description: it is kept after the work has ended
# related_resources:
#   - description: documentation
#     ref: docs/rules/reach/outliving-store-reachable.md
package reticent.rules.reach["outliving-store-reachable"]

import data.reticent.holdings
import data.reticent.words

# METADATA
# description: what kind of reader this rule looks for
kind := "store"

# METADATA
# description: stores, and surfaces with their own copy, that are not known to end with the work
# scope: document
offenders contains place if {
	some place, facts in input.places
	facts.kind == "store"
	not _brief(facts)
}

offenders contains surface if {
	some surface, _ in input.surfaces
	holdings.outlives(surface, set())
}

# a negated test must not hold a reference that can be undefined: it would make the whole body undefined
_brief(facts) if facts.lifetime in words.brief_lifetimes
