# METADATA
# description: it gets to something that the table does not declare, or not in words that are known
# related_resources:
#   - description: documentation
#     ref: docs/rules/reach/unknown-place-reachable.md
package reticent.rules.reach["unknown-place-reachable"]

import data.reticent.flows
import data.reticent.words

# METADATA
# description: what kind of reader this rule looks for
kind := "unknown"

# METADATA
# description: names that arrows lead to and nobody declared, and places of no known kind
# scope: document
offenders contains node if {
	some node in flows.nodes
	not node in flows.declared
}

offenders contains place if {
	some place, facts in input.places
	not _known(facts)
}

_known(facts) if facts.kind in words.place_kinds
