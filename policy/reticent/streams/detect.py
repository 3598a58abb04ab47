"""Which framing a stream has, told from its first bytes; for callers that know nothing better.

A declared wire is safer and faster: say ``sse`` where the content type says so. Where the bytes leave two readings
open, the answer is the one under which nothing is copied unread: bytes that turn out not to be what was said are
then refused by the framing or the parser behind it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from reticent.errors import UnknownWire
from reticent.streams import FRAME_LIMIT
from reticent.streams.aws_eventstream import AwsEventStreamFraming
from reticent.streams.json_array import JsonArrayFraming
from reticent.streams.jsonlines import JsonLinesFraming
from reticent.streams.sse import SseFraming

if TYPE_CHECKING:
    from reticent.streams import Framing
    from reticent.streams._cutter import Cutter

__all__ = ["SNIFF_LIMIT", "Wire", "detect", "open_framing"]

Wire: TypeAlias = Literal["sse", "jsonl", "ai-sdk-v4", "json-array", "json", "aws-eventstream", "text"]
"""``json`` is one document, which is read whole; ``text`` is everything that is none of the others."""

SNIFF_LIMIT = 16 * 1024
"""Bytes after which ``detect`` always answers."""

_FRAMINGS: dict[str, type[Cutter]] = {
    "sse": SseFraming,
    "jsonl": JsonLinesFraming,
    "ai-sdk-v4": JsonLinesFraming,
    "json-array": JsonArrayFraming,
    "aws-eventstream": AwsEventStreamFraming,
}
_BOM = b"\xef\xbb\xbf"
_LARGEST_AWS_LENGTH = 0x01  # first of the four bytes of a length: no message reaches 32 MiB
_PREFIXED = re.compile(rb"[0-9a-z](?::(?:[\"{\[]|\Z)|\Z)")
_OBJECT = re.compile(rb'\{[ \t\r\n]*(?:(["}])|\Z)')
_ARRAY = re.compile(rb'\[[ \t\r\n\[]*(?:["\-0-9tfn\]]|\Z)')
_ARRAY_OF_OBJECTS = re.compile(rb"\[[ \t\r\n\[]*\{")
_SSE_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
_FLOWISE_FIELD = b"message:"
"""A line that Flowise puts in front of each event, and that means nothing to a parser:
https://github.com/FlowiseAI/Flowise, packages/server/src/utils/SSEStreamer.ts (read 2026-11-30)."""


def open_framing(wire: str, *, limit: int = FRAME_LIMIT) -> Framing:
    """Return a new framing for one stream of that wire; ``limit`` is the number of bytes a frame may have.

    Raises UnknownWire for a name that has no framing; ``json`` and ``text`` have none, since they are not cut.
    """
    if wire not in _FRAMINGS:
        raise UnknownWire(wire, _FRAMINGS)
    return _FRAMINGS[wire](limit=limit)


def detect(first: bytes, *, final: bool = False) -> Wire | None:
    """Return the wire of a stream that begins with ``first``, None when it takes more bytes to tell.

    ``final`` says that no more bytes come. With it, or from ``SNIFF_LIMIT`` bytes on, there is always an answer.

    A line of AI SDK 4, an array of objects and a first ``data`` line are told at once. Other fields of SSE and
    comments only count when a ``data`` line follows them, because prose may begin like that and comments are copied.
    """
    if first and first[0] <= _LARGEST_AWS_LENGTH:
        return "aws-eventstream"
    reach = _Reach(final=final, full=len(first) >= SNIFF_LIMIT)
    if _BOM.startswith(first) and not final:
        return None
    body = first.removeprefix(_BOM).lstrip(b" \t\r\n\x1e")
    wire = _detect(body, reach) if body else None
    return wire or ("text" if reach.final or reach.full else None)


@dataclass(frozen=True, slots=True)
class _Reach:
    """Whether the bytes at hand are all there will be, or as many as we wait for."""

    final: bool
    full: bool

    def pick(self, *, final: Wire, full: Wire) -> Wire | None:
        """Return the answer that fits, None while waiting is possible."""
        return final if self.final else full if self.full else None


def _detect(body: bytes, reach: _Reach) -> Wire | None:
    if _PREFIXED.match(body):
        return _prefixed_line(body, reach)
    if body[:1] == b"{":
        return _object(body, reach)
    if body[:1] in {b"[", b'"'}:
        return _array_or_string(body, reach)
    return _events(body, reach)


def _prefixed_line(body: bytes, reach: _Reach) -> Wire | None:
    """Tell a line of AI SDK 4 from prose; one whose JSON never ends is not let through as text."""
    payload = body[2:]
    if not payload:
        return None
    end = _end_of_value(payload)
    if end is None:
        return "text" if b"\n" in payload else reach.pick(final="ai-sdk-v4", full="ai-sdk-v4")
    if not _is_json(payload[:end]):
        return "text"
    rest = payload[end:].lstrip(b" \t\r")
    if rest:
        return "ai-sdk-v4" if rest.startswith(b"\n") else "text"
    return reach.pick(final="ai-sdk-v4", full="ai-sdk-v4")


def _object(body: bytes, reach: _Reach) -> Wire | None:
    """Tell one document from lines of them; a document on one line may be read as either."""
    opening = _OBJECT.match(body)
    if opening is None:
        return "text"
    end = _end_of_value(body)
    if opening.group(1) and b"\n" in body[:end]:
        return "json"
    if end is not None and body[end:].lstrip(b" \t\r"):
        return "jsonl"
    return reach.pick(final="json", full="jsonl")


def _array_or_string(body: bytes, reach: _Reach) -> Wire | None:
    """Tell JSON from prose that begins with a quotation, a footnote mark or a log level."""
    is_array = body[:1] == b"["
    if is_array and _ARRAY_OF_OBJECTS.match(body):
        return "json-array"
    if is_array and not _ARRAY.match(body):
        return "text"
    end = _end_of_value(body)
    if end is None:
        if not is_array and b"\n" in body:
            return "text"
        return reach.pick(final="json" if b"{" in body else "text", full="json-array" if is_array else "jsonl")
    return _after_value(body, end, reach) if _is_json(body[:end]) else "text"


def _after_value(body: bytes, end: int, reach: _Reach) -> Wire | None:
    """Decide by what follows an array or a string: nothing, another line of JSON, or prose."""
    rest = body[end:].lstrip(b" \t\r")
    following = rest.strip()
    if not following:
        return reach.pick(final="json", full="jsonl")
    if rest.startswith(b"\n") and following[:1] in {b"{", b"[", b'"'}:
        return "jsonl"
    if b"{" in body[:end] and body[:1] == b"[":
        return "json-array"
    return "jsonl" if b'{\\"' in body[:end] else "text"


def _events(body: bytes, reach: _Reach) -> Wire | None:
    """Tell SSE from text: a ``data`` line before anything that is no field."""
    for line in body.splitlines(keepends=True):
        if line.startswith(b"data:"):
            return "sse"
        names = (*_SSE_FIELDS, _FLOWISE_FIELD)
        unfinished = not line.endswith((b"\n", b"\r")) and any(field.startswith(line) for field in names)
        is_field = line.startswith(_SSE_FIELDS) or line.strip() in {b"", _FLOWISE_FIELD}
        if not is_field and not unfinished:
            return "text"
    return "sse" if reach.full and not reach.final else None


def _end_of_value(body: bytes) -> int | None:
    """Return where the JSON value that ``body`` begins with ends, None when it goes on."""
    frames = JsonArrayFraming().feed(b"[" + body)
    return next((len(frame.data) for frame in frames if frame.data is not None), None)


def _is_json(text: bytes) -> bool:
    """Whether a value of at most SNIFF_LIMIT bytes parses; one that nests too deep for that may well be JSON."""
    try:
        json.loads(text)
    except ValueError:
        return False
    except RecursionError:
        return True
    return True
