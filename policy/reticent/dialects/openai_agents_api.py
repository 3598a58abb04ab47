"""OpenAI's Agents API: a session's turns as events, and ciphertext that agents send one another.

Events are numbered blocks, as in Responses but without sequence numbers; what they carry is data (``kinds.yaml``).
``obfuscation`` is padding of random length and stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reticent.dialects._dialect import Dialect
from reticent.dialects._rules import kinds
from reticent.dialects._stream import GONE, BlockEvents, BlockStream, Event, Outcome, StreamContext
from reticent.edits import DROP, Edit

_PREFIX = "agent.session."
_TEXT = "agent.session.turn.output_text.delta"
_DONE = "agent.session.turn.output_text.done"


def _claims(event: Event) -> bool:
    kind = event.get("type")
    return isinstance(kind, str) and kind.startswith(_PREFIX)


def _partial(event: Event) -> bool:
    return str(event.get("type")).endswith(".delta")


def _text(event: Event) -> tuple[tuple[str, ...], str] | None:
    return (("delta",), event["delta"]) if event.get("type") == _TEXT and isinstance(event.get("delta"), str) else None


def _make_text(position: Any, text: str) -> Event:
    return {"type": _TEXT, "output_index": position, "content_index": 0, "delta": text}


def _make_mark(position: Any, mark: Event) -> Sequence[Event]:
    return tuple(
        {"type": f"agent.session.turn.item.{name}", "output_index": position, "item": mark}
        for name in ("added", "done")
    )


_NAMES = BlockEvents(
    start=frozenset({"agent.session.turn.item.added"}),
    delta=frozenset(),
    stop=frozenset({"agent.session.turn.item.done"}),
    position="output_index",
    block="item",
    at="output",
    text=_text,
    make_text=_make_text,
    make_mark=_make_mark,
)


class Stream(BlockStream):
    """One session's events; positions start anew with each turn."""

    def __init__(self, context: StreamContext) -> None:
        """Start before the first turn."""
        super().__init__(_NAMES, context)

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """As for any numbered blocks; everything between start and stop follows its item."""
        kind = event.get("type")
        if kind == "agent.session.turn.created":
            self.restart()
        if kind in self.names.start or kind in self.names.stop:
            return super().event(event, edit)
        if kind in ("agent.session.turn.completed", "agent.session.turn.failed", "agent.session.turn.cancelled"):
            return Outcome(edit, self.close())
        position = event.get("output_index")
        if edit is DROP or self.positions.is_hidden(position):
            return GONE
        edits = self._renumbered(event, edit)
        found = _text(event)
        if kind == _DONE:
            rest = self.text.end(position)
            return Outcome(edits, [_make_text(self.positions.moved(position), rest)] if rest else ())
        if found is None:
            return Outcome(edits)
        shown = self._shown(event, position, edits)
        return GONE if self._is_held(event, shown) else Outcome(shown)


DIALECT = Dialect(
    "openai-agents-api",
    kinds("openai-agents-api"),
    recognise=lambda value: isinstance(value, dict) and _claims(value),
    claims=_claims,
    partial=_partial,
    stream=Stream,
)
