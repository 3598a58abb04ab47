"""Bedrock Agents: traces beside the answer, and the answer in chunks of plain text.

A trace repeats the model's thoughts as ``rationale``, as ``reasoningContent``, inside ``rawResponse.content`` and in
the prompt of the next call. What tools were asked and what they answered stays. The answer comes as base64 of text, so
that an inline tag can be split over two chunks: they are one channel of text.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.dialects._stream import GONE, Event, Outcome, StreamContext, TextChannels, put
from reticent.edits import DROP, Children, Edit

_RAW = "rawResponse"


def _recognise(value: Any) -> bool:
    trace = value.get("trace") if isinstance(value, dict) else None
    return isinstance(trace, dict) and any(str(name).endswith("Trace") or name == "trace" for name in trace)


def _claims(event: Event) -> bool:
    chunk = event.get("chunk")
    return isinstance(chunk, dict) and _text(chunk) is not None


def strip_raw_response(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """The model's whole answer as a string: a native body, or text with inline tags."""
    raw = node[_RAW]
    content = raw.get("content") if isinstance(raw, dict) else None
    if position == Position.DATA or not isinstance(content, str):
        return None
    place = Position.OPEN if content.lstrip()[:1] in ("{", "[") else Position.ASSISTANT
    edit = walker.value(content, place, "content", 0)
    if edit is not None:
        edits[_RAW] = DROP if edit is DROP else {"content": edit}
    return None


class Stream:
    """The answer of one agent, in chunks of text."""

    def __init__(self, context: StreamContext) -> None:
        """Start before the first chunk."""
        self._channels = TextChannels(context)

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """Filter the text of the chunks for inline tags."""
        chunk = event["chunk"]
        text = _text(chunk) or ""
        shown = self._channels.feed("answer", text)
        if shown == text:
            return Outcome(edit)
        if not shown and len(chunk) == 1:
            return GONE
        return Outcome(put(edit, ("chunk", "bytes"), _coded(shown)))

    def close(self) -> Sequence[Event]:
        """Text that was held back when the stream ended."""
        rest = self._channels.end("answer")
        return [{"chunk": {"bytes": _coded(rest)}}] if rest else []


def _text(chunk: Mapping[str, Any]) -> str | None:
    """The text of a chunk; None when it is none (a native event of a model is JSON)."""
    try:
        text = base64.b64decode(chunk.get("bytes", 0), validate=True).decode("utf-8", "surrogateescape")
    except (binascii.Error, TypeError, ValueError):
        return None
    return None if text.lstrip()[:1] == "{" else text


def _coded(text: str) -> str:
    return base64.b64encode(text.encode("utf-8", "surrogateescape")).decode()


DIALECT = Dialect(
    "bedrock-agents",
    kinds("bedrock-agents"),
    recognise=_recognise,
    hooks={_RAW: (strip_raw_response,)},
    claims=_claims,
    partial=_claims,
    stream=Stream,
)
