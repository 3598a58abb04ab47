"""PostgreSQL rows without their reasoning, in transactions so short that nobody waits for them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg import sql

from reticent.scan._changes import TableScrub
from reticent.scan._postgresql import ARRAYS, JSON, TEXTS, Column, PostgresTables, opened
from reticent.scan._rows import Json
from reticent.scan.findings import NotRead, Where

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reticent.scan._rows import Cell
    from reticent.scan._tables import Change, Table
    from reticent.scan.judge import Judge
    from reticent.scan.receipt import Journal
    from reticent.scan.scrub import Scrub
    from reticent.scan.sources import Database

PATIENCE = 5
"""Times a batch is tried while somebody else holds its rows."""
_PAUSE: Final = 0.2
_BUSY: Final = (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure)


class PostgresChanges(PostgresTables):
    """The tables of one database, to be changed."""

    def change(self, table: Table, changes: Sequence[Change]) -> int:
        """Write ``changes`` in one transaction; how many rows still had the old values and were changed.

        A row that somebody else holds is waited for two seconds, then the whole batch is tried again a little later.

        Raises:
            psycopg.Error: the rows stayed locked, or the database refused the change.
        """
        for attempt in range(1, PATIENCE + 1):
            try:
                with self.connection.transaction():
                    return sum(self._change(table, change) for change in changes)
            except _BUSY:
                if attempt == PATIENCE:
                    raise
                time.sleep(_PAUSE * attempt)
        return 0

    def refusal(self, table: Table, column: str) -> str | None:
        """Why a cell of ``column`` is not changed, or None."""
        found: Column = table.detail.columns[column]
        if found.is_generated:
            return "the database computes it from other columns"
        if column in table.key:
            return "it is part of the key"
        return None if found.is_text else f"a column of the type {found.declared!r} is not written"

    def empty(self, table: Table, column: str) -> Cell:
        """NULL, or what stands for nothing in a column that may not be NULL."""
        found: Column = table.detail.columns[column]
        if not found.is_required:
            return None
        if found.kind in (JSON, "json"):
            return Json("null") if found.kind == JSON else "null"
        if found.kind in ARRAYS:
            return []
        return b"" if found.kind == "bytea" else ""

    def vacuum(self, name: sql.Identifier) -> None:
        """Let the space of dead rows be used again."""
        self.connection.execute(sql.SQL("VACUUM {}").format(name))

    def _change(self, table: Table, change: Change) -> int:
        columns: dict[str, Column] = table.detail.columns
        names = list(change.new)
        query = sql.SQL("UPDATE ONLY {} SET {} WHERE {}").format(
            sql.Identifier(table.detail.schema, table.detail.relation),
            sql.SQL(", ").join(
                sql.SQL("{} = %s::{}").format(sql.Identifier(name), columns[name].sql_type) for name in names
            ),
            sql.SQL(" AND ").join(
                [*(_is(columns[name]) for name in table.key), *(_still(columns[name]) for name in names)]
            ),
        )
        values = [
            *(_value(change.new[name]) for name in names),
            *change.key,
            *(_value(change.old[name]) for name in names),
        ]
        return self.connection.execute(query, values).rowcount


def _is(column: Column) -> sql.Composed:
    return sql.SQL("{} = %s::{}").format(sql.Identifier(column.name), column.sql_type)


def _still(column: Column) -> sql.Composed:
    """Whether a cell is what it was when it was read; JSON has no other equality than that of its text."""
    if column.kind in TEXTS or column.kind == JSON:
        return sql.SQL("{}::text IS NOT DISTINCT FROM %s::text").format(sql.Identifier(column.name))
    return sql.SQL("{} IS NOT DISTINCT FROM %s::{}").format(sql.Identifier(column.name), column.sql_type)


def _value(cell: Any) -> Any:
    return cell.text if isinstance(cell, Json) else cell


def scrub_database(database: Database, judge: Judge, wanted: Scrub, journal: Journal) -> Iterator[NotRead]:
    """Take the reasoning out of a database, table by table; what could not be read or changed is told."""
    with opened(database.url, database.name, write=wanted.write) as connection:
        store = PostgresChanges(database.name, connection, wanted.tables, judge.program.options.max_bytes)
        for table in list(store.tables()):
            if isinstance(table, NotRead):
                yield table
                continue
            before = len(journal.receipt.removals)
            try:
                yield from TableScrub(store, table, judge, journal, write=wanted.write).run()
                if wanted.write and wanted.vacuum and len(journal.receipt.removals) > before:
                    store.vacuum(sql.Identifier(table.detail.schema, table.detail.relation))
            except psycopg.Error as error:
                message = f"PostgreSQL: {type(error).__name__}; what came before was changed"
                yield NotRead(database.name, "not-writable", message, Where(table=table.name))
