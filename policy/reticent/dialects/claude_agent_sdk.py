"""Claude Agent SDK: whole Messages in ``assistant`` lines, raw Messages events in ``stream_event`` lines.

The lines are data (``wraps`` in ``kinds.yaml``: each session and sub-agent is a stream of its own). What is code
here: the Python classes carry no ``type``, so that a thinking block is told by its two fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.edits import DROP, Children, Edit

_FIELDS = {"thinking", "signature"}


def _recognise(value: Any) -> bool:
    return isinstance(value, dict) and "session_id" in value and ("message" in value or "event" in value)


def drop_untyped_block(walker: Walker, node: Mapping[str, Any], _edits: Children, position: int) -> Edit | None:
    """A ``ThinkingBlock(thinking, signature)`` whose class is no longer told."""
    if set(node) != _FIELDS or position == Position.DATA or not all(isinstance(node[name], str) for name in _FIELDS):
        return None
    if not any(node[name] and walker.withholds(name_class) for name, name_class in _CLASSES):
        return None
    walker.withhold("claude-agent-sdk/thinking", node)
    return DROP


_CLASSES = (("thinking", "text"), ("signature", "opaque"))

DIALECT = Dialect(
    "claude-agent-sdk",
    kinds("claude-agent-sdk"),
    recognise=_recognise,
    hooks={"signature": (drop_untyped_block,)},
)
