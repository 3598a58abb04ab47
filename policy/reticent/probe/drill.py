"""The drill itself: drive, then search."""

from __future__ import annotations

import asyncio
import inspect
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from reticent.compiler.plan import Plan
from reticent.errors import ConfigurationError
from reticent.probe.marks import found_in, spellings_of
from reticent.probe.messages import ProbeMessage, messages
from reticent.probe.receipt import Leak, Receipt, SinkResult

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reticent.integrations._guard import PlanSource
    from reticent.probe.sinks import Sink


def probe(
    drive: Callable[[Any], Any],
    *,
    sinks: Sequence[Sink],
    dialects: Sequence[str] = (),
    surfaces: dict[str, str] | None = None,
    plan: PlanSource = None,
) -> Receipt:
    """Hand ``drive`` one marked message of each dialect, then look for the marks in ``sinks``.

    ``drive`` may be a coroutine function. ``surfaces`` says by the name of a sink which surface of ``plan`` it is;
    one that may have reasoning is searched all the same, and what is found there is no leak. A sink without a surface
    may have none. An exception of ``drive`` is a failure in the receipt, by its class, and the drill goes on.

    Raises:
        ConfigurationError: no sink, or two of one name.
        UnknownSurface, UnknownDialect: a name that does not exist; nothing was driven.
    """
    names = [sink.name for sink in sinks]
    if not names or len(set(names)) < len(names):
        raise ConfigurationError("a drill needs at least one sink, and each needs a name of its own")
    decided = _plan(plan)
    permitted = {name for name, surface in (surfaces or {}).items() if decided.decision(surface).verdict == "pass"}
    planted = messages(*dialects)
    with ExitStack() as stack:
        for sink in sinks:
            stack.enter_context(sink.watching())
        failures = [(one.dialect, kind) for one in planted if (kind := _failure(drive, one)) is not None]
    results = tuple(searched(sink, planted, permitted=sink.name in permitted) for sink in sinks)
    marks = sum(len(one.marks) for one in planted)
    dialects = tuple(one.dialect for one in planted)
    return Receipt(datetime.now(UTC), decided.digest, tuple(dialects), marks, results, tuple(failures))


def _failure(drive: Callable[[Any], Any], one: ProbeMessage) -> str | None:
    try:
        answer = drive(one.payload)
        if inspect.isawaitable(answer):
            asyncio.run(_awaited(answer))
    except Exception as error:  # noqa: BLE001 - the application's own; what it says may quote the message
        return type(error).__qualname__
    return None


async def _awaited(answer: Any) -> None:
    await answer


def searched(sink: Sink, planted: Sequence[ProbeMessage], *, permitted: bool) -> SinkResult:
    """What ``sink`` holds of the messages that were planted."""
    content = list(sink.content())
    leaks = {
        Leak(sink.name, where, one.dialect, spelling)
        for where, body in content
        for one in planted
        for mark in one.marks
        if (spelling := found_in(body, spellings_of(mark))) is not None
    }
    arrived = [one for one in planted if one.visible and _arrived(content, one.visible)]
    return SinkResult(sink.name, permitted, len(arrived), sum(len(body) for _, body in content), tuple(sorted(leaks)))


def _arrived(content: Sequence[tuple[str, bytes]], mark: str) -> bool:
    spellings = spellings_of(mark)
    return any(found_in(body, spellings) is not None for _, body in content)


def _plan(source: PlanSource) -> Plan:
    if isinstance(source, Plan):
        return source
    from reticent.compiler import load_plan

    return load_plan(source)
