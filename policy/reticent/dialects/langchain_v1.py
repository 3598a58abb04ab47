"""LangChain standard blocks and the event protocol of LangGraph.

Blocks of reasoning, and the wrapper that carries a foreign block, are data (``kinds.yaml``). What is code is the event
protocol: numbered blocks whose start may hold text already and whose finish repeats the whole block.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reticent.dialects._dialect import Dialect
from reticent.dialects._rules import kinds
from reticent.dialects._stream import BlockEvents, BlockStream, Event, Outcome, StreamContext

if TYPE_CHECKING:
    from reticent.edits import Edit

_START, _DELTA, _FINISH = "content-block-start", "content-block-delta", "content-block-finish"
_EVENTS = frozenset({"message-start", _START, _DELTA, _FINISH, "message-finish"})


def _recognise(value: Any) -> bool:
    return isinstance(value, dict) and (_claims(value) or isinstance(value.get("content_blocks"), list))


def _claims(event: Event) -> bool:
    kind = event.get("event")
    return isinstance(kind, str) and kind in _EVENTS


def _text(event: Event) -> tuple[tuple[str, ...], str] | None:
    at, kind = ("content", "text") if event.get("event") == _START else ("delta", "text-delta")
    block = event.get(at)
    if isinstance(block, dict) and block.get("type") == kind and isinstance(block.get("text"), str):
        return (at, "text"), block["text"]
    return None


def _make_text(position: Any, text: str) -> Event:
    return {"event": _DELTA, "index": position, "delta": {"type": "text-delta", "text": text}}


def _make_mark(position: Any, mark: Event) -> Sequence[Event]:
    return (
        {"event": _START, "index": position, "content": mark},
        {"event": _FINISH, "index": position, "content": mark},
    )


_NAMES = BlockEvents(
    start=frozenset({_START}),
    delta=frozenset({_DELTA}),
    stop=frozenset({_FINISH}),
    position="index",
    block="content",
    at="content",
    text=_text,
    make_text=_make_text,
    make_mark=_make_mark,
    kind="event",
)


class Stream(BlockStream):
    """One stream of message events."""

    drops_held = True

    def __init__(self, context: StreamContext) -> None:
        """Start before ``message-start``."""
        super().__init__(_NAMES, context)

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """As for any numbered blocks; a message ends with its own event."""
        kind = event.get("event")
        if kind == "message-finish":
            return Outcome(edit, self.close())
        if kind == "message-start":
            before = self.close()
            self.restart()
            return Outcome(edit, before)
        return super().event(event, edit)


DIALECT = Dialect(
    "langchain-v1",
    kinds("langchain-v1"),
    recognise=_recognise,
    claims=_claims,
    partial=lambda event: event.get("event") in (_START, _DELTA),
    stream=Stream,
)
