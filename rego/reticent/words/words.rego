# METADATA
# description: every word a table may use where its meaning bears on a verdict
package reticent.words

# METADATA
# description: the versions of the table format that these rules read
versions := {1}

# METADATA
# description: what a row may say, and what it is answered
verdicts := {"pass", "strip"}

# METADATA
# description: the kinds of content that a verdict is given for
classes := {"text", "summary", "opaque", "derived"}

# METADATA
# description: the classes that are reasoning itself, and not text that a model wrote from it
reasoning_classes := {"text", "summary", "opaque"}

# METADATA
# description: what a place may be
place_kinds := {"person", "system", "store"}

# METADATA
# description: what a surface may rest in; told to the reader, and never a ground for a verdict
holding_kinds := {"memory", "store"}

# METADATA
# description: how long something may be kept
lifetimes := brief_lifetimes | {"durable"}

# METADATA
# description: the lifetimes that end with the work, or before it does
brief_lifetimes := {"request", "task"}
