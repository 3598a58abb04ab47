"""Bytes of a stream in, bytes without reasoning out, whatever the pieces.

A framing cuts frames, the session judges the payload of each, and the frame goes on as it came, with another payload,
or not at all. A frame that never ended does not go on: half an event can hold half a thought.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from reticent.errors import DialectFailure, EgressRefused, InputTooDeep, UnknownWire
from reticent.serializers.events import EventFilter, afiltered, filtered
from reticent.serializers.framed import FramedStream
from reticent.serializers.logrecords import LogRecords
from reticent.serializers.report import Report
from reticent.serializers.session import Session
from reticent.serializers.unframed import DocumentStream, TextStream
from reticent.streams import StreamFilter, chain
from reticent.streams.detect import SNIFF_LIMIT, detect, open_framing

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator

    from reticent.serializers.program import Program

WIRES = ("auto", "sse", "jsonl", "json", "json-array", "text", "log", "aws-eventstream", "ai-sdk-v4")


class StreamSerializer(StreamFilter, Protocol):
    """A stream filter that tells what it removed."""

    surface: str

    @property
    def report(self) -> Report:
        """Removals so far: counts and lengths by rule."""
        ...

    def events(self, source: Iterable[Any]) -> Iterator[Any]:
        """The events of ``source`` (SDK objects, dicts, pieces of text) that may rest on the surface, of the same kind.

        Each call is a stream of its own. On a pass surface the same objects come back.

        Raises:
            EgressRefused: an event cannot be judged; raised by the iterator, which ends there.
        """
        ...

    def aevents(self, source: AsyncIterable[Any]) -> AsyncIterator[Any]:
        """As ``events``, for an asynchronous source."""
        ...


class PassStream:
    """Identity: the very same chunks."""

    __slots__ = ("report", "surface")

    def __init__(self, surface: str) -> None:
        """Serve ``surface``."""
        self.surface = surface
        self.report = Report()

    def feed(self, chunk: bytes) -> bytes:
        """The same chunk."""
        return chunk

    def flush(self) -> bytes:
        """Nothing was held back."""
        return b""

    def events(self, source: Iterable[Any]) -> Iterator[Any]:
        """The same objects."""
        return iter(source)

    def aevents(self, source: AsyncIterable[Any]) -> AsyncIterator[Any]:
        """The same objects."""
        return aiter(source)


class StripStream:
    """Cut: events of reasoning do not go on, what stays closes up behind them."""

    def __init__(self, surface: str, program: Program, *, wire: str, starts_inside: bool) -> None:
        """Filter one stream to ``surface``.

        Raises:
            UnknownWire: there is no such framing.
        """
        if wire not in WIRES:
            raise UnknownWire(wire, WIRES)
        self.surface = surface
        self.report = Report()
        self._program = program
        self._starts_inside = starts_inside
        self._first = bytearray()
        self._inner = None if wire == "auto" else self._open(wire)
        self._failed: EgressRefused | None = None

    def feed(self, chunk: bytes) -> bytes:
        """Take the next bytes; what may go on now, possibly nothing.

        Raises:
            EgressRefused: the stream is not what it was said to be, or too large; it stays refused.
        """
        if self._inner is None or self._failed is not None or chunk.__class__ is not bytes:
            return self._guard(lambda: self._feed(bytes(chunk)))
        try:
            return self._inner.feed(chunk)
        except Exception as error:  # noqa: BLE001 - the boundary that fails closed
            self._failed = self._refusal(error)
        raise self._failed

    def flush(self) -> bytes:
        """Say that the stream has ended; the rest.

        Raises:
            EgressRefused: as for ``feed``.
        """
        return self._guard(self._flush)

    def events(self, source: Iterable[Any]) -> Iterator[Any]:
        """What may go on of the events of one stream, as they come, of the same classes."""
        return filtered(self._event_filter(), source, self.surface)

    def aevents(self, source: AsyncIterable[Any]) -> AsyncIterator[Any]:
        """As ``events``, for an asynchronous source."""
        return afiltered(self._event_filter(), source, self.surface)

    def _event_filter(self) -> EventFilter:
        session = Session(self._program, self.report, starts_inside=self._starts_inside, live=True)
        depth = self._program.options.max_depth
        return EventFilter(session, self.report, depth, starts_inside=self._starts_inside)

    def _feed(self, chunk: bytes) -> bytes:
        if self._inner is None:
            self._first += chunk
            wire = detect(bytes(self._first[:SNIFF_LIMIT]))
            if wire is None:
                return b""
            self._inner = self._open_detected(wire)
            chunk = bytes(self._first)
            self._first.clear()
        return self._inner.feed(chunk)

    def _flush(self) -> bytes:
        if self._inner is None:
            wire = detect(bytes(self._first), final=True) or "text"
            self._inner = self._open_detected(wire)
            return self._inner.feed(bytes(self._first)) + self._inner.flush()
        return self._inner.flush()

    def _open(self, wire: str) -> StreamFilter:
        if wire == "text":
            return TextStream(self.report, starts_inside=self._starts_inside)
        if wire == "log":
            return LogRecords(self._program, self.report)
        if wire == "json":
            return DocumentStream(self._program, self.report)
        session = Session(self._program, self.report, starts_inside=self._starts_inside, live=wire == "sse")
        return FramedStream(
            open_framing(wire, limit=self._program.options.max_bytes), session, self._program, self.report
        )

    def _open_detected(self, wire: str) -> StreamFilter:
        """Text that nobody declared may be a model's or a log's: it is judged as both."""
        if wire == "text":
            return chain(self._open("text"), self._open("log"))
        return self._open(wire)

    def _guard(self, work: Callable[[], bytes]) -> bytes:
        """Run ``work``; after a refusal the stream stays refused, and no error quotes a payload."""
        if self._failed is None:
            try:
                return work()
            except Exception as error:  # noqa: BLE001 - the boundary that fails closed
                self._failed = self._refusal(error)
        raise self._failed

    def _refusal(self, error: Exception) -> EgressRefused:
        if isinstance(error, EgressRefused):
            return error
        if isinstance(error, RecursionError):
            return InputTooDeep("nested deeper than the interpreter goes")
        return DialectFailure(f"{type(error).__name__} in a stream for {self.surface!r}; it is withheld")
