"""Bedrock Converse: blocks told by their only key, and a stream whose reasoning blocks have no start.

``reasoningContent`` holds readable text, its signature, or redacted bytes. In the stream a block of reasoning is a run
of deltas and a stop; the stop must go too, or a reader that appends on stop gets an empty block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._marks import Counted, Mark, member_mark
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.dialects._stream import (
    CALL,
    GONE,
    BlockEvents,
    BlockStream,
    Event,
    Outcome,
    StreamContext,
    hashable,
    put,
)
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


def _make_own(block: Mapping[str, Any], key: Any, counted: Counted) -> Mark | None:
    """A member that readers do not know: botocore refuses a block with more members than one."""
    is_union = _CARRIER in block or (key == "content" and len(block) == 1 and "type" not in block)
    return member_mark(counted) if is_union else None


def _no_text(_event: Event) -> None:
    return None


def _make_text(position: Any, text: str) -> Event:
    return {_DELTA: {_INDEX: position, "delta": {"text": text}}}


def _make_arguments(position: Any, text: str) -> Event:
    return {_DELTA: {_INDEX: position, "delta": {"toolUse": {"input": text}}}}


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
    mark=member_mark,
    make_arguments=_make_arguments,
)


class Stream(BlockStream):
    """One stream of Converse events: numbered blocks whose events are told by their only member.

    Amazon Nova gives every piece of a text a block of its own. So where a text block ends inside reasoning, or in what
    may become a tag, its stop waits for the next event: another text goes on where this one ended.
    """

    def __init__(self, context: StreamContext) -> None:
        """Start before ``messageStart``."""
        super().__init__(_NAMES, context)
        self._waiting: tuple[Any, Event] | None = None
        self._shows: set[Any] = set()
        self._emptied: set[Any] = set()

    def restart(self) -> None:
        """A new message begins on the same connection."""
        super().restart()
        self._shows.clear()
        self._emptied.clear()

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """Drop deltas and stops of withheld blocks, close the gap in ``contentBlockIndex``."""
        name = next((name for name in _EVENTS if isinstance(event.get(name), dict)), "")
        before = self._settled(event[name] if name and _is_text(event, name) else {}) if name else []
        if name == "messageStart":
            self.restart()
        if not name.startswith("contentBlock"):
            return Outcome(edit, [*before, *(self.close() if name == "messageStop" else ())])
        outcome = self._block_event(event, name, edit)
        return Outcome(outcome.edit, [*before, *outcome.before])

    def close(self) -> Sequence[Event]:
        """Text that was held back and the stop of its block, and the mark of a run that ended the stream."""
        return [*self._settled({}), *super().close()]

    def _block_event(self, event: Event, name: str, edit: Edit | None) -> Outcome:
        body = event[name]
        position = body.get(_INDEX)
        if self.positions.is_hidden(position):
            self._count(position, body)
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
        if name == _STOP and (self.text.is_unfinished(position) or position in self._emptied):
            self._waiting = (position, event)
            if self.text.is_unfinished(position):
                return GONE
            return Outcome(DROP, self._settled({}))
        before = [*self._mark_events(), *(self._rest(position) if name == _STOP else ())]
        moved = self.positions.moved(position)
        if moved != position:
            edit = put(edit, (name, _INDEX), moved)
        if _is_text(event, name):
            text = event[name]["delta"]["text"]
            shown = self.text.feed(position, text)
            if not shown and text:
                self._emptied |= {position} - self._shows
                return Outcome(DROP, before)
            self._shows.add(position)
            self._emptied.discard(position)
            if shown != text:
                edit = put(edit, (name, "delta", "text"), shown)
        elif name == _STOP:
            self._shows.discard(position)
        elif (text := _arguments(event, name)) is not None:
            shown = self.text.feed_arguments((CALL, hashable(position)), text)
            edit = edit if shown == text else put(edit, (name, "delta", "toolUse", "input"), shown)
        return Outcome(edit, before)

    def _settled(self, text: Event) -> list[Event]:
        """What waited for the next event, which brings ``text`` or has none of it: it goes on there, or is over."""
        if self._waiting is None:
            return []
        position, stop = self._waiting
        self._waiting = None
        self._emptied.discard(position)
        goes_on = bool(text) and self.text.carry(position, text.get(_INDEX), text["delta"]["text"])
        rest = [] if goes_on else self._rest(position)
        if not rest and position not in self._shows:
            self.positions.hide(position)
            return []
        self._shows.discard(position)
        moved = self.positions.moved(position)
        return [*rest, stop if moved == position else {_STOP: {**stop[_STOP], _INDEX: moved}}]

    def _rest(self, position: Any) -> list[Event]:
        return [*self._made(position), *self._made((CALL, hashable(position)))]


def _arguments(event: Event, name: str) -> str | None:
    """The piece of JSON in a delta of a call's input."""
    delta = event[name].get("delta")
    call = delta.get("toolUse") if name == _DELTA and isinstance(delta, dict) else None
    text = call.get("input") if isinstance(call, dict) else None
    return text if isinstance(text, str) else None


def _is_text(event: Event, name: str) -> bool:
    """Whether an event is a piece of text."""
    delta = event[name].get("delta")
    return name == _DELTA and isinstance(delta, dict) and isinstance(delta.get("text"), str)


DIALECT = Dialect(
    "bedrock-converse",
    kinds("bedrock-converse"),
    recognise=_recognise,
    hooks={_CARRIER: (drop_reasoning,), _DELTA: (drop_delta,)},
    signs={_DELTA: ()},
    claims=_claims,
    partial=_partial,
    stream=Stream,
    mark=_make_own,
)
