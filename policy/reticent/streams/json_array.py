r"""One JSON array that arrives in pieces: bytes into elements, whatever the chunking.

Gemini answers so when it is asked to stream without ``alt=sse``
(https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent, read 2026-11-29).

Only the outermost array is read: brackets are counted and strings skipped, no more. Whether an element is valid
JSON is for whoever parses it; what stands between elements is checked here, so that valid elements make a valid
array.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import ClassVar

from reticent.errors import MalformedInput
from reticent.streams import FRAME_LIMIT, Frame
from reticent.streams._cutter import Cutter

__all__ = ["ArrayElement", "Joiner", "JsonArrayFraming"]

# Each repeats one set of bytes, so that matching needs no memory, however long the run is.
_SPACE = re.compile(rb"[ \t\r\n]*")
_SCALAR = re.compile(rb'[^ \t\r\n,"{}\[\]]*')  # a number or a word, right or wrong
_TOKEN = re.compile(rb'"[^"]*"?|[{}\[\]]')
_ESCAPE = re.compile(rb"\\.", re.DOTALL)


class _At(Enum):
    """Where the reader stands, between two bytes of the array."""

    START = auto()  # before the opening bracket
    FIRST = auto()  # behind it: an element or the end
    ELEMENT = auto()  # behind a comma: an element
    SCALAR = auto()  # inside a number or a word
    NESTED = auto()  # inside an object or array
    STRING = auto()  # inside a string
    AFTER = auto()  # behind an element: a comma or the end
    END = auto()  # behind the closing bracket


_INSIDE = frozenset((_At.SCALAR, _At.NESTED, _At.STRING))
_ENTERED = {b"{": _At.NESTED, b"[": _At.NESTED, b'"': _At.STRING}
_DEEPER = {b"{": 1, b"[": 1, b"}": -1, b"]": -1}
_NO_ELEMENT = frozenset((b",", b"]", b"}"))


@dataclass(slots=True, repr=False)
class ArrayElement(Frame):
    """One element, with the comma and the white space before it; or a bracket with the white space before it.

    ``data`` is the text of the element and ends ``raw``; a separator has none. White space at the end of the
    stream is a separator too.
    """

    def with_data(self, data: bytes, *, event: str | None = None) -> bytes:
        """Return the element with the text ``data``; what stood before it is kept.

        Raises ValueError when ``event`` is given: elements have no names.
        """
        if event is not None:
            raise ValueError("the elements of an array have no event name")
        return _before(self) + data


def _before(frame: Frame) -> bytes:
    """Return what stands before the element: a comma, white space; all of a separator."""
    return frame.raw if frame.data is None else frame.raw[: len(frame.raw) - len(frame.data)]


class Joiner:
    """Decides which commas go out, so that leaving elements out, or putting some in, leaves a valid array.

    A comma travels with the element behind it. So only two cases call for a change: the first element that is sent
    loses its comma, when it was not the first one that came; a later one that has none, because it was made from
    the first, gets one. When nothing is left out or put in, everything is copied.
    """

    __slots__ = ("_sent",)

    def __init__(self) -> None:
        self._sent = False

    def join(self, frame: Frame, body: bytes) -> bytes:
        """Return what to send for ``frame``, given ``body`` as ``Framing.join`` describes it."""
        before = _before(frame)
        if not self._sent and b"," in before:
            body = body[before.index(b",") + 1 :]
        elif self._sent and body and frame.data is not None and b"," not in before:
            body = b"," + body
        self._sent = self._sent or (frame.data is not None and bool(body))
        return body


class JsonArrayFraming(Cutter):
    """Cuts the outermost array of one JSON document; anything else is refused."""

    __slots__ = ("_at", "_begin", "_depth", "_escaped", "_joiner", "_offset")

    name: ClassVar[str] = "json-array"
    frame: ClassVar[type[Frame]] = ArrayElement

    def __init__(self, *, limit: int = FRAME_LIMIT) -> None:
        super().__init__(limit=limit)
        self._joiner = Joiner()
        self._at = _At.START
        self._depth = 0  # open brackets of the element
        self._begin = 0  # where in the stream the element began
        self._offset = 0  # where in the stream the chunk begins, the byte order mark not counted
        self._escaped = False  # whether the chunk before ended in a backslash that escapes what comes

    def join(self, frame: Frame, body: bytes) -> bytes:
        """Return ``body`` with the comma that the elements sent so far call for."""
        return self._joiner.join(frame, body)

    def _cut(self, chunk: bytes, frames: list[Frame]) -> None:
        masked = self._mask(chunk)
        start = place = 0
        while place < len(chunk):
            inside = self._at in _INSIDE
            place, ended = self._step(masked, place)
            if ended:
                raw = self._take(chunk[start:place])
                frames.append(self._element(raw, self._offset + place) if inside else _separator(raw))
                start = place
        self._hold(chunk[start:])
        self._offset += len(chunk)

    def _finish(self, rest: bytes, frames: list[Frame]) -> None:
        if rest and self._at in _INSIDE:
            frames.append(self._element(rest, self._offset, complete=False))
        elif rest:
            frames.append(_separator(rest, complete=self._at is _At.END))

    def _element(self, raw: bytes, end: int, *, complete: bool = True) -> ArrayElement:
        """Return the element that ends ``raw``, which ends ``end`` bytes into the stream."""
        text = raw[self._begin - (end - len(raw)) :]
        return ArrayElement(raw, text, None, "data", complete=complete)

    def _mask(self, chunk: bytes) -> bytes:
        """Blank out every backslash and what it escapes, so that each quote that is left opens or ends a string."""
        if self._escaped:
            chunk = b"." + chunk[1:]
            self._escaped = False
        if chunk.find(b"\\") < 0:
            return chunk
        chunk = _ESCAPE.sub(b"..", chunk)
        self._escaped = chunk.endswith(b"\\")
        return chunk

    def _step(self, masked: bytes, place: int) -> tuple[int, bool]:
        """Read on from ``place``; return where reading stopped, and whether a frame ends there."""
        if self._at is _At.NESTED:
            return self._nested(masked, place)
        if self._at is _At.STRING:
            return self._string(masked, place)
        if self._at is _At.SCALAR:
            return self._scalar(masked, place)
        return self._between(masked, place)

    def _between(self, masked: bytes, place: int) -> tuple[int, bool]:
        """Read what may stand outside of elements."""
        place = _end(_SPACE, masked, place)
        if place == len(masked):
            return place, False
        match self._at, masked[place : place + 1]:
            case _At.START, b"[":
                self._at = _At.FIRST
                return place + 1, True
            case ((_At.FIRST | _At.AFTER), b"]"):
                self._at = _At.END
                return place + 1, True
            case _At.AFTER, b",":
                self._at = _At.ELEMENT
                return place + 1, False
            case ((_At.FIRST | _At.ELEMENT), byte) if byte not in _NO_ELEMENT:
                return self._enter(byte, place), False
            case _:
                raise MalformedInput(f"{self.name}: not a JSON array at offset {self._offset + place}")

    def _enter(self, byte: bytes, place: int) -> int:
        """Begin the element whose first byte stands at ``place``; return where to read on."""
        self._begin = self._offset + place
        self._depth = 0
        self._at = _ENTERED.get(byte, _At.SCALAR)
        return place + 1 if self._at is _At.STRING else place

    def _nested(self, masked: bytes, place: int) -> tuple[int, bool]:
        """Read brackets and whole strings up to the end of the element, or a string that the chunk does not end."""
        depth = self._depth
        for token in _TOKEN.finditer(masked, place):
            text = token.group()
            if text in _DEEPER:
                depth += _DEEPER[text]
                if not depth:
                    self._at = _At.AFTER
                    return token.end(), True
            elif len(text) == 1 or not text.endswith(b'"'):
                self._at = _At.STRING
        self._depth = depth
        return len(masked), False

    def _string(self, masked: bytes, place: int) -> tuple[int, bool]:
        """Read on to the closing quote, or to the end of the chunk."""
        quote = masked.find(b'"', place)
        if quote < 0:
            return len(masked), False
        self._at = _At.NESTED if self._depth else _At.AFTER
        return quote + 1, not self._depth

    def _scalar(self, masked: bytes, place: int) -> tuple[int, bool]:
        """Read on to what ends a number or a word."""
        place = _end(_SCALAR, masked, place)
        if place == len(masked):
            return place, False
        self._at = _At.AFTER
        return place, True


def _separator(raw: bytes, *, complete: bool = True) -> ArrayElement:
    return ArrayElement(raw, None, None, "separator", complete=complete)


def _end(run: re.Pattern[bytes], masked: bytes, place: int) -> int:
    """Return where the run of bytes that begins at ``place``, possibly empty, ends."""
    found = run.match(masked, place)
    return found.end() if found else place
