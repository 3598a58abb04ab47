"""Waiting with a deadline, at no cost where there is nothing to wait for.

A request that has arrived whole is read without waiting, and so is an answer written that fits the socket's buffer.
``asyncio.timeout`` sets and clears a timer all the same, which is a tenth of what the data path does for a document.
"""

from __future__ import annotations

import asyncio
import types
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Coroutine, Generator

_T = TypeVar("_T")


@types.coroutine
def within(seconds: float, coroutine: Coroutine[Any, Any, _T]) -> Generator[Any, Any, _T]:
    """What ``coroutine`` gives; it is begun at once, and a timer is set only if it has to wait.

    Raises:
        TimeoutError: it waited for longer than ``seconds``.
    """
    try:
        awaited = coroutine.send(None)
    except StopIteration as done:
        return cast("_T", done.value)
    return (yield from _bounded(seconds, _Begun(coroutine, awaited)).__await__())


async def _bounded(seconds: float, begun: _Begun[_T]) -> _T:
    async with asyncio.timeout(seconds):
        return await begun


class _Begun(Awaitable[_T]):
    """A coroutine that has come to its first wait; ``awaited`` is what it yielded there."""

    __slots__ = ("_awaited", "_coroutine")

    def __init__(self, coroutine: Coroutine[Any, Any, _T], awaited: object) -> None:
        self._coroutine = coroutine
        self._awaited = awaited

    def __await__(self) -> Generator[Any, Any, _T]:
        """Go on as ``yield from`` would."""
        coroutine, awaited = self._coroutine, self._awaited
        try:
            while True:
                try:
                    sent = yield awaited
                except BaseException as error:  # noqa: BLE001 - a cancellation too is the coroutine's to take
                    awaited = coroutine.throw(error)
                else:
                    awaited = coroutine.send(sent)
        except StopIteration as done:
            return cast("_T", done.value)
