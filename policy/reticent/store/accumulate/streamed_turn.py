"""A stage in a stream: events go on as they come, the whole grows beside them, the end waits until it is held."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import orjson

from reticent.errors import InputTooLarge, MalformedInput
from reticent.store.accumulate.accumulator import open_accumulator
from reticent.streams.detect import open_framing

if TYPE_CHECKING:
    from reticent.streams import Frame

__all__ = ["StreamedTurn"]

_DONE: Final = b"[DONE]"
_LIMIT: Final = 64 * 1024 * 1024


class StreamedTurn:
    """One streamed response on its way to a reader.

    Usage: what ``feed`` gives may go on. Once ``ended`` is true, or the stream is over, hold ``whole()`` and send what
    ``rest`` gives. From the first event that tells how the response ends (a stop reason, a terminal event) nothing goes
    on before that, so that no reader takes a turn for finished that was not held.
    """

    def __init__(self, dialect: str, *, wire: str = "sse", limit: int = _LIMIT) -> None:
        """Start before the first byte of a stream of ``dialect``, one of ``DIALECTS``.

        ``wire`` is ``sse`` or ``json-array``, ``limit`` how many bytes the stream may have.

        Raises:
            UnknownDialect: streams of this dialect cannot be put together.
            UnknownWire: there is no such framing.
        """
        self._response = open_accumulator(dialect)
        self._framing = open_framing(wire)
        self._kept = bytearray()
        self._limit = limit
        self._length = 0

    @property
    def ended(self) -> bool:
        """Whether the response is whole: the event that ends it has come."""
        return self._response.ended

    @property
    def closing(self) -> bool:
        """Whether an event has told how the response ends."""
        return self._response.closing

    @property
    def failure(self) -> str:
        """The producer's own word for an error that it sent inside the stream; empty when there was none."""
        return self._response.failure

    @property
    def kept(self) -> bytes:
        """The bytes that are kept back now."""
        return bytes(self._kept)

    def feed(self, chunk: bytes) -> bytes:
        """Take the next bytes; those that may go on before the turn is held.

        Raises:
            MalformedInput: a payload is no JSON, or the framing is broken; the turn cannot be known any more.
            InputTooLarge: the response or one event is longer than its limit.
        """
        self._length += len(chunk)
        if self._length > self._limit:
            raise InputTooLarge(f"a streamed response is longer than {self._limit} bytes")
        return self._passed(self._framing.feed(chunk))

    def whole(self) -> dict[str, Any]:
        """The response so far, in the shape of one that was not streamed."""
        return self._response.whole()

    def end(self) -> None:
        """Say that no more bytes come; what was cut off in the middle of an event is kept back as the rest.

        Raises:
            MalformedInput: as for ``feed``.
        """
        self._kept += self._passed(self._framing.flush())

    def rest(self) -> bytes:
        """The bytes that were kept back, once the turn is held; further calls give what came since."""
        kept = bytes(self._kept)
        self._kept.clear()
        return kept

    def _passed(self, frames: list[Frame]) -> bytes:
        out: list[bytes] = []
        for frame in frames:
            if frame.data is not None and frame.complete:
                self._take(frame.data)
            if self._response.closing or self._response.failure or not frame.complete:
                self._kept += frame.raw
            else:
                out.append(frame.raw)
        return b"".join(out)

    def _take(self, data: bytes) -> None:
        if data.strip() == _DONE:
            self._response.done()
            return
        try:
            event = orjson.loads(data)
        except ValueError:
            raise MalformedInput(f"an event of {len(data)} bytes is no JSON") from None
        if isinstance(event, dict):
            self._response.event(event)
