# METADATA
# description: how long a surface itself keeps what it is given
package reticent.holdings

import data.reticent.words

# METADATA
# description: |
#   true for a surface whose own copy may be there after the work has ended; a condition
#   that bounds the lifetime helps this copy only, never one that has flowed on. The
#   conditions in the set `dropped`, as surface and name, are taken not to hold
outlives(surface, dropped) if {
	not _brief(surface)
	not _bounded(surface, dropped)
}

_brief(surface) if input.surfaces[surface].holds.lifetime in words.brief_lifetimes

_bounded(surface, dropped) if {
	some name, condition in input.surfaces[surface].conditions
	not [surface, name] in dropped
	condition.bounds in words.brief_lifetimes
}
