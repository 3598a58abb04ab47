"""Iterators of chunks and events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from tests.integrations.reasoning import VISIBLE, clean
from tests.integrations.wires import STREAMS, pieces

from reticent.errors import EgressRefused, UnknownSurface, UnknownWire
from reticent.integrations.iterators import StreamGuard
from reticent.testing import canary

EVENTS: list[Any] = [
    {"type": "reasoning-delta", "id": "r", "delta": "x"},
    {"type": "text-delta", "id": "t", "delta": VISIBLE},
]


def test_names_are_checked_at_start() -> None:
    """Unknown surfaces fail when the guard is made, unknown wires when a stream is opened."""
    with pytest.raises(UnknownSurface):
        StreamGuard("browser")
    with pytest.raises(UnknownWire):
        StreamGuard("browser_stream").chunks([], wire="tcp")


@pytest.mark.parametrize("name", STREAMS)
def test_chunks_of_any_wire(name: str) -> None:
    """Chunks lose their reasoning, from iterators of both kinds, with the wire told from the first bytes."""
    secret = canary()
    data = STREAMS[name][0](secret)
    guard = StreamGuard("browser_stream")

    async def source() -> AsyncIterator[bytes]:
        for piece in pieces(data, 5):
            yield piece

    async def collect() -> bytes:
        return b"".join([chunk async for chunk in guard.achunks(source())])

    whole = b"".join(guard.chunks(pieces(data, 5)))

    assert clean(whole, secret)
    assert VISIBLE in whole.decode()
    assert whole == asyncio.run(collect())


def test_events_keep_their_class() -> None:
    """Events that stay are the same objects."""
    guard = StreamGuard("browser_stream")

    async def source() -> AsyncIterator[Any]:
        for event in EVENTS:
            yield event

    async def collect() -> list[Any]:
        return [event async for event in guard.aevents(source())]

    assert EVENTS[1:] == list(guard.events(EVENTS))
    assert asyncio.run(collect())[-1] is EVENTS[1]


def test_a_stream_that_is_left_closes_its_source() -> None:
    """When the reader goes away, the source is closed at once and not when it is collected."""
    closed: list[str] = []

    async def asource() -> AsyncIterator[bytes]:
        try:
            yield b"data: 1\n\n"
            yield b"data: 2\n\n"
        finally:
            closed.append("async")

    def source() -> Iterator[bytes]:
        try:
            yield b"data: 1\n\n"
            yield b"data: 2\n\n"
        finally:
            closed.append("sync")

    async def leave() -> None:
        chunks: Any = StreamGuard("browser_stream").achunks(asource(), wire="sse")
        await anext(chunks)
        await chunks.aclose()

    asyncio.run(leave())
    chunks: Any = StreamGuard("browser_stream").chunks(source(), wire="sse")
    next(chunks)
    chunks.close()

    assert ["async", "sync"] == closed


def test_what_cannot_be_judged_ends_the_stream() -> None:
    """Chunks end with a frame that says so, events with an error; both are counted, neither holds content."""
    secret = canary()
    guard = StreamGuard("browser_stream")
    broken = [b'data: {"type":"reasoning-delta","delta":"' + secret.encode() + b"\n\n", b"data: 1\n\n"]
    event: dict[str, Any] = {"type": "text-delta", "delta": secret}
    event["self"] = event

    shown = b"".join(guard.chunks(broken, wire="sse"))
    with pytest.raises(EgressRefused) as caught:
        list(guard.events([event]))

    assert clean(shown, secret)
    assert shown.startswith(b"event: error\n")
    assert clean(repr(caught.value), secret)
    assert 2 == guard.guard.counts.failed
