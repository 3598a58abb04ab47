# METADATA
# description: the signed exceptions of a table, and until when each one counts
package reticent.exceptions

# METADATA
# description: |
#   the classes that exceptions let pass on a surface, on a date; an exception counts
#   before the day it expires, and not on that day
granted(surface, date) := {class |
	some exception in of(surface)
	exception.expires > date
	some class in exception.classes
}

# METADATA
# description: the days after today on which an exception for a surface ends
ends(surface) := {exception.expires |
	some exception in of(surface)
	exception.expires > input.today
}

# METADATA
# description: true when an exception for a surface is over on a date
lapsed(surface, date) if {
	some exception in of(surface)
	exception.expires <= date
}

# METADATA
# description: what the plan tells about the exceptions of a surface
told(surface) := {told |
	some exception in of(surface)
	told := {
		"classes": {class | some class in exception.classes},
		"expires": object.get(exception, "expires", null),
		"owner": object.get(exception, "owner", null),
		"reason": object.get(exception, "reason", null),
	}
}

# METADATA
# description: the exceptions that name a surface
of(surface) := {exception |
	some exception in input.exceptions
	exception.surface == surface
}
