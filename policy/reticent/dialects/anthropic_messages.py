"""Anthropic Messages, and every host that serves the same body.

Whole blocks are data (``kinds.yaml``). What is code here is the stream: blocks have positions that an accumulator
uses to index a list, so that later blocks must move up when one is withheld (run against anthropic 2.14). The helper
events of the Python SDK repeat the text, the whole block and the whole message; they are read as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reticent.dialects._dialect import Dialect
from reticent.dialects._rules import kinds
from reticent.dialects._stream import (
    GONE,
    BlockEvents,
    BlockStream,
    Event,
    Outcome,
    StreamContext,
    TextChannels,
    put,
)
from reticent.edits import DROP, Edit
from reticent.streams.tags import TextFilter

_START, _DELTA = "content_block_start", "content_block_delta"
_EVENTS = frozenset({"message_start", _START, _DELTA, "content_block_stop", "message_delta", "message_stop"})
_TYPED = frozenset({"thinking", "redacted_thinking", "tool_use", "tool_result"})


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if _is_message(value) or _claims(value) or _is_request(value):
        return True
    result = value.get("result")
    return "custom_id" in value and isinstance(result, dict) and _is_message(result.get("message"))


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("type") != "message" or value.get("role") != "assistant":
        return False
    return isinstance(value.get("content"), list) and not {"choices", "status"} & value.keys()


def _is_request(value: Event) -> bool:
    messages = value.get("messages")
    if not isinstance(messages, list):
        return False
    blocks = (message.get("content") for message in messages if isinstance(message, dict))
    return "anthropic_version" in value or any(
        isinstance(block, dict) and isinstance(block.get("type"), str) and block["type"] in _TYPED
        for content in blocks
        if isinstance(content, list)
        for block in content
    )


def _claims(event: Event) -> bool:
    kind = event.get("type")
    return isinstance(kind, str) and (kind in _EVENTS or _is_helper_text(event))


def _is_helper_text(event: Event) -> bool:
    """Whether ``event`` is the SDK's ``TextEvent``: the next piece of text, and all of it so far."""
    return event.get("type") == "text" and isinstance(event.get("snapshot"), str) and isinstance(event.get("text"), str)


def _partial(event: Event) -> bool:
    return event.get("type") in (_START, _DELTA, "text")


def _text(event: Event) -> tuple[tuple[str, ...], str] | None:
    """The text of a delta, or that with which a block opens."""
    name = "content_block" if event.get("type") == _START else "delta"
    body = event.get(name)
    if isinstance(body, dict) and body.get("type") in ("text", "text_delta") and isinstance(body.get("text"), str):
        return (name, "text"), body["text"]
    return None


def _make_text(position: Any, text: str) -> Event:
    return {"type": _DELTA, "index": position, "delta": {"type": "text_delta", "text": text}}


def _arguments(event: Event) -> tuple[tuple[str, ...], str] | None:
    """The piece of JSON in a delta of a call's input."""
    delta = event.get("delta")
    if not isinstance(delta, dict) or not isinstance(delta.get("partial_json"), str):
        return None
    return ("delta", "partial_json"), delta["partial_json"]


def _make_arguments(position: Any, text: str) -> Event:
    return {"type": _DELTA, "index": position, "delta": {"type": "input_json_delta", "partial_json": text}}


def _make_mark(position: Any, mark: Event) -> Sequence[Event]:
    return (
        {"type": _START, "index": position, "content_block": mark},
        {"type": "content_block_stop", "index": position},
    )


_NAMES = BlockEvents(
    start=frozenset({_START}),
    delta=frozenset({_DELTA}),
    stop=frozenset({"content_block_stop"}),
    position="index",
    block="content_block",
    at="content",
    text=_text,
    make_text=_make_text,
    make_mark=_make_mark,
    arguments=_arguments,
    make_arguments=_make_arguments,
)


class Stream(BlockStream):
    """One stream of Messages events."""

    always_typed = True
    drops_held = True

    def __init__(self, context: StreamContext) -> None:
        """Start before ``message_start``."""
        super().__init__(_NAMES, context)
        self._helper = _HelperText(context)

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """As for any numbered blocks; a run of withheld blocks can also end with the message."""
        kind = event.get("type")
        if kind == "text":
            return self._helper.event(event, edit)
        if kind == "message_start":
            self.restart()
        if kind in ("message_delta", "message_stop"):
            return Outcome(edit, self.close())
        outcome = self._block(event, edit)
        if kind == "content_block_stop" and outcome.edit is not DROP:
            return Outcome(outcome.edit, [*outcome.before, *self._helper.close()])
        return outcome

    def close(self) -> Sequence[Event]:
        """Text that was held back, of events and of helper events, and the mark of a run that ended the stream."""
        return [*super().close(), *self._helper.close()]

    def _block(self, event: Event, edit: Edit | None) -> Outcome:
        if event.get("type") == _DELTA and edit is not DROP and self._is_unknown_delta(event):
            return GONE
        return super().event(event, edit)

    def _is_unknown_delta(self, event: Event) -> bool:
        delta = event.get("delta")
        hidden = self.positions.is_hidden(event.get("index"))
        return not hidden and isinstance(delta, dict) and self._is_unknown(_DELTA, delta)


class _HelperText:
    """The SDK's own text events; their snapshot is filtered anew each time, as it comes whole each time."""

    def __init__(self, context: StreamContext) -> None:
        self._pieces = TextChannels(context)
        self._context = context
        self._snapshot = ""

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        self._snapshot = event["snapshot"]
        shown = {"text": self._pieces.feed("text", event["text"]), "snapshot": self._shown_so_far()}
        for name, text in shown.items():
            if text != event[name]:
                edit = put(edit, (name,), text)
        return Outcome(edit)

    def close(self) -> list[Event]:
        rest = self._pieces.end("text")
        if not rest:
            return []
        return [{"type": "text", "text": rest, "snapshot": self._shown_so_far() + rest}]

    def _shown_so_far(self) -> str:
        return TextFilter(starts_inside=self._context.starts_inside).feed(self._snapshot)


DIALECT = Dialect(
    "anthropic-messages",
    kinds("anthropic-messages"),
    recognise=_recognise,
    lone=frozenset({"thinking", "redacted_thinking"}),
    claims=_claims,
    partial=_partial,
    stream=Stream,
)
