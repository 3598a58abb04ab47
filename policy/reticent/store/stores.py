"""A store as callers hold it: a back end, the keys, and what can be done to all tasks at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Protocol, Self

from reticent.store import erasing
from reticent.store._flow import Flow, T, drive, drive_async
from reticent.store._operations import Operation, Operations, Wipe
from reticent.store.keys import Keyset, KeyWrapper
from reticent.store.records import SweepReport, TaskInfo, TaskRow

Clock = Callable[[], float]
"""Seconds since 1970."""


class Backend(Protocol):
    """What carries out operations and waits for them."""

    @property
    def operations(self) -> Operations:
        """The operations in this back end's terms."""
        ...

    def run(self, operation: Operation) -> Any:
        """Carry out one operation, whole or not at all."""
        ...

    def wipe(self, *, sweeping: bool) -> bool:
        """Clean the places where erased rows were, as far as the store can; False when a sweep has to do it."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...


class AsyncBackend(Protocol):
    """As ``Backend``, awaited."""

    @property
    def operations(self) -> Operations:
        """The operations in this back end's terms."""
        ...

    async def run(self, operation: Operation) -> Any:
        """Carry out one operation, whole or not at all."""
        ...

    async def wipe(self, *, sweeping: bool) -> bool:
        """As ``Backend.wipe``."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class Store:
    """A task store; ``open_store`` makes one. Safe to share between threads."""

    def __init__(self, backend: Backend, keys: KeyWrapper, *, clock: Clock = time.time) -> None:
        """Use ``backend`` with data keys wrapped by ``keys``."""
        self._backend = backend
        self.keys = keys
        self.clock = clock

    @property
    def operations(self) -> Operations:
        """The operations of the back end, for ``Tasks``."""
        return self._backend.operations

    def run(self, flow: Flow[T]) -> T:
        """Run a flow of operations to its end."""
        return drive(flow, self._do)

    def _do(self, request: Any) -> Any:
        if isinstance(request, Operation):
            return self._backend.run(request)
        return self._backend.wipe(sweeping=request.sweeping) if isinstance(request, Wipe) else request.call()

    def tasks(self, tenant: str | None = None) -> tuple[TaskInfo, ...]:
        """Every live task, oldest first, of one tenant or of all: numbers, no content."""
        return tuple(map(_info, self.run(_live(self.operations, tenant))))

    def sweep(self, *, now: float | None = None) -> SweepReport:
        """End tasks past their deadline as ``expired``, and complete erasures that a crash interrupted.

        Run it every few minutes, in as many processes as there are. ``now`` is in seconds since 1970.
        """
        return self.run(erasing.sweep(self.operations, self.clock() if now is None else now))

    def rewrap(self) -> int:
        """Put the data key of every live task under the primary key; how many were. Then old keys can be retired.

        Raises:
            KeyUnavailable: a task is wrapped with a key that is not at hand; the others before it are done.
        """
        return self.run(erasing.rewrap(self.operations, self.keys))

    def close(self) -> None:
        """Let go of connections."""
        self._backend.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncStore:
    """As ``Store``, awaited; ``open_async_store`` makes one."""

    def __init__(self, backend: AsyncBackend, keys: KeyWrapper, *, clock: Clock = time.time) -> None:
        """Use ``backend`` with data keys wrapped by ``keys``."""
        self._backend = backend
        self.keys = keys
        self.clock = clock

    @property
    def operations(self) -> Operations:
        """The operations of the back end, for ``AsyncTasks``."""
        return self._backend.operations

    async def run(self, flow: Flow[T]) -> T:
        """Run a flow of operations to its end."""
        return await drive_async(flow, self._do)

    async def _do(self, request: Any) -> Any:
        if isinstance(request, Operation):
            return await self._backend.run(request)
        if isinstance(request, Wipe):
            return await self._backend.wipe(sweeping=request.sweeping)
        # A keyset is in memory; a key service may take its time.
        return request.call() if isinstance(self.keys, Keyset) else await asyncio.to_thread(request.call)

    async def tasks(self, tenant: str | None = None) -> tuple[TaskInfo, ...]:
        """As ``Store.tasks``."""
        return tuple(map(_info, await self.run(_live(self.operations, tenant))))

    async def sweep(self, *, now: float | None = None) -> SweepReport:
        """As ``Store.sweep``."""
        return await self.run(erasing.sweep(self.operations, self.clock() if now is None else now))

    async def rewrap(self) -> int:
        """As ``Store.rewrap``."""
        return await self.run(erasing.rewrap(self.operations, self.keys))

    async def close(self) -> None:
        """Let go of connections."""
        await self._backend.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class InThread:
    """A back end that waits, awaited: each call in a thread of its own."""

    def __init__(self, backend: Backend) -> None:
        """Await ``backend``."""
        self._backend = backend

    @property
    def operations(self) -> Operations:
        """See ``AsyncBackend``."""
        return self._backend.operations

    async def run(self, operation: Operation) -> Any:
        """See ``AsyncBackend``."""
        return await asyncio.to_thread(self._backend.run, operation)

    async def wipe(self, *, sweeping: bool) -> bool:
        """See ``AsyncBackend``."""
        return await asyncio.to_thread(self._backend.wipe, sweeping=sweeping)

    async def close(self) -> None:
        """See ``AsyncBackend``."""
        await asyncio.to_thread(self._backend.close)


def _live(operations: Operations, tenant: str | None) -> Flow[tuple[TaskRow, ...]]:
    rows: tuple[TaskRow, ...] = yield Operation(operations.live(tenant), writes=False)
    return rows


def _info(row: TaskRow) -> TaskInfo:
    return TaskInfo(row.tenant, row.task, row.key_id, row.turns, row.sequence, row.created, row.deadline)
