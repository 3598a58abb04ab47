"""OpenRouter: one list of typed details beside a plain copy of the reasoning.

The list goes with everything in it, whatever names the next release gives its entries. Records of tools that the host
ran are nested in the same list and are no reasoning: they stay, and the list with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.edits import DROP, Children, Edit

_KINDS = kinds("openrouter")
_DETAILS = "reasoning_details"
_TOOLS = frozenset(_KINDS.data["tool_records"])
_TYPED = frozenset(rule.value for rule in _KINDS.blocks if rule.key == "type")


def _recognise(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get(_DETAILS), list)


def drop_details(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """Drop what the walk did not know in the list, and the list when nothing is left in it."""
    entries = node[_DETAILS]
    if position == Position.DATA or not isinstance(entries, list) or not entries or edits.get(_DETAILS) is DROP:
        return None
    found = edits.get(_DETAILS)
    mine: Children = dict(found) if isinstance(found, dict) else {}
    for at, entry in enumerate(entries):
        if at not in mine and _is_unlisted(entry) and walker.withholds("text"):
            walker.withhold("openrouter/reasoning_details", entry)
            mine[at] = DROP
    if mine:
        edits[_DETAILS] = DROP if all(mine.get(at) is DROP for at in range(len(entries))) else mine
    return None


def _is_unlisted(entry: Any) -> bool:
    kind = entry.get("type") if isinstance(entry, dict) else None
    return not isinstance(kind, str) or (kind not in _TOOLS and kind not in _TYPED)


DIALECT = Dialect("openrouter", _KINDS, recognise=_recognise, hooks={_DETAILS: (drop_details,)})
