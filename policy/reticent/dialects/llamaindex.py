"""LlamaIndex: messages of blocks told by ``block_type``, and the events of agent workflows.

Thinking blocks, the thinking of a streamed answer and the steps of a reason-and-act loop are data (``kinds.yaml``).
What is code: an agent's stream event holds a piece of the answer and, beside it, the whole answer so far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._marks import Counted, Mark, block_label, block_length
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.dialects._stream import Event, Outcome, StreamContext, put
from reticent.dialects._text_stream import Channels, ChannelStream, Piece
from reticent.edits import DROP, Children, Cut, Edit, Put
from reticent.streams.tags import may_hold_reasoning, reasoning_spans

_STREAM = frozenset({"delta", "response", "current_agent_name"})


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return _claims(value) or ("role" in value and isinstance(value.get("blocks"), list))


def _body(event: Event) -> tuple[tuple[str, ...], Event] | None:
    """The stream event in ``event``, which a server wraps with its class name, and the keys that lead to it."""
    if event.keys() >= _STREAM:
        return (), event
    body = event.get("value")
    return (("value",), body) if isinstance(body, dict) and body.keys() >= _STREAM else None


def _claims(event: Event) -> bool:
    return _body(event) is not None


def withhold_unknown(walker: Walker, node: Mapping[str, Any], _edits: Children, position: int) -> Edit | None:
    """A block of a type that nobody listed."""
    kind = node.get("block_type")
    if position in (Position.DATA, Position.USER) or not isinstance(kind, str):
        return None
    if not walker.is_unknown("block_type", node):
        return None
    return Put(_mark(Counted(block_label(node), 1, block_length(node))))


def _mark(counted: Counted) -> Mark:
    """A block of empty text: one of a type that LlamaIndex does not know is refused."""
    return {"block_type": "text", "text": "", "withheld": counted.told}


def _make_own(block: Mapping[str, Any], _key: Any, counted: Counted) -> Mark | None:
    return _mark(counted) if isinstance(block.get("block_type"), str) else None


def _pieces(event: Event) -> Sequence[Piece]:
    found = _body(event)
    if found is None or not isinstance(found[1].get("delta"), str):
        return ()
    at, body = found
    return [Piece(body.get("current_agent_name"), (*at, "delta"), body["delta"])]


_CHANNELS = Channels(_pieces, lambda _event: ())


class Stream(ChannelStream):
    """One stream of workflow events."""

    def __init__(self, context: StreamContext) -> None:
        """Start before the first event."""
        super().__init__(_CHANNELS, context)
        self._context = context

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """The piece as on any channel of text; the answer so far as the whole text it is."""
        found = _body(event)
        if found is not None and edit is not DROP and isinstance(found[1].get("response"), str):
            edit = self._so_far((*found[0], "response"), found[1]["response"], edit)
        return super().event(event, edit)

    def _so_far(self, path: Sequence[str], text: str, edit: Edit | None) -> Edit | None:
        inside = self._context.starts_inside
        spans = reasoning_spans(text, starts_inside=inside) if inside or may_hold_reasoning(text) else ()
        if not spans:
            return edit
        return put(edit, path, Cut(tuple((span.start, span.end, "") for span in spans)).apply(text))


DIALECT = Dialect(
    "llamaindex",
    kinds("llamaindex"),
    recognise=_recognise,
    hooks={"block_type": (withhold_unknown,)},
    claims=_claims,
    partial=_claims,
    stream=Stream,
    mark=_make_own,
)
