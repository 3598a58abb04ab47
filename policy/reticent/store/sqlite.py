"""The embedded store: one file of SQLite, for one machine and any number of processes on it.

Write-ahead log with full synchronisation: what was acknowledged survives the process and the power. Deleted content is
overwritten, and after each end of a task the log is folded into the file and cut to nothing, because until then it has
old copies of pages (https://www.sqlite.org/wal.html, https://www.sqlite.org/pragma.html#pragma_secure_delete, read
2026-11-29).
"""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path
from typing import Any, Final

from reticent.errors import ConfigurationError, StoreError, StoreFull, StoreUnavailable
from reticent.store._flow import drive
from reticent.store._operations import Operation, step
from reticent.store.sql import SqlOperations, Statement

OPERATIONS: Final = SqlOperations(blob="BLOB", real="REAL")
_FULL: Final = frozenset({"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_TOOBIG"})


class SqliteBackend:
    """One connection, used by one thread at a time; a process that was forked opens its own."""

    operations = OPERATIONS

    def __init__(self, path: str | Path, *, timeout: float = 10.0) -> None:
        """Open the file ``path``, making it readable for its owner alone when it is not there.

        ``timeout`` is how many seconds to wait for another writer.

        Raises:
            StoreUnavailable: the file cannot be opened, or is no database.
            ConfigurationError: another release's tables are in it.
        """
        self._path = Path(path)
        self._timeout = timeout
        self._lock = threading.Lock()
        self._open: tuple[int, sqlite3.Connection] | None = None
        self.run(Operation(OPERATIONS.prepare(), writes=True))

    def run(self, operation: Operation) -> Any:
        """Carry out one operation in a transaction; all of it or nothing.

        Raises:
            StoreUnavailable, StoreFull: the store cannot; nothing was written.
        """
        with self._lock:
            try:
                return self._in_transaction(self._connection(), operation)
            except sqlite3.Error as error:
                failure = _failure(error)
        raise failure

    def _in_transaction(self, connection: sqlite3.Connection, operation: Operation) -> Any:
        connection.execute("BEGIN IMMEDIATE" if operation.writes else "BEGIN")
        try:
            answer = drive(operation.flow, lambda statement: _rows(connection, statement))
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        step("committed")
        return answer

    def wipe(self, *, sweeping: bool) -> bool:
        """Fold the log into the file and cut it; False when a reader still needs it, so that it has to be tried again.

        Raises:
            StoreUnavailable, StoreFull: the store cannot.
        """
        del sweeping  # it is cheap enough for every task that ends
        with self._lock:
            try:
                busy = self._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            except sqlite3.Error as error:
                failure = _failure(error)
            else:
                step("wiped")
                return bool(busy == 0)
        raise failure

    def close(self) -> None:
        """Close the connection; another use opens it again."""
        with self._lock:
            if self._open is not None and self._open[0] == os.getpid():
                self._open[1].close()
            self._open = None

    def _connection(self) -> sqlite3.Connection:
        if self._open is None or self._open[0] != os.getpid():
            self._open = (os.getpid(), self._connect())
        return self._open[1]

    def _connect(self) -> sqlite3.Connection:
        try:
            # SQLite gives its log and its index the mode of the file.
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            said = error.strerror
        else:
            connection = sqlite3.connect(
                self._path, timeout=self._timeout, isolation_level=None, check_same_thread=False
            )
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON", "trusted_schema = OFF"):
                connection.execute(f"PRAGMA {pragma}")
            return connection
        raise StoreUnavailable(f"the store {self._path.name!r} cannot be opened: {said}")


def _rows(connection: sqlite3.Connection, statement: Statement) -> list[Any]:
    return connection.execute(statement.sql, statement.parameters).fetchall()


def _failure(error: sqlite3.Error) -> StoreError:
    """What an error of SQLite means; its text names tables and never has values in it, its class and code do for us."""
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    if name in _FULL:
        return StoreFull(f"the store has no room left ({name}); nothing was written; make room and try again")
    return StoreUnavailable(f"the store cannot be used ({name}); nothing was written; try again")


def path_of(url: str) -> Path:
    """The file that ``sqlite:///relative.db`` or ``sqlite:////absolute.db`` names.

    Raises:
        ConfigurationError: it names none.
    """
    path = url.removeprefix("sqlite:///")
    if path == url or not path or path == ":memory:":
        raise ConfigurationError("a store in SQLite is sqlite:///FILE; with four slashes the path is absolute")
    return Path(path)
