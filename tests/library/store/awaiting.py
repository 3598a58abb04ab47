"""The asynchronous store for tests that wait."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from reticent.store import AsyncTasks, open_async_store

if TYPE_CHECKING:
    from reticent.compiler.plan import Plan
    from reticent.store import Keyset


class Awaited:
    """``AsyncTasks`` and its store as if they were not awaited: each call is an event loop's work."""

    def __init__(self, url: str, keys: Keyset, plan: Plan) -> None:
        """Open the store."""
        self._runner = asyncio.Runner()
        self._store = self._runner.run(open_async_store(url, keys=keys))
        self._tasks = AsyncTasks(self._store, plan=plan, tenant="acme")

    def __getattr__(self, name: str) -> Any:
        """Give a method of the tasks, or of the store, that returns what is awaited."""
        method = getattr(self._tasks, name, None) or getattr(self._store, name)
        return lambda *args, **kwargs: self._runner.run(method(*args, **kwargs))

    def close(self) -> None:
        """Close the store and the loop."""
        self._runner.run(self._store.close())
        self._runner.close()
