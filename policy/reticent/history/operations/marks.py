"""The marks our placeholders carry, so that a reader, a model and a second run know them for ours."""

from __future__ import annotations

CLEARED = "[reticent: cleared"
TRUNCATED = "[reticent: truncated"
SUMMARY = "[reticent: summary"
ABANDONED = "[reticent: abandoned]"
NOTED = "[reticent: summary noted]"


def cleared(size: int, tool: str | None, call: str | None, handle: str) -> str:
    """The placeholder of a result body."""
    return f"{CLEARED} {size} bytes of {tool or 'a tool'}, call {call or '-'}, {handle}]"


def truncated(size: int, handle: str) -> str:
    """The mark between head and tail of a result body."""
    return f"{TRUNCATED}, {size} bytes in full, {handle}]"


def summary(entries: int, generation: int, handle: str) -> str:
    """The first line of a summary."""
    return f"{SUMMARY} of {entries} entries, generation {generation}, {handle}]"


TOOL = "compact_history"
"""The tool by whose name a folded range stands in a history."""
CALL_ID = "fold_"
"""How the id of our own call begins; the rest is the digest of what was folded."""
FOLDED = "[reticent: folded"
HELD = "[compacted_history]"
"""How a summary begins, in the history and in the notes."""
ASKED = "[reticent: compact_history called]"
"""The call, where tools are played in plain text."""


def folded(entries: int, generation: int, handle: str) -> str:
    """The first line of what stands for a folded range."""
    return f"{FOLDED} {entries} entries, generation {generation}, {handle}]"
