"""SQLite files: every table, in batches by rowid or primary key."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from reticent.scan._tables import Change, Row, Table
from reticent.scan.findings import NotRead, Where

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

_BATCH: Final = 500
_ROWID_NAMES: Final = ("_rowid_", "rowid", "oid")
_GENERATED: Final = 1
_WAIT: Final = 5.0
"""Seconds to wait for somebody else's lock."""


class SqliteTables:
    """The tables of one file."""

    def __init__(self, source: str, connection: sqlite3.Connection) -> None:
        """Read through ``connection``."""
        self.source = source
        self._connection = connection

    def tables(self) -> Iterator[Table | NotRead]:
        """Every table; one whose extension is not loaded cannot be read."""
        names = self._connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name"
        ).fetchall()
        for (name,) in names:
            try:
                yield self._table(name)
            except sqlite3.Error as error:
                yield NotRead(self.source, "unreadable", f"SQLite: {type(error).__name__}", Where(table=name))

    def batches(self, table: Table, after: tuple[Any, ...] | None) -> Iterator[list[Row]]:
        """Rows by key, each batch a read of its own."""
        columns = ", ".join(map(_quoted, table.columns))
        key = ", ".join(table.detail)
        select = f"SELECT {key}, {columns} FROM {_quoted(table.name)}"  # noqa: S608 - every name is quoted
        width = len(table.detail)
        places = ", ".join("?" * width)
        while True:
            behind = f" WHERE ({key}) > ({places})" if after is not None else ""
            found = self._connection.execute(f"{select}{behind} ORDER BY {key} LIMIT {_BATCH}", after or ()).fetchall()
            if not found:
                return
            yield [Row(row[:width], dict(zip(table.columns, row[width:], strict=True))) for row in found]
            after = found[-1][:width]

    def change(self, table: Table, changes: Sequence[Change]) -> int:
        """Write ``changes`` in one transaction; how many rows still had the old values and were changed."""
        with self._connection:
            return sum(self._change(table, change) for change in changes)

    def _change(self, table: Table, change: Change) -> int:
        names = list(change.new)
        settings = ", ".join(f"{_quoted(name)} = ?" for name in names)
        same = " AND ".join([f"{name} = ?" for name in table.detail] + [f"{_quoted(name)} IS ?" for name in names])
        values = [*change.new.values(), *change.key, *(change.old[name] for name in names)]
        return self._connection.execute(
            f"UPDATE {_quoted(table.name)} SET {settings} WHERE {same}",  # noqa: S608 - every name is quoted
            values,
        ).rowcount

    def refusal(self, table: Table, column: str) -> str | None:
        """Why a cell of ``column`` is not changed, or None."""
        for row in self._connection.execute(f"PRAGMA table_xinfo({_quoted(table.name)})"):
            if row[1] == column and row[6]:
                return "the database computes it from other columns"
        return "it is part of the key" if column in table.key else None

    def empty(self, table: Table, column: str) -> Any:
        """NULL, or an empty text in a column that may not be NULL."""
        rows = self._connection.execute(f"PRAGMA table_xinfo({_quoted(table.name)})").fetchall()
        return "" if any(row[1] == column and row[3] for row in rows) else None

    def settle(self, *, vacuum: bool) -> None:
        """Put what was changed into the file itself, and with ``vacuum`` leave no page that held something else."""
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        if vacuum:
            self._connection.execute("VACUUM")

    def _table(self, name: str) -> Table:
        rows = self._connection.execute(f"PRAGMA table_xinfo({_quoted(name)})").fetchall()
        columns = tuple(row[1] for row in rows if row[6] != _GENERATED)
        key = tuple(row[1] for row in sorted(rows, key=lambda row: row[5]) if row[5])
        rowid = next((word for word in _ROWID_NAMES if word not in {column.lower() for column in columns}), None)
        without = self._connection.execute(f"SELECT wr FROM pragma_table_list({_literal(name)})").fetchone()  # noqa: S608
        if (without is not None and without[0]) or rowid is None:
            return Table(name, columns, key, tuple(map(_quoted, key)))
        return Table(name, columns, ("rowid",), (rowid,))


@contextmanager
def opened(path: Path, *, write: bool = False) -> Generator[sqlite3.Connection]:
    """A connection to the file at ``path``; for reading only, unless it is to be written.

    Raises:
        sqlite3.Error: it is no database, damaged, or locked for too long.
    """
    address = f"file:{quote(str(path.absolute()))}?mode={'rw' if write else 'ro'}"
    with closing(sqlite3.connect(address, uri=True, timeout=_WAIT)) as connection:
        connection.text_factory = _text
        if write:
            connection.execute("PRAGMA secure_delete = ON")
        yield connection


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
