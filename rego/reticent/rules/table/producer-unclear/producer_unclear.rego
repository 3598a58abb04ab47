# METADATA
# description: the table does not say which one system counts as the producer
# related_resources:
#   - description: documentation
#     ref: docs/rules/table/producer-unclear.md
package reticent.rules.table["producer-unclear"]

# METADATA
# description: where a second producer stands, or one that is no system
# scope: document
errors contains {"code": "producer-unclear", "at": ["places", name, "producer"], "value": name} if {
	count(_producers) > 1
	some name in _producers
}

errors contains {"code": "producer-unclear", "at": ["places", name, "producer"], "value": name} if {
	some name in _producers
	input.places[name].kind != "system"
}

_producers contains name if {
	some name, facts in input.places
	facts.producer == true
}
