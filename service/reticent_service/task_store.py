"""The task store of a running application: open while it runs, swept as it goes."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING

from reticent.errors import ConfigurationError, ReticentError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from reticent.store import AsyncStore, KeyWrapper
    from reticent_service.settings import Settings

_log = logging.getLogger("reticent_service")


def read_keys(settings: Settings) -> KeyWrapper | None:
    """The keys that the settings name, None without a store.

    Raises:
        ConfigurationError: a store without keys, keys without a store, a file that is no keyset, or a key service whose
            extra is not installed.
    """
    if (settings.store is None) != (settings.keys is None):
        raise ConfigurationError("a task store and its keys go together: give --store and --keys, or neither")
    if settings.keys is None:
        return None
    from reticent.store import open_keys

    return open_keys(settings.keys)


def prove_keys(keys: KeyWrapper | None) -> None:
    """Have a key service show, before anything is served, that it can be used. A keyset was read already.

    Raises:
        KeyServiceAway, KeyDenied, KeyUnavailable: it cannot.
    """
    from reticent.store import AwsKms

    if isinstance(keys, AwsKms):
        keys.prove()


@contextlib.asynccontextmanager
async def open_tasks(settings: Settings, keys: KeyWrapper | None) -> AsyncGenerator[AsyncStore | None]:
    """The store that the settings name, for as long as the context is open; None when they name none.

    Raises:
        ConfigurationError, StoreUnavailable, StoreEvicts: it cannot be used.
    """
    if settings.store is None or keys is None:
        yield None
        return
    from reticent.store import open_async_store

    url = settings.store.get_secret_value()
    async with await open_async_store(url, keys=keys, timeout=settings.store_seconds) as store:
        sweeping = asyncio.create_task(_sweep(store, settings.sweep_seconds))
        try:
            yield store
        finally:
            sweeping.cancel()
            await asyncio.gather(sweeping, return_exceptions=True)


async def _sweep(store: AsyncStore, seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds)
        try:
            await store.sweep()
        except ReticentError as error:
            _log.error("the task store was not swept: %s", error.code)
