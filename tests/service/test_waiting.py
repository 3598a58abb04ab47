"""Waiting with a deadline is what ``asyncio.timeout`` is, whether there is anything to wait for or not."""

from __future__ import annotations

import asyncio

import pytest

from reticent_service.waiting import within

LONG, SHORT = 30.0, 0.01


async def at_once(seen: list[str]) -> int:
    """Give a number without waiting."""
    seen.append("begun")
    return 7


async def later(seen: list[str], event: asyncio.Event) -> int:
    """Give a number after several waits."""
    seen.append("begun")
    await asyncio.sleep(0)
    await event.wait()
    await asyncio.sleep(0)
    return 7


async def never(seen: list[str]) -> None:
    """Wait for nothing that comes, and note the end of it."""
    try:
        await asyncio.Event().wait()
    finally:
        seen.append("ended")


async def failing(*, wait: bool) -> None:
    """Fail, at once or after a wait."""
    if wait:
        await asyncio.sleep(0)
    raise KeyError


def test_what_is_there_is_given() -> None:
    """What needs no wait is given without one, and what needs several is given after them."""

    async def act() -> tuple[int, int, bool]:
        seen: list[str] = []
        event = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.call_soon(event.set)
        first = await within(LONG, at_once(seen))
        return first, await within(LONG, later(seen, event)), event.is_set()

    assert (7, 7, True) == asyncio.run(act())


def test_a_wait_that_is_too_long_is_ended() -> None:
    """After the deadline there is a TimeoutError, and the coroutine was ended."""
    seen: list[str] = []

    async def act() -> None:
        await within(SHORT, never(seen))

    with pytest.raises(TimeoutError):
        asyncio.run(act())
    assert ["ended"] == seen


@pytest.mark.parametrize("wait", [False, True])
def test_an_error_is_the_caller_s(*, wait: bool) -> None:
    """Whatever the coroutine raises, at once or later, comes out as it is."""

    async def act() -> None:
        await within(LONG, failing(wait=wait))

    with pytest.raises(KeyError):
        asyncio.run(act())


def test_a_cancellation_reaches_the_coroutine() -> None:
    """A task that is cancelled while it waits stays cancelled, and the coroutine gets to clean up."""
    seen: list[str] = []

    async def act() -> bool:
        task = asyncio.ensure_future(within(LONG, never(seen)))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(act())
    assert ["ended"] == seen
