# METADATA
# description: a system other than the one that produced the content can read it
# related_resources:
#   - description: documentation
#     ref: docs/rules/reach/foreign-system-reachable.md
package reticent.rules.reach["foreign-system-reachable"]

# METADATA
# description: what kind of reader this rule looks for
kind := "system"

# METADATA
# description: the places that are systems and are not said to be the producer
offenders contains place if {
	some place, facts in input.places
	facts.kind == "system"
	not _producer(facts)
}

_producer(facts) if facts.producer == true
