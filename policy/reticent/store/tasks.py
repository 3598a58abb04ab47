"""Tasks of one tenant: hold what a model thought, restore it into a history, erase it when the task ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reticent.store._task_flows import Context, TaskFlows, options

if TYPE_CHECKING:
    from datetime import timedelta

    from reticent.compiler.plan import Plan
    from reticent.store.records import Receipt, State, TurnInfo
    from reticent.store.stores import AsyncStore, Store


class Tasks:
    """The tasks of one tenant in one store. Safe to share between threads.

    A task comes into being with the first turn that is held for it and lives until ``finish`` or its deadline. To a
    tenant, the tasks of another do not exist.
    """

    def __init__(
        self,
        store: Store,
        *,
        plan: Plan,
        tenant: str,
        surface: str = "browser_stream",
        store_surface: str = "task_store",
        lifetime: timedelta | None = None,
    ) -> None:
        """Serve ``tenant`` out of ``store``; what ``surface`` may not show is held.

        ``lifetime`` counts from the last turn held; past it the next sweep ends the task as ``expired``. Without one a
        task lives until somebody ends it.

        Raises:
            UnknownSurface: the plan has no such surface.
            ConfigurationError: the table says strip of ``store_surface``, or pass of ``surface``.
        """
        told = options(plan, tenant, surface=surface, store_surface=store_surface, lifetime=lifetime)
        self._store = store
        self._flows = TaskFlows(Context(store.operations, store.keys, store.clock), told)

    @property
    def tenant(self) -> str:
        """Whose tasks these are."""
        return self._flows.tenant

    def hold(self, task: str, turn: Any, *, model: str | None = None, request: Any = None) -> Any:
        """Keep the reasoning of ``turn`` and give back the turn without it, of the same shape.

        ``turn`` is what a model answered: a response, a message, or a list of output items, as ``bytes``, ``str``
        (JSON), a dict or list, or an SDK object. It is in the store when this returns. ``model`` names the model where
        the turn does not. ``request`` is the request that it answers, as the client sent it or as it went out: with it,
        models that bind reasoning to all that stands before it get their prefix checked on the way back.

        Raises:
            EgressRefused: the turn cannot be read.
            NotReplayable: no message of a model is in it.
            TaskFinished: the task has ended.
            StoreUnavailable, StoreFull, KeyUnavailable: nothing was kept, and nothing may be shown.
        """
        return self._store.run(self._flows.hold(task, turn, model, request))

    def restore(self, task: str, history: Any) -> Any:
        """``history`` with every block back, byte for byte, at its place.

        ``history`` is a request body or a list of its entries, as ``bytes``, ``str`` (JSON), a dict or a list. Of
        bytes, everything else is copied; of values, what is not touched is the same object, and the input is not
        changed. What the rules of the producer do not let back (``replay_rules.yaml``) stays away.

        Raises:
            EgressRefused: the history cannot be read.
            RestoreRefused: it does not fit what was held; ``reason`` and ``path`` say how and where.
            UnknownTask, TaskFinished: there is nothing to put back.
            StoreUnavailable, KeyUnavailable, Tampered: what was held cannot be read.
        """
        return self._store.run(self._flows.restore(task, history))

    def turns(self, task: str) -> tuple[TurnInfo, ...]:
        """The turns of a live task, in order: numbers and dialects, no content.

        Raises:
            UnknownTask, TaskFinished: it is not live.
            Tampered: a turn is missing or out of order.
        """
        return self._store.run(self._flows.turns(task))

    def finish(self, task: str, state: State) -> Receipt:
        """End a task: its key and everything it held go in one transaction, a receipt stays.

        Raises:
            UnknownTask, TaskFinished: it is not live; to end a task twice changes nothing.
            ConfigurationError: ``state`` is none.
            StoreUnavailable: nothing was erased; try again.
        """
        return self._store.run(self._flows.finish(task, state))

    def find(self, history: Any) -> str | None:
        """The live task that a history belongs to, by the ids of calls and items in it; None when no task does.

        Where several have such an id, the one with most of them, and of those the latest. ``restore`` still checks.

        Raises:
            EgressRefused: the history cannot be read.
        """
        return self._store.run(self._flows.find(history))


class AsyncTasks:
    """As ``Tasks``, awaited."""

    def __init__(
        self,
        store: AsyncStore,
        *,
        plan: Plan,
        tenant: str,
        surface: str = "browser_stream",
        store_surface: str = "task_store",
        lifetime: timedelta | None = None,
    ) -> None:
        """As ``Tasks``."""
        told = options(plan, tenant, surface=surface, store_surface=store_surface, lifetime=lifetime)
        self._store = store
        self._flows = TaskFlows(Context(store.operations, store.keys, store.clock), told)

    @property
    def tenant(self) -> str:
        """Whose tasks these are."""
        return self._flows.tenant

    async def hold(self, task: str, turn: Any, *, model: str | None = None, request: Any = None) -> Any:
        """As ``Tasks.hold``."""
        return await self._store.run(self._flows.hold(task, turn, model, request))

    async def restore(self, task: str, history: Any) -> Any:
        """As ``Tasks.restore``."""
        return await self._store.run(self._flows.restore(task, history))

    async def turns(self, task: str) -> tuple[TurnInfo, ...]:
        """As ``Tasks.turns``."""
        return await self._store.run(self._flows.turns(task))

    async def finish(self, task: str, state: State) -> Receipt:
        """As ``Tasks.finish``."""
        return await self._store.run(self._flows.finish(task, state))

    async def find(self, history: Any) -> str | None:
        """As ``Tasks.find``."""
        return await self._store.run(self._flows.find(history))
