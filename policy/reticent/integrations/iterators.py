"""Iterators of chunks or of SDK events, on their way to people: for code that sends a stream itself.

.. code-block:: python

    from reticent.integrations.iterators import StreamGuard

    browser = StreamGuard("browser_stream")  # once, at start


    async def answer(upstream):
        async for chunk in browser.achunks(upstream, wire="sse"):
            yield chunk
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any

from reticent.integrations._bodies import Body
from reticent.integrations._guard import Guard, PlanSource

__all__ = ["StreamGuard"]


class StreamGuard:
    """What of a stream may go to one surface. Each call is a stream of its own.

    Chunks that cannot be judged end the stream with a frame that says so. Events that cannot be judged raise, because
    nobody knows here how their reader is told.
    """

    def __init__(self, surface: str, *, plan: PlanSource = None) -> None:
        """Guard streams on their way to ``surface``.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        self.guard = Guard(surface, plan=plan)

    def chunks(self, source: Iterable[bytes | str], *, wire: str = "auto") -> Iterator[bytes]:
        """Pieces of a byte stream; text is taken as UTF-8.

        Raises:
            UnknownWire: there is no such framing.
        """
        return _chunks(Body(self.guard, wire), source)

    def achunks(self, source: AsyncIterable[bytes | str], *, wire: str = "auto") -> AsyncIterator[bytes]:
        """As ``chunks``, for an asynchronous source, which is closed when the stream ends early.

        Raises:
            UnknownWire: there is no such framing.
        """
        return achunks(Body(self.guard, wire), source)

    def events(self, source: Iterable[Any]) -> Iterator[Any]:
        """Events of a stream (SDK objects, dictionaries, pieces of text), of the same classes.

        Raises:
            EgressRefused: an event cannot be judged; raised by the iterator, which ends there.
        """
        try:
            yield from self.guard.stream().events(source)
        except Exception as error:
            self.guard.withheld(error, None)
            raise
        finally:
            close = getattr(source, "close", None)
            if close is not None:
                close()

    async def aevents(self, source: AsyncIterable[Any]) -> AsyncIterator[Any]:
        """As ``events``, for an asynchronous source, which is closed when the stream ends early.

        Raises:
            EgressRefused: an event cannot be judged; raised by the iterator, which ends there.
        """
        try:
            async for event in self.guard.stream().aevents(source):
                yield event
        except Exception as error:
            self.guard.withheld(error, None)
            raise
        finally:
            await _close(source)


def _chunks(body: Body, source: Iterable[bytes | str]) -> Iterator[bytes]:
    try:
        for chunk in source:
            if out := body.feed(_bytes(chunk)):
                yield out
            if body.failed:
                return
        if out := body.end():
            yield out
    finally:
        close = getattr(source, "close", None)
        if close is not None:
            close()


async def achunks(body: Body, source: AsyncIterable[bytes | str]) -> AsyncIterator[bytes]:
    """What of ``source`` may go on, through ``body``."""
    try:
        async for chunk in source:
            if out := body.feed(_bytes(chunk)):
                yield out
            if body.failed:
                return
        if out := body.end():
            yield out
    finally:
        await _close(source)


async def _close(source: Any) -> None:
    """Close what can be closed: a generator that is left suspended keeps its connection."""
    close = getattr(source, "aclose", None)
    if close is not None:
        await close()


def _bytes(chunk: bytes | str | memoryview) -> bytes:
    return chunk.encode("utf-8", "surrogatepass") if isinstance(chunk, str) else bytes(chunk)
