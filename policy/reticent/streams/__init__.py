"""How a stream is cut into frames and put together again, whatever the chunking.

A *framing* (``sse``, ``jsonlines``, ``aws_eventstream``, ``json_array``) takes bytes as they arrive and gives
frames; ``detect`` says which framing a stream has. A *stream filter* takes bytes and gives bytes; ``chain`` puts
several behind one another. Nothing here does I/O, and nothing here knows a vendor: what a payload means is for
the dialects.

Four laws hold for every framing, and ``tests/properties/test_framing.py`` states them:

* the frames are the same however the bytes were cut into chunks;
* ``frame.raw`` of all frames, joined, is the input, byte for byte, up to the place where input was refused;
* what is kept between two calls is shorter than one frame and never longer than the limit;
* each byte is looked at a bounded number of times, so that time is linear in the length of the stream.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, TypeAlias

__all__ = ["FRAME_LIMIT", "Frame", "FrameKind", "Framing", "StreamFilter", "chain"]

FRAME_LIMIT = 32 * 1024 * 1024
"""Bytes that one frame may have unless the caller says otherwise: the largest AWS message there is (24 MiB of
payload, 128 KiB of headers) and a final event that carries a few images both fit."""

FrameKind: TypeAlias = Literal["data", "comment", "other", "separator"]
"""``data`` has a payload; ``comment`` is an SSE block of comments only; ``other`` has fields but no payload;
``separator`` is what stands between payloads: blank lines, a byte order mark, the brackets of an array."""


@dataclass(slots=True, repr=False)
class Frame(ABC):
    """One piece of a stream: its exact bytes, and the payload inside them.

    ``raw`` holds the bytes as they came, terminators included. ``data`` is the payload to look at, None when there
    is none; a frame whose bytes a lenient reader could take for a payload always has one, so that a consumer that
    inspects ``data`` and copies frames without it lets nothing slip by. ``event`` is the name that stands beside
    the payload, if the framing has names. ``complete`` is False for the last piece of a stream that ended before
    the frame did; whether that is fit to go on is for the consumer to say.

    Not frozen, because making a frozen instance costs three times as much and there is one for each token.
    """

    raw: bytes
    data: bytes | None
    event: str | None
    kind: FrameKind
    complete: bool = True

    @abstractmethod
    def with_data(self, data: bytes, *, event: str | None = None) -> bytes:
        """Return the frame's bytes with another payload, and another event name if ``event`` is given.

        All else is kept as it came: names, ids, comments, line endings, spacing, headers. Given the payload that
        the frame has, this is ``raw``, except where a subclass says what it leaves out. Checksums and lengths are
        computed anew.
        """

    def without_data(self) -> bytes:
        """Return what remains for the reader when the payload is withheld: mostly nothing, all where there is none."""
        return self.raw if self.data is None else b""

    def __repr__(self) -> str:
        """Kind and length; never bytes of the stream."""
        state = "" if self.complete else " incomplete"
        return f"<{type(self).__name__} {self.kind} of {len(self.raw)} bytes{state}>"


class Framing(Protocol):
    """Cuts one stream into frames. One object serves one stream."""

    name: ClassVar[str]
    """The wire's name, as ``detect`` gives it."""
    held: int
    """Bytes kept back now, because the frame they belong to has not ended."""

    def feed(self, chunk: bytes) -> list[Frame]:
        """Take the next bytes; return the frames that are now whole, in order.

        Raises MalformedInput or InputTooLarge. When whole frames precede the fault in the same chunk, they are
        returned and the next call raises, so that what comes out does not depend on the chunking. A framing that
        has refused its input goes on refusing.
        """
        ...

    def flush(self) -> list[Frame]:
        """Say that the stream has ended; return what was held, as a frame with ``complete`` False.

        Raises the refusal of an earlier ``feed`` again.
        """
        ...

    def join(self, frame: Frame, body: bytes) -> bytes:
        """Return what to send for ``frame`` when the consumer wants ``body`` in its place.

        ``body`` is ``frame.raw``, a result of ``with_data`` or ``without_data``, or empty. To be called for every
        frame in order, and for a frame that is made up from another with ``with_data``: a JSON array decides here
        which commas go out. Elsewhere the answer is ``body``.
        """
        ...


class StreamFilter(Protocol):
    """Bytes in, bytes out, in pieces of any size."""

    def feed(self, chunk: bytes) -> bytes:
        """Take the next bytes; return what may go on now, possibly nothing."""
        ...

    def flush(self) -> bytes:
        """Say that the stream has ended; return the rest."""
        ...


class _Chain:
    """Several filters as one; each takes what the one before it let through."""

    __slots__ = ("_filters",)

    def __init__(self, filters: tuple[StreamFilter, ...]) -> None:
        self._filters = filters

    def feed(self, chunk: bytes) -> bytes:
        for stage in self._filters:
            chunk = stage.feed(chunk)
        return chunk

    def flush(self) -> bytes:
        rest = b""
        for stage in self._filters:
            rest = stage.feed(rest) + stage.flush()
        return rest


def chain(*filters: StreamFilter) -> StreamFilter:
    """Return one filter that runs ``filters`` in order; with none, bytes go through as they are."""
    return filters[0] if len(filters) == 1 else _Chain(filters)
