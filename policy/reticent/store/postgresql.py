"""The store in PostgreSQL, through psycopg 3 and its pool: for threads, and for an event loop.

What a transaction has committed is durable as far as the server's ``synchronous_commit`` says. Dead row versions go
with ``VACUUM``, which a sweep runs on the three tables; write-ahead log, replicas and backups keep ciphertext and
wrapped keys for as long as they are kept, until the key-encryption key is retired (``docs/store.md``).
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from functools import cache
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg import errors as pg
from psycopg_pool import AsyncConnectionPool, ConnectionPool, PoolTimeout

from reticent.errors import StoreFull, StoreUnavailable
from reticent.store._flow import drive, drive_async
from reticent.store._operations import Operation, step
from reticent.store.sql import SqlOperations, Statement

if TYPE_CHECKING:
    from collections.abc import Generator

OPERATIONS: Final = SqlOperations(
    blob="BYTEA",
    real="DOUBLE PRECISION",
    # CREATE TABLE IF NOT EXISTS fails when two sessions run it at once; the number is any that nobody else uses.
    prologue=("SELECT pg_advisory_xact_lock(8226142379)",),
)
_VACUUM: Final = "VACUUM reticent_tasks, reticent_turns, reticent_anchors"
_POOL: Final[dict[str, Any]] = {
    "min_size": 1,
    "max_size": 10,
    "open": False,
    # The pool doubles its pauses, up to minutes, so that it would miss a server that is back; when it gives up soon,
    # the next caller who wants a connection has it try anew.
    "reconnect_timeout": 1.0,
}


_WIPE_TIMES: Final = 60
"""How many times longer than anything else the removal of dead rows may take: it reads whole tables."""


def _pool_options(timeout: float) -> dict[str, Any]:
    # A server that was stopped takes connections all the same, and answers none.
    return {**_POOL, "kwargs": {"autocommit": True, "connect_timeout": math.ceil(timeout)}}


class _Patient(psycopg.Connection[Any]):
    """A connection that waits so many ``seconds`` for an answer, and is closed when there is none."""

    seconds = math.inf

    def wait(self, gen: Generator[Any, Any, Any], *arguments: Any, **options: Any) -> Any:
        """Wait for the server, as psycopg does for everything that is asked of it.

        Raises:
            TimeoutError: it did not answer.
        """
        try:
            return super().wait(_until(gen, monotonic() + self.seconds), *arguments, **options)
        except TimeoutError:
            # What was asked may still be answered, to whoever asks next.
            self.close()
            raise


def _until(steps: Generator[Any, Any, Any], deadline: float) -> Generator[Any, Any, Any]:
    """The same steps, which end at ``deadline``; psycopg goes on with them ten times a second at least.

    Raises:
        TimeoutError: it is over, and the last thing that came was nothing.
    """
    ready: Any = None
    try:
        while True:
            wanted = steps.send(ready)
            ready = yield wanted
            if not ready and monotonic() >= deadline:
                raise TimeoutError
    except StopIteration as done:
        return done.value


class PostgresBackend:
    """A pool of connections for threads."""

    operations = OPERATIONS

    def __init__(self, url: str, *, timeout: float = 10.0) -> None:
        """Connect to ``url``, a URL or a connection string of libpq; ``timeout`` is in seconds.

        Raises:
            StoreUnavailable: the server cannot be reached.
            ConfigurationError: another release's tables are in the database.
        """
        self._timeout = timeout
        self._pool: ConnectionPool[_Patient] = ConnectionPool(
            url, connection_class=_Patient, configure=self._configure, timeout=timeout, **_pool_options(timeout)
        )
        with _failures():
            self._pool.open()
        try:
            self.run(Operation(OPERATIONS.prepare(), writes=True))
        except BaseException:
            self._pool.close()
            raise

    def run(self, operation: Operation) -> Any:
        """Carry out one operation: a read as one statement, a write in one transaction.

        Raises:
            StoreUnavailable, StoreFull: the store cannot; nothing was acknowledged.
        """
        try:
            return self._run(operation)
        except StoreUnavailable:
            # Where one connection is broken others are too, and each would fail one caller more. None is asked: a
            # server that hangs would keep each waiting.
            self._pool.drain()
            raise

    def _run(self, operation: Operation) -> Any:
        with _failures(), self._pool.connection() as connection:
            with connection.transaction() if operation.writes else contextlib.nullcontext():
                answer = drive(operation.flow, lambda statement: _rows(connection, statement))
            step("committed")
            return answer

    def wipe(self, *, sweeping: bool) -> bool:
        """Remove dead row versions; only in a sweep, because it reads whole tables."""
        if sweeping:
            with _failures(), self._pool.connection() as connection:
                connection.seconds = self._timeout * _WIPE_TIMES
                try:
                    connection.execute(_VACUUM)
                finally:
                    connection.seconds = self._timeout
            step("wiped")
        return sweeping

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()

    def _configure(self, connection: _Patient) -> None:
        connection.seconds = self._timeout


class AsyncPostgresBackend:
    """A pool of connections for one event loop; ``connected`` makes one."""

    operations = OPERATIONS

    def __init__(self, pool: AsyncConnectionPool[psycopg.AsyncConnection[Any]], timeout: float = 10.0) -> None:
        """Use an open pool; an operation has so many seconds."""
        self._pool = pool
        self._timeout = timeout
        self._checking: asyncio.Task[None] | None = None

    @classmethod
    async def connected(cls, url: str, *, timeout: float = 10.0) -> AsyncPostgresBackend:  # noqa: ASYNC109 - of each use
        """As the constructor of ``PostgresBackend``."""
        pool: AsyncConnectionPool[psycopg.AsyncConnection[Any]] = AsyncConnectionPool(
            url, timeout=timeout, **_pool_options(timeout)
        )
        backend = cls(pool, timeout)
        try:
            with _failures():
                await pool.open()
            await backend.run(Operation(OPERATIONS.prepare(), writes=True))
        except BaseException:
            await pool.close()
            raise
        return backend

    async def run(self, operation: Operation) -> Any:
        """As ``PostgresBackend.run``; ``timeout`` is for the whole operation."""
        try:
            return await self._run(operation)
        except StoreUnavailable:
            # As there; in the background, since a server that hangs keeps a check waiting.
            if self._checking is None or self._checking.done():
                self._checking = asyncio.create_task(self._pool.check())
            raise

    async def _run(self, operation: Operation) -> Any:
        with _failures():
            async with asyncio.timeout(self._timeout), self._pool.connection() as connection:

                async def rows(statement: Statement) -> list[Any]:
                    """Carry out one statement of the flow."""
                    cursor = await connection.execute(_percent(statement.sql), statement.parameters)
                    return [] if cursor.description is None else await cursor.fetchall()

                async with connection.transaction() if operation.writes else contextlib.nullcontext():
                    return await drive_async(operation.flow, rows)

    async def wipe(self, *, sweeping: bool) -> bool:
        """As ``PostgresBackend.wipe``."""
        if sweeping:
            with _failures():
                async with self._pool.connection() as connection:
                    await connection.execute(_VACUUM)
        return sweeping

    async def close(self) -> None:
        """Close every connection."""
        if self._checking is not None:
            self._checking.cancel()
            await asyncio.gather(self._checking, return_exceptions=True)
        await self._pool.close()


def _rows(connection: _Patient, statement: Statement) -> list[Any]:
    cursor = connection.execute(_percent(statement.sql), statement.parameters)
    return [] if cursor.description is None else cursor.fetchall()


@cache
def _percent(sql: str) -> bytes:
    """The statement with psycopg's placeholders; ours have no question mark elsewhere and no percent sign."""
    return sql.replace("?", "%s").encode()


@contextlib.contextmanager
def _failures() -> Generator[None]:
    """Turn errors of the client into ours: their text can quote a row, so that only the SQLSTATE is told.

    Raises:
        StoreUnavailable, StoreFull: as the error says.
    """
    try:
        yield
    except (PoolTimeout, TimeoutError):
        failure: StoreUnavailable | StoreFull = StoreUnavailable(
            "the store did not answer in time; nothing was acknowledged, try again"
        )
    except (pg.DiskFull, pg.OutOfMemory, pg.ConfigurationLimitExceeded) as error:
        said = error.sqlstate
        failure = StoreFull(f"the store has no room left (SQLSTATE {said}); nothing was written; make room, try again")
    except psycopg.Error as error:
        said = error.sqlstate or type(error).__name__
        failure = StoreUnavailable(f"the store cannot be used ({said}); nothing was acknowledged, try again")
    else:
        return
    raise failure
