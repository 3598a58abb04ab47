# METADATA
# description: a person can read it
# related_resources:
#   - description: documentation
#     ref: docs/rules/reach/person-reachable.md
package reticent.rules.reach["person-reachable"]

# METADATA
# description: what kind of reader this rule looks for
kind := "person"

# METADATA
# description: the places that are people
offenders contains place if {
	some place, facts in input.places
	facts.kind == "person"
}
