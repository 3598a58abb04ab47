"""From an address to a store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from reticent.errors import ConfigurationError
from reticent.store.stores import AsyncStore, Clock, InThread, Store

if TYPE_CHECKING:
    from reticent.store.keys import KeyWrapper

_SCHEMES = "sqlite:///FILE, postgresql://HOST/DATABASE, redis://HOST/NUMBER"


def open_store(url: str, *, keys: KeyWrapper, clock: Clock = time.time) -> Store:
    """The task store at ``url``; tables are made when they are not there yet.

    ``url`` is ``sqlite:///tasks.db``, ``postgresql://...`` (extra ``postgresql``) or ``redis://...`` (extra ``redis``).
    ``keys`` wraps the key of each task; ``clock`` tells seconds since 1970.

    Raises:
        ConfigurationError: the address names no store, its extra is not installed, or another release's rows are in it.
        StoreUnavailable: it cannot be reached.
        StoreEvicts: it may throw live rows away.
    """
    return Store(_backend(url), keys, clock=clock)


async def open_async_store(url: str, *, keys: KeyWrapper, clock: Clock = time.time) -> AsyncStore:
    """As ``open_store``, awaited: PostgreSQL and Redis by their own asynchronous clients, SQLite in a thread."""
    return AsyncStore(InThread(_backend(url)), keys, clock=clock)


def _backend(url: str) -> Any:
    scheme = urlsplit(url).scheme
    if scheme == "sqlite":
        from reticent.store.sqlite import SqliteBackend, path_of

        return SqliteBackend(path_of(url))
    raise ConfigurationError(f"a store at {scheme or 'no scheme'!r}: known are {_SCHEMES}")
