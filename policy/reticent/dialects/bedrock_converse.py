"""Bedrock Converse: blocks told by their only key, and a stream whose reasoning blocks have no start.

``reasoningContent`` holds readable text, its signature, or redacted bytes. In the stream a block of reasoning is a run
of deltas and a stop; the stop must go too, or a reader that appends on stop gets an empty block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.dialects._stream import GONE, BlockEvents, BlockStream, Event, Outcome, StreamContext, put
from reticent.edits import DROP, Children, Edit

_CARRIER = "reasoningContent"
_INDEX = "contentBlockIndex"
_START, _DELTA, _STOP = "contentBlockStart", "contentBlockDelta", "contentBlockStop"
_EVENTS = (_DELTA, _START, _STOP, "messageStart", "messageStop")
_RULE = "bedrock-converse/reasoningContent"


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    output = value.get("output")
    return _claims(value) or (isinstance(output, dict) and isinstance(output.get("message"), dict))


def _claims(event: Event) -> bool:
    return any(isinstance(event.get(name), dict) for name in _EVENTS)


def _partial(event: Event) -> bool:
    return _DELTA in event


def drop_reasoning(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """A block that is reasoning goes; on anything else the member goes."""
    value = node[_CARRIER]
    if position == Position.DATA or not isinstance(value, (dict, list, str)):
        return None
    if not walker.withholds("text"):
        return _drop_opaque(walker, node, edits)
    walker.withhold(_RULE, value)
    edits[_CARRIER] = DROP
    return DROP if len(node) == 1 else None


def _drop_opaque(walker: Walker, node: Mapping[str, Any], edits: Children) -> Edit | None:
    """On a surface that may show the text: the signature goes, and a block that is nothing else."""
    value = node[_CARRIER]
    if not isinstance(value, dict) or not walker.withholds("opaque"):
        return None
    inner: Children = {name: DROP for name in ("signature", "redactedContent") if value.get(name)}
    text = value.get("reasoningText")
    if isinstance(text, dict) and text.get("signature"):
        inner["reasoningText"] = {"signature": DROP}
    if not inner:
        return None
    walker.withhold(_RULE, {name: value[name] for name in inner})
    gone = all(inner.get(name) is DROP for name in value)
    edits[_CARRIER] = DROP if gone else inner
    return DROP if gone and len(node) == 1 else None


def drop_delta(_walker: Walker, node: Mapping[str, Any], edits: Children, _position: int) -> Edit | None:
    """The event around a delta of reasoning."""
    inner = edits.get(_DELTA)
    if isinstance(inner, dict) and inner.get("delta") is DROP:
        return DROP if len(node) == 1 else None
    return None


def _no_text(_event: Event) -> None:
    return None


def _make_text(position: Any, text: str) -> Event:
    return {_DELTA: {_INDEX: position, "delta": {"text": text}}}


def _make_mark(position: Any, mark: Event) -> Sequence[Event]:
    return ({_START: {_INDEX: position, "start": mark}}, {_STOP: {_INDEX: position}})


_NAMES = BlockEvents(
    start=frozenset({_START}),
    delta=frozenset({_DELTA}),
    stop=frozenset({_STOP}),
    position=_INDEX,
    block="start",
    at="content",
    text=_no_text,
    make_text=_make_text,
    make_mark=_make_mark,
)


class Stream(BlockStream):
    """One stream of Converse events: numbered blocks whose events are told by their only member."""

    def __init__(self, context: StreamContext) -> None:
        """Start before ``messageStart``."""
        super().__init__(_NAMES, context)

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """Drop deltas and stops of withheld blocks, close the gap in ``contentBlockIndex``."""
        name = next((name for name in _EVENTS if isinstance(event.get(name), dict)), "")
        if name == "messageStart":
            self.restart()
        if not name.startswith("contentBlock"):
            return Outcome(edit, self.close() if name == "messageStop" else ())
        body = event[name]
        position = body.get(_INDEX)
        if self.positions.is_hidden(position):
            self._count(body)
            return GONE
        if edit is DROP or self._holds_unknown(name, body):
            self._withhold(position, body.get("start" if name == _START else "delta"), unknown=edit is not DROP)
            return GONE
        return self._kept(event, name, edit)

    def _holds_unknown(self, name: str, body: Event) -> bool:
        content = body.get("start" if name == _START else "delta")
        return name != _STOP and isinstance(content, dict) and self.context.is_unknown("content", content)

    def _kept(self, event: Event, name: str, edit: Edit | None) -> Outcome:
        position = event[name].get(_INDEX)
        before = [*self._mark_events(), *(self._rest(position) if name == _STOP else ())]
        moved = self.positions.moved(position)
        if moved != position:
            edit = put(edit, (name, _INDEX), moved)
        delta = event[name].get("delta")
        if name == _DELTA and isinstance(delta, dict) and isinstance(delta.get("text"), str):
            shown = self.text.feed(position, delta["text"])
            if not shown and delta["text"]:
                return Outcome(DROP, before)
            if shown != delta["text"]:
                edit = put(edit, (name, "delta", "text"), shown)
        return Outcome(edit, before)

    def _rest(self, position: Any) -> list[Event]:
        rest = self.text.end(position)
        return [_make_text(self.positions.moved(position), rest)] if rest else []


DIALECT = Dialect(
    "bedrock-converse",
    kinds("bedrock-converse"),
    recognise=_recognise,
    hooks={_CARRIER: (drop_reasoning,), _DELTA: (drop_delta,)},
    signs={_DELTA: ()},
    claims=_claims,
    partial=_partial,
    stream=Stream,
)
