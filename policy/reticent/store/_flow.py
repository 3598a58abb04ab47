"""One text for two ways to run it: a flow yields what has to be done, a driver does it at once or awaits it.

A ``Flow`` holds what is the same with and without ``await``: order, decisions, errors. It is a generator that yields
requests and is sent their answers; what a request is, the two sides agree on (a statement of SQL, an operation of a
store). An error of a request is raised inside the flow, where it stands.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")

Flow: TypeAlias = Generator[Any, Any, T]


def drive(flow: Flow[T], do: Callable[[Any], Any]) -> T:
    """Run ``flow`` to its end; ``do`` answers each request."""
    try:
        request = next(flow)
        while True:
            try:
                answer = do(request)
            except Exception as error:  # noqa: BLE001 - handed to the flow, which lets through what it does not expect
                request = flow.throw(error)
            else:
                request = flow.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result


async def drive_async(flow: Flow[T], do: Callable[[Any], Awaitable[Any]]) -> T:
    """Run ``flow`` to its end; ``do`` answers each request when it is awaited."""
    try:
        request = next(flow)
        while True:
            try:
                answer = await do(request)
            except Exception as error:  # noqa: BLE001 - as in drive
                request = flow.throw(error)
            else:
                request = flow.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result
