"""The store in Redis (or Valkey): one script for each operation, so that each is whole or not at all.

Redis acknowledges before it has written to disk; how much a crash of the server can lose is its ``appendfsync``. A
store that evicts would lose reasoning of live tasks by itself and is refused. A sweep has the append-only file
rewritten, because until then it lists what was deleted.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import redis
import redis.asyncio
import redis.asyncio.retry
from redis.backoff import NoBackoff
from redis.retry import Retry

from reticent.errors import StoreFull, StoreUnavailable
from reticent.store._flow import drive, drive_async
from reticent.store._operations import Operation, step
from reticent.store._redis_operations import Command, RedisOperations, Script

if TYPE_CHECKING:
    from collections.abc import Generator


class RedisBackend:
    """A pool of connections for threads."""

    def __init__(self, url: str, *, timeout: float = 10.0) -> None:
        """Connect to ``url``; its options ``prefix`` (of keys) and ``evicting=allow`` are ours. ``timeout`` in seconds.

        Raises:
            StoreUnavailable: the server cannot be reached.
            StoreEvicts: it may throw keys away when it is full.
        """
        address, self.operations = _options(url)
        self._client: Any = redis.Redis.from_url(address, **_client_options(timeout))
        self.run(Operation(self.operations.prepare(), writes=True))

    def run(self, operation: Operation) -> Any:
        """Carry out one operation.

        Raises:
            StoreUnavailable, StoreFull: the store cannot; nothing was acknowledged.
        """
        with _failures():
            answer = drive(operation.flow, self._do)
        step("committed")
        return answer

    def _do(self, request: Any) -> Any:
        if isinstance(request, Script):
            return self._client.register_script(request.text)(request.keys, request.arguments)
        if isinstance(request, Command):
            return self._client.execute_command(*request.words)
        return time.sleep(request.seconds)

    def wipe(self, *, sweeping: bool) -> bool:
        """Have the append-only file rewritten; only in a sweep, because it writes the whole store."""
        if not sweeping:
            return False
        with _failures():
            done = drive(self.operations.rewritten(), self._do)
        step("wiped")
        return done

    def close(self) -> None:
        """Close every connection."""
        self._client.close()


class AsyncRedisBackend:
    """A pool of connections for one event loop; ``connected`` makes one."""

    def __init__(self, client: Any, operations: RedisOperations) -> None:
        """Use a client."""
        self._client = client
        self.operations = operations

    @classmethod
    async def connected(cls, url: str, *, timeout: float = 10.0) -> AsyncRedisBackend:  # noqa: ASYNC109 - of each use
        """As the constructor of ``RedisBackend``."""
        address, operations = _options(url)
        backend = cls(redis.asyncio.Redis.from_url(address, **_client_options(timeout, is_async=True)), operations)
        try:
            await backend.run(Operation(operations.prepare(), writes=True))
        except BaseException:
            await backend.close()
            raise
        return backend

    async def run(self, operation: Operation) -> Any:
        """As ``RedisBackend.run``."""
        with _failures():
            return await drive_async(operation.flow, self._do)

    async def _do(self, request: Any) -> Any:
        if isinstance(request, Script):
            return await self._client.register_script(request.text)(request.keys, request.arguments)
        if isinstance(request, Command):
            return await self._client.execute_command(*request.words)
        return await asyncio.sleep(request.seconds)

    async def wipe(self, *, sweeping: bool) -> bool:
        """As ``RedisBackend.wipe``."""
        if not sweeping:
            return False
        with _failures():
            return await drive_async(self.operations.rewritten(), self._do)

    async def close(self) -> None:
        """Close every connection."""
        await self._client.aclose()


def _options(url: str) -> tuple[str, RedisOperations]:
    """The address for the client, and what of it is ours."""
    parts = urlsplit(url)
    told = dict(parse_qsl(parts.query))
    prefix, evicting = told.pop("prefix", "reticent:"), told.pop("evicting", "refuse")
    return parts._replace(query=urlencode(told)).geturl(), RedisOperations(prefix, evicting == "allow")


def _client_options(timeout: float, *, is_async: bool = False) -> dict[str, Any]:
    # No retries: whether a write that was not acknowledged is repeated is for the caller to say.
    retry = redis.asyncio.retry.Retry(NoBackoff(), 0) if is_async else Retry(NoBackoff(), 0)
    return {"socket_timeout": timeout, "socket_connect_timeout": timeout, "retry": retry}


@contextlib.contextmanager
def _failures() -> Generator[None]:
    """Turn errors of the client into ours; only their class is told.

    Raises:
        StoreUnavailable, StoreFull: as the error says.
    """
    try:
        yield
    except redis.RedisError as error:
        name = type(error).__name__
        is_full = isinstance(error, redis.OutOfMemoryError) or "OOM" in str(error)[:200]
    except OSError as error:
        name, is_full = type(error).__name__, False
    else:
        return
    if is_full:
        raise StoreFull(f"the store has no room left ({name}); nothing was written; make room and try again")
    raise StoreUnavailable(f"the store cannot be used ({name}); nothing was acknowledged, try again")
