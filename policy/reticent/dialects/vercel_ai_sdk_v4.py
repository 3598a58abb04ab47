"""Vercel AI SDK 4: a data stream of lines with a prefix each, and messages with parts.

A line reaches a session as ``{"ai-sdk-v4/0": what the line holds}``, where ``0`` is the prefix. Lines of reasoning are
data (``kinds.yaml``); text comes in lines of its own, one channel for the whole answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from reticent.dialects._dialect import Dialect
from reticent.dialects._rules import kinds
from reticent.dialects._text_stream import ALL, Channels, ChannelStream, Piece

if TYPE_CHECKING:
    from reticent.dialects._stream import Event, StreamContext

_LINE: Final = "ai-sdk-v4/"
_KINDS = kinds("vercel-ai-sdk-v4")
_TEXT: Final[str] = _KINDS.data["text"]
_ENDS: Final = frozenset(_KINDS.data["ends"])


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    parts = value.get("parts")
    return _claims(value) or (isinstance(parts, list) and any(_is_invocation(part) for part in parts))


def _is_invocation(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "tool-invocation"


def _claims(event: Event) -> bool:
    return len(event) == 1 and str(next(iter(event))).startswith(_LINE)


def _pieces(event: Event) -> Sequence[Piece]:
    text = event.get(_TEXT)
    return [Piece(_TEXT, (_TEXT,), text)] if isinstance(text, str) else ()


_CHANNELS = Channels(_pieces, lambda event: () if _ENDS.isdisjoint(event) else ALL, bare=lambda event: _TEXT in event)


class Stream(ChannelStream):
    """One data stream."""

    def __init__(self, context: StreamContext) -> None:
        """Start before the first line."""
        super().__init__(_CHANNELS, context)


DIALECT = Dialect(
    "vercel-ai-sdk-v4",
    _KINDS,
    recognise=_recognise,
    claims=_claims,
    partial=lambda event: _TEXT in event,
    stream=Stream,
)
