"""The body of one HTTP response, whatever server interface carries it: which wire it has, and what of it may go on.

The one place that says what happens to a content type: ``wire_of``.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import orjson

from reticent.errors import EgressRefused, MalformedInput, UnsupportedType

if TYPE_CHECKING:
    from reticent.integrations._guard import Guard
    from reticent.serializers import StreamSerializer

__all__ = ["STALE", "Body", "Headers", "open_body", "without_stale"]

Headers = list[tuple[str, str]]
"""Names and values; names in any case."""

PROBLEM: Final = "application/problem+json"
FAILED: Final = 500

_WIRES: Final = {
    "application/json": "json",
    "text/event-stream": "sse",
    "application/x-ndjson": "jsonl",
    "application/ndjson": "jsonl",
    "application/jsonl": "jsonl",
    "application/json-lines": "jsonl",
    "application/x-jsonlines": "jsonl",
    "application/vnd.amazon.eventstream": "aws-eventstream",
}
_V4: Final = "x-vercel-ai-data-stream"
"""Marks the prefixed lines of AI SDK 4, which travel as text/plain: https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol."""
_CARRIED: Final = ("image/", "audio/", "video/", "font/")
_CARRIED_TYPES: Final = frozenset(
    (
        "application/gzip",
        "application/javascript",
        "application/octet-stream",
        "application/pdf",
        "application/wasm",
        "application/zip",
        "text/css",
        "text/javascript",
    )
)
STALE: Final = frozenset(
    (
        "accept-ranges",
        "content-digest",
        "content-encoding",
        "content-length",
        "content-md5",
        "digest",
        "etag",
        "repr-digest",
    )
)
_ENCODINGS: Final = frozenset(("gzip", "x-gzip", "deflate"))
_NO_BODY: Final = frozenset((204, 205, 304))


def wire_of(headers: Headers) -> str | None:
    """The wire of a body with these headers; None for one that is carried unread.

    JSON (``application/json``, ``*+json``) is one message. ``text/event-stream``, JSON lines and AWS event streams are
    streams. HTML is read line by line, for the data that pages carry. Images, sound, video, fonts, scripts, style
    sheets, PDF and archives are carried. Everything else (plain text, a type nobody knows, none) is told from its first
    bytes.
    """
    told = {name.lower(): value for name, value in headers}
    media = told.get("content-type", "").partition(";")[0].strip().lower()
    if _V4 in told:
        return "ai-sdk-v4"
    if media in _WIRES or media.endswith("+json"):
        return _WIRES.get(media, "json")
    if media.startswith(_CARRIED) or media in _CARRIED_TYPES:
        return None
    return "log" if media == "text/html" else "auto"


def open_body(guard: Guard, headers: Headers, *, status: int = 200, method: str = "GET") -> Body | None:
    """The body that follows these headers; None when there will be none, or when it is carried unread."""
    wire = None if method == "HEAD" or status in _NO_BODY else wire_of(headers)
    if wire is None:
        return None
    told = {name.lower(): value for name, value in headers}
    return Body(guard, wire, encoding=told.get("content-encoding", ""))


def without_stale(headers: Iterable[tuple[str, str]]) -> Headers:
    """The headers without those that speak of bytes which may not be the same any more."""
    return [(name, value) for name, value in headers if name.lower() not in STALE]


class Body:
    """One response body on its way to a surface: bytes in, bytes out.

    Neither ``feed`` nor ``end`` raises. When the body cannot be judged, nothing more of it goes out, ``failed`` is the
    code of the error, and what came back last ends the stream in a form its reader understands.
    """

    def __init__(self, guard: Guard, wire: str, *, encoding: str = "") -> None:
        """Open the body.

        Raises:
            UnknownWire: there is no such framing.
        """
        self.wire = wire
        self.failed = ""
        self._guard = guard
        self._stream: StreamSerializer = guard.stream(wire=wire)
        self._encoding = encoding.strip().lower()
        self._decoder = zlib.decompressobj(zlib.MAX_WBITS | 32) if self._encoding in _ENCODINGS else None
        self._empty = True

    @property
    def whole(self) -> bool:
        """Whether nothing goes out before everything came in."""
        return self.wire == "json"

    def feed(self, chunk: bytes) -> bytes:
        """Take the next bytes; what may go on now, possibly nothing."""
        if self.failed or not chunk:
            return b""
        self._empty = False
        try:
            return self._stream.feed(self._decoded(chunk))
        except Exception as error:  # noqa: BLE001 - the boundary that fails closed
            return self._withheld(error)

    def end(self) -> bytes:
        """Say that the body is over; what is left of it."""
        if self.failed or self._empty:
            return b""
        try:
            return self._rest() + self._stream.flush()
        except Exception as error:  # noqa: BLE001 - the boundary that fails closed
            return self._withheld(error)

    def problem(self) -> bytes:
        """The body of an answer that says that another was withheld: https://www.rfc-editor.org/rfc/rfc9457."""
        return orjson.dumps({"title": "withheld", "status": FAILED, "code": self.failed})

    def _decoded(self, chunk: bytes) -> bytes:
        if self._decoder is not None:
            return self._decoder.decompress(chunk)
        if self._encoding not in ("", "identity"):
            raise UnsupportedType("a body is compressed in a way that cannot be read here")
        return chunk

    def _rest(self) -> bytes:
        if self._decoder is None or self._decoder.eof:
            return b""
        raise MalformedInput("a compressed body ends in the middle")

    def _withheld(self, error: Exception) -> bytes:
        placeholder = self._guard.withheld(error, None)
        self.failed = error.code if isinstance(error, EgressRefused) else "adapter-failure"
        return _closing(self.wire, placeholder)


def _closing(wire: str, placeholder: str) -> bytes:
    """What ends a stream of this wire early; nothing where no reader would understand it."""
    told = orjson.dumps({"type": "error", "error": {"type": "withheld", "message": placeholder}})
    closings = {
        "sse": b"event: error\ndata: " + told + b"\n\n",
        "jsonl": told + b"\n",
        "ai-sdk-v4": b"3:" + orjson.dumps(placeholder) + b"\n",
        "auto": placeholder.encode(),
        "log": placeholder.encode(),
        "text": placeholder.encode(),
    }
    return closings.get(wire, b"")
