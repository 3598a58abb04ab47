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
