"""Session files of coding agents other than Claude Code and Codex, nearly all of it data (``kinds.yaml``).

What is code: OpenCode's server sends the pieces of a part by its id alone, and a part that was only announced by its
type says nothing of itself in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from reticent.dialects._channels import OPEN_LIMIT, hashable
from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.dialects._stream import GONE, Event, Outcome, StreamContext
from reticent.dialects._text_stream import ALL, Channels, ChannelStream, Piece, found_at
from reticent.edits import DROP, Children, Edit
from reticent.errors import InputTooLarge

_UPDATED: Final = "message.part.updated"
_DELTA: Final = "message.part.delta"
_RULE: Final = "agent-sessions/part"


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return value.get("type") == "gemini" or "say" in value or ("projectHash" in value and "sessionId" in value)


def read_properties(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """An event of OpenCode's: its properties are what happened, and no schema's."""
    if node.get("type") == _UPDATED and position != Position.DATA and "properties" not in edits:
        edit = walker.value(node["properties"], int(Position.OPEN), None, 1)
        if edit is not None:
            edits["properties"] = edit
    return None


def drop_update(_walker: Walker, node: Mapping[str, Any], edits: Children, _position: int) -> Edit | None:
    """What an event says of a part that goes: the newest piece of it stands beside the part."""
    return DROP if edits.get("part") is DROP and "delta" in node else None


def _claims(event: Event) -> bool:
    return event.get("type") in (_UPDATED, _DELTA) and isinstance(event.get("properties"), dict)


def _pieces(event: Event) -> Sequence[Piece]:
    body = event["properties"]
    if event["type"] != _DELTA or body.get("field") != "text" or not isinstance(body.get("delta"), str):
        return ()
    return (Piece(body.get("partID"), ("properties", "delta"), body["delta"]),)


class Stream(ChannelStream):
    """One stream of OpenCode's events: parts that were announced as reasoning, and their pieces, go."""

    def __init__(self, context: StreamContext) -> None:
        """Start before the first event."""
        super().__init__(Channels(_pieces, lambda event: ALL if event["type"] == _UPDATED else ()), context)
        self._context = context
        self._hidden: set[Any] = set()

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """Drop what belongs to a part of reasoning; the text of others is filtered for inline tags."""
        body = event["properties"]
        part = body.get("part")
        if isinstance(part, dict) and (edit is DROP or found_at(edit, ("properties", "part")) is DROP):
            self._hide(hashable(part.get("id")))
            return GONE
        if event["type"] == _DELTA and hashable(body.get("partID")) in self._hidden:
            self._context.withhold(_RULE, event)
            return GONE
        return super().event(event, edit)

    def _hide(self, name: Any) -> None:
        if len(self._hidden) >= OPEN_LIMIT:
            raise InputTooLarge(f"more than {OPEN_LIMIT} parts of reasoning in one stream")
        self._hidden.add(name)


DIALECT = Dialect(
    "agent-sessions",
    kinds("agent-sessions"),
    recognise=_recognise,
    hooks={"part": (drop_update,), "properties": (read_properties,)},
    signs={"part": (), "properties": (f'"type":"{_UPDATED}"',)},
    claims=_claims,
    partial=lambda event: event["type"] == _DELTA,
    stream=Stream,
)
