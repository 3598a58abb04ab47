"""PydanticAI: messages of parts, and events that start, extend and end a part.

Parts of thinking are data (``kinds.yaml``); a part is told by ``part_kind``, which is a closed vocabulary. What is code
is the stream: ``index`` is the position in ``parts``, a start holds the first text, an end repeats the part, and
neighbours are named by kind (run against pydantic-ai 2.68).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._marks import Counted, Mark, block_label, block_length
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.dialects._stream import (
    BlockEvents,
    BlockStream,
    Event,
    Outcome,
    StreamContext,
    put,
)
from reticent.edits import DROP, Children, Edit, Put

_START, _DELTA, _END = "part_start", "part_delta", "part_end"
_NEIGHBOURS = ("previous_part_kind", "next_part_kind")


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return _claims(value) or (value.get("kind") in ("request", "response") and isinstance(value.get("parts"), list))


def _claims(event: Event) -> bool:
    kind = event.get("event_kind")
    return isinstance(kind, str) and kind in (_START, _DELTA, _END)


def withhold_unknown(walker: Walker, node: Mapping[str, Any], _edits: Children, position: int) -> Edit | None:
    """A part of a kind that nobody listed."""
    kind = node.get("part_kind")
    if position in (Position.DATA, Position.USER) or not isinstance(kind, str):
        return None
    if not walker.is_unknown("part_kind", node):
        return None
    return Put(_mark(Counted(block_label(node), 1, block_length(node))))


def _mark(counted: Counted) -> Mark:
    """A part of empty text: parts of a kind that PydanticAI does not know are refused."""
    return {"content": "", "part_kind": "text", "provider_details": {"withheld": counted.told}}


def _make_own(block: Mapping[str, Any], _key: Any, counted: Counted) -> Mark | None:
    return _mark(counted) if isinstance(block.get("part_kind"), str) else None


def _text(event: Event) -> tuple[tuple[str, ...], str] | None:
    if event.get("event_kind") == _START:
        at, teller, name = "part", "part_kind", "content"
    else:
        at, teller, name = "delta", "part_delta_kind", "content_delta"
    part = event.get(at)
    if isinstance(part, dict) and part.get(teller) == "text" and isinstance(part.get(name), str):
        return (at, name), part[name]
    return None


def _make_text(position: Any, text: str) -> Event:
    delta = {"content_delta": text, "part_delta_kind": "text"}
    return {"index": position, "delta": delta, "event_kind": _DELTA}


def _make_mark(position: Any, mark: Event) -> Sequence[Event]:
    return (
        {"index": position, "part": mark, "event_kind": _START},
        {"index": position, "part": mark, "event_kind": _END},
    )


_NAMES = BlockEvents(
    start=frozenset({_START}),
    delta=frozenset({_DELTA}),
    stop=frozenset({_END}),
    position="index",
    block="part",
    at="part_kind",
    text=_text,
    make_text=_make_text,
    make_mark=_make_mark,
    mark=_mark,
    kind="event_kind",
)


class Stream(BlockStream):
    """One stream of events, of as many responses as the run has."""

    drops_held = True

    def __init__(self, context: StreamContext) -> None:
        """Start before the first part."""
        super().__init__(_NAMES, context)

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """As for any numbered blocks; a part at position 0 opens a response, one that starts again replaces itself."""
        before: list[Event] = []
        position = event.get("index")
        if event.get("event_kind") == _START:
            before += self._reopened(position)
        outcome = super().event(event, edit)
        if outcome.edit is DROP:
            return Outcome(DROP, [*before, *outcome.before])
        return Outcome(_neighbours(event, outcome.edit), [*before, *outcome.before])

    def _reopened(self, position: Any) -> Sequence[Event]:
        if position == 0:
            held = self.close()
            self.restart()
            return held
        if self.positions.is_hidden(position):
            self.positions.show(position)
        rest = self.text.end(position)
        return [_make_text(self.positions.moved(position), rest)] if rest else ()


def _neighbours(event: Event, edit: Edit | None) -> Edit | None:
    """A part that was withheld is nobody's neighbour."""
    for name in _NEIGHBOURS:
        if event.get(name) == "thinking":
            edit = put(edit, (name,), None)
    return edit


DIALECT = Dialect(
    "pydantic-ai",
    kinds("pydantic-ai"),
    recognise=_recognise,
    hooks={"part_kind": (withhold_unknown,)},
    claims=_claims,
    partial=lambda event: event.get("event_kind") in (_START, _DELTA),
    stream=Stream,
    mark=_make_own,
)
