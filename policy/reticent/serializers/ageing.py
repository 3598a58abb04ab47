"""Serializers and streams of a decision that will change: evidence gets too old, exceptions end.

What a program holds on to goes on working and closes by itself. A function for one payload says strip from then on.
A stream cannot: half of it went out under an answer that no longer counts, so it is refused and another one is begun.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import datetime
from time import monotonic, time
from typing import TYPE_CHECKING, Any, TypeVar

from reticent.errors import PermissionEnded

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Iterable

    from reticent.compiler.decision import Decision
    from reticent.serializers.report import Report
    from reticent.serializers.serializer import Serializer
    from reticent.serializers.stream import StreamSerializer

_T = TypeVar("_T")


class Clock:
    """Tells the time by the system's clock, or by the time that has passed, whichever is later.

    A clock that is set back puts nothing off.
    """

    __slots__ = ("_began", "_ticks")

    def __init__(self) -> None:
        """Start counting now."""
        self._began, self._ticks = time(), monotonic()

    def now(self) -> float:
        """The moment, in seconds since 1970."""
        return max(time(), self._began + monotonic() - self._ticks)


def as_of_now(decision: Decision, now: float) -> Decision:
    """The decision as it stands at a moment, on the day that this moment has here."""
    return decision.as_of(datetime.fromtimestamp(now).astimezone().date(), now)


class AgeingSerializer:
    """The function of a surface whose decision will change: from each deadline on it is the one of the next answer."""

    __slots__ = ("_build", "_clock", "_decision", "_lock", "_serializer", "_until", "surface")

    _serializer: Serializer
    _until: float

    def __init__(self, decision: Decision, build: Callable[[Decision], Serializer]) -> None:
        """Serve by ``decision``; ``build`` makes the function for each answer of it."""
        self.surface = decision.surface
        self._decision = decision
        self._build = build
        self._lock = threading.Lock()
        self._clock = Clock()
        self._renew()

    @property
    def current(self) -> Serializer:
        """The function of the answer that counts now."""
        return self._current()

    @property
    def passes(self) -> bool:
        """Whether the surface may hold all reasoning, now."""
        return self._current().passes

    @property
    def report(self) -> Report:
        """Removals of this thread's last call."""
        return self._serializer.report

    def __call__(self, payload: Any) -> bytes:
        """JSON bytes that may rest on the surface now.

        Raises:
            EgressRefused: as the serializer of the answer that counts now.
        """
        return self._current()(payload)

    def value(self, payload: Any) -> Any:
        """The value that may rest on the surface now.

        Raises:
            EgressRefused: as for a call.
        """
        return self._current().value(payload)

    def text(self, line: str) -> str:
        """A log line, a traceback or a repr that may rest on the surface now.

        Raises:
            EgressRefused: as for a call.
        """
        return self._current().text(line)

    def _current(self) -> Serializer:
        if self._clock.now() >= self._until:
            with self._lock:
                if self._clock.now() >= self._until:
                    self._renew()
        return self._serializer

    def _renew(self) -> None:
        self._decision = as_of_now(self._decision, self._clock.now())
        self._serializer = self._build(self._decision)
        changes = self._decision.changes_at
        self._until = float("inf") if changes is None else changes


class EndingStream:
    """A stream of a surface whose decision will change; refused from then on, since what it began cannot be unsaid."""

    __slots__ = ("_clock", "_inner", "_until", "surface")

    def __init__(self, inner: StreamSerializer, until: float) -> None:
        """Hand everything to ``inner`` until that moment, in seconds since 1970."""
        self.surface = inner.surface
        self._inner = inner
        self._clock = Clock()
        self._until = until

    @property
    def report(self) -> Report:
        """Removals so far."""
        return self._inner.report

    def feed(self, chunk: bytes) -> bytes:
        """What may go on of the stream.

        Raises:
            PermissionEnded: what let it pass has ended.
            EgressRefused: the stream cannot be judged.
        """
        return self._in_time().feed(chunk)

    def flush(self) -> bytes:
        """What was held back and may go on.

        Raises:
            PermissionEnded: what let it pass has ended.
            EgressRefused: the stream cannot be judged.
        """
        return self._in_time().flush()

    def events(self, source: Iterable[Any]) -> Iterator[Any]:
        """The events that may rest on the surface.

        Raises:
            PermissionEnded: what let them pass has ended; raised by the iterator, which ends there.
        """
        for event in self._in_time().events(source):
            yield self._checked(event)

    async def aevents(self, source: AsyncIterable[Any]) -> AsyncIterator[Any]:
        """As ``events``, for an asynchronous source."""
        async for event in self._in_time().aevents(source):
            yield self._checked(event)

    def _in_time(self) -> StreamSerializer:
        return self._checked(self._inner)

    def _checked(self, value: _T) -> _T:
        if self._clock.now() >= self._until:
            raise PermissionEnded(f"what let reasoning pass to {self.surface!r} has ended; begin another stream")
        return value
