"""ChatGPT's data export: a tree of nodes, some of which hold thoughts.

The tree hangs together by ``parent`` and ``children``, so a node of thoughts is emptied and stays in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.edits import Children, Edit, Put

_KINDS = kinds("chatgpt-export")
_BLANKED: Mapping[str, list[str]] = _KINDS.data["blanked"]


def _recognise(value: Any) -> bool:
    if isinstance(value, list):
        value = value[0] if value else None
    return isinstance(value, dict) and isinstance(value.get("mapping"), dict)


def blank_thoughts(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """Empty the lists of a node whose content is reasoning."""
    if position == Position.DATA or not walker.withholds("text"):
        return None
    for name in _BLANKED.get(str(node["content_type"]), ()):
        if node.get(name):
            walker.withhold(f"chatgpt-export/{name}", node[name])
            edits[name] = Put([])
    return None


DIALECT = Dialect(
    "chatgpt-export",
    _KINDS,
    recognise=_recognise,
    hooks={"content_type": (blank_thoughts,)},
    signs={"content_type": tuple(f'"content_type":"{name}"' for name in _BLANKED)},
)
