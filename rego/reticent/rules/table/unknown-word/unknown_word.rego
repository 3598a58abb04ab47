# METADATA
# description: the table uses a word that has no meaning where it stands
# related_resources:
#   - description: documentation
#     ref: docs/rules/table/unknown-word.md
package reticent.rules.table["unknown-word"]

import data.reticent.words

# METADATA
# description: where the word stands, and the words that would be known there
errors contains {"code": "unknown-word", "at": at, "value": value, "known": known} if {
	some [at, value, known] in _words
	not value in known
}

_words contains [["version"], input.version, words.versions]

_words contains [["places", name, "kind"], facts.kind, words.place_kinds] if some name, facts in input.places

_words contains [["places", name, "lifetime"], facts.lifetime, words.lifetimes] if some name, facts in input.places

_words contains [["surfaces", name, "verdict"], row.verdict, words.verdicts] if some name, row in input.surfaces

_words contains [["surfaces", name, "derived"], row.derived, words.verdicts] if some name, row in input.surfaces

_words contains [["surfaces", name, "holds", "kind"], row.holds.kind, words.holding_kinds] if {
	some name, row in input.surfaces
}

_words contains [["surfaces", name, "holds", "lifetime"], row.holds.lifetime, words.lifetimes] if {
	some name, row in input.surfaces
}

_words contains [["surfaces", name, "conditions", title, "bounds"], condition.bounds, words.brief_lifetimes] if {
	some name, row in input.surfaces
	some title, condition in row.conditions
}

_words contains [["exceptions", index, "classes", position], class, words.classes] if {
	some index, exception in input.exceptions
	some position, class in exception.classes
}
