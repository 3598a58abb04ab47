"""PostgreSQL: every table that the role may read, in batches by key, never with a lock that others wait for.

Rows are read in short read-only transactions, so that a scan of hours holds no old row back from vacuum. Tables
without a key are read through one cursor in one transaction, because nothing else tells where to go on.
Catalogues and settings: https://www.postgresql.org/docs/current/catalogs.html (read 2026-11-29).
"""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, LiteralString

import psycopg
from psycopg import sql
from psycopg.types.string import TextLoader

from reticent.errors import ConfigurationError
from reticent.scan._rows import Json
from reticent.scan._tables import Change, Row, Table, TableLook
from reticent.scan.findings import NotRead, Where

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from reticent.scan.findings import Note
    from reticent.scan.judge import Judge
    from reticent.scan.sources import Database
    from reticent.scan.state import State

_BATCH: Final = 500
TEXTS: Final = frozenset({"text", "varchar", "bpchar", "citext", "xml", "json", "name"})
JSON: Final = "jsonb"
ARRAYS: Final = frozenset({"_text", "_varchar", "_bpchar", "_citext"})
_READ_ONLY: Final[tuple[LiteralString, ...]] = (
    "SET default_transaction_read_only = on",
    "SET row_security = off",  # a policy that hides rows is an error then, and not a silent gap
    "SET search_path = pg_catalog",
    "SET lock_timeout = '2s'",
    "SET idle_in_transaction_session_timeout = '10min'",
)
_TABLES: Final = """
SELECT c.oid, n.nspname, c.relname, c.relkind::text, c.relpersistence::text,
       has_table_privilege(c.oid, 'SELECT') AND has_schema_privilege(n.oid, 'USAGE')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'm', 'f') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
ORDER BY n.nspname, c.relname
"""
_COLUMNS: Final = """
SELECT a.attname, COALESCE(b.typname, t.typname), format_type(a.atttypid, a.atttypmod), a.attnotnull,
       a.attgenerated <> '', t.typcategory::text
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_type b ON b.oid = t.typbasetype
WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
"""
_KEYS: Final = """
SELECT ARRAY(SELECT a.attname FROM unnest(i.indkey) WITH ORDINALITY AS k(attnum, at)
             JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
             WHERE k.at <= i.indnkeyatts ORDER BY k.at)
FROM pg_index i
WHERE i.indrelid = %(table)s AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
  AND NOT EXISTS (SELECT FROM unnest(i.indkey) WITH ORDINALITY AS k(attnum, at)
                  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
                  WHERE k.at <= i.indnkeyatts AND NOT a.attnotnull)
ORDER BY i.indisprimary DESC, i.indnkeyatts, i.indexrelid
LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Column:
    """One column; ``kind`` is the name of its type, below any domain, ``declared`` the type as SQL writes it."""

    name: str
    kind: str
    declared: LiteralString
    is_required: bool
    is_generated: bool

    @property
    def sql_type(self) -> sql.SQL:
        """The type for a cast; the server's own ``format_type`` wrote and quoted it."""
        return sql.SQL(self.declared)

    @property
    def is_text(self) -> bool:
        """Whether its cells are looked at as they are; others that may hold text are read as text and not changed."""
        return self.kind in TEXTS or self.kind in ARRAYS or self.kind in (JSON, "bytea")


@dataclass(frozen=True, slots=True)
class Detail:
    """What PostgreSQL knows of a table."""

    schema: str
    relation: str
    columns: dict[str, Column]


class PostgresTables:
    """The tables of one database."""

    def __init__(self, source: str, connection: psycopg.Connection[Any], only: Sequence[str], max_bytes: int) -> None:
        """Read through ``connection``, ``only`` the named tables if there are any."""
        self.source = source
        self.connection = connection
        self._only = frozenset(only)
        self._max_bytes = max_bytes

    def tables(self) -> Iterator[Table | NotRead]:
        """Every table and materialised view; partitions stand for their parents.

        Raises:
            ConfigurationError: a table that was named is not there.
        """
        rows = self.connection.execute(_TABLES).fetchall()
        names = {f"{schema}.{relation}" for _, schema, relation, *_ in rows}
        if missing := sorted(self._only - names):
            raise ConfigurationError(f"{self.source}: no table {missing[0]!r}; write schema.name")
        for oid, schema, relation, kind, _, may_read in rows:
            name = f"{schema}.{relation}"
            if self._only and name not in self._only:
                continue
            if kind == "f":
                yield NotRead(self.source, "foreign-table", "its rows are in another database", Where(table=name))
            elif not may_read:
                yield NotRead(self.source, "no-right", "the role may not read it", Where(table=name))
            else:
                yield self._table(oid, schema, relation)
        if not self._only:
            yield from self._large_objects()

    def batches(self, table: Table, after: tuple[Any, ...] | None) -> Iterator[list[Row]]:
        """Rows by key, each batch a transaction of its own; without a key, one cursor over all of them."""
        if not table.key:
            yield from self._unkeyed(table)
            return
        select = self._select(table)
        key = sql.SQL(", ").join(map(sql.Identifier, table.key))
        typed = sql.SQL(", ").join(sql.SQL("%s::{}").format(table.detail.columns[name].sql_type) for name in table.key)
        behind = sql.SQL(" WHERE ({}) > ({})").format(key, typed)
        tail = sql.SQL(" ORDER BY {} LIMIT {}").format(key, sql.Literal(_BATCH))
        while True:
            query = sql.Composed([select, *([behind] if after is not None else []), tail])
            found = self.connection.execute(query, after).fetchall()
            if not found:
                return
            rows = [self._row(table, row) for row in found]
            yield rows
            after = rows[-1].key

    def _unkeyed(self, table: Table) -> Iterator[list[Row]]:
        with self.connection.transaction(), self.connection.cursor(name="reticent_scan") as cursor:
            cursor.execute(self._select(table))
            while found := cursor.fetchmany(_BATCH):
                yield [self._row(table, row) for row in found]

    def _select(self, table: Table) -> sql.Composed:
        """Key, cells, and for each cell whether it is too large to be fetched."""
        detail: Detail = table.detail
        limit = sql.Literal(self._max_bytes)
        # The names of the output must differ from those of the columns, because ORDER BY would take the output's.
        wanted: list[sql.Composable] = [
            sql.SQL("{}::text AS {}").format(sql.Identifier(name), sql.Identifier(f"reticent key {at}"))
            for at, name in enumerate(table.key)
        ]
        wanted += [_cell(detail.columns[name], limit) for name in table.columns]
        wanted += [_excess(detail.columns[name], limit) for name in table.columns]
        return sql.SQL("SELECT {} FROM ONLY {}").format(
            sql.SQL(", ").join(wanted), sql.Identifier(detail.schema, detail.relation)
        )

    def _row(self, table: Table, row: Sequence[Any]) -> Row:
        width, many = len(table.key), len(table.columns)
        columns: dict[str, Column] = table.detail.columns
        cells = {
            name: Json(cell) if columns[name].kind == JSON and cell is not None else cell
            for name, cell in zip(table.columns, row[width : width + many], strict=True)
        }
        large = tuple(name for name, is_large in zip(table.columns, row[width + many :], strict=True) if is_large)
        return Row(tuple(row[:width]), cells, large)

    def _table(self, oid: int, schema: str, relation: str) -> Table:
        rows = self.connection.execute(_COLUMNS, (oid,)).fetchall()
        found = self.connection.execute(_KEYS, {"table": oid}).fetchone()
        key = tuple(found[0]) if found is not None else ()
        columns = {row[0]: Column(*row[:5]) for row in rows}
        wanted = tuple(row[0] for row in rows if _may_hold(row))
        return Table(f"{schema}.{relation}", wanted, key, Detail(schema, relation, columns))

    def _large_objects(self) -> Iterator[NotRead]:
        found = self.connection.execute("SELECT count(*) FROM pg_largeobject_metadata").fetchone()
        if found is not None and found[0]:
            yield NotRead(self.source, "large-objects", f"{found[0]} large objects, which stand outside of any table")


def _may_hold(row: Sequence[Any]) -> bool:
    """Whether text can stand in a column: strings, JSON, bytes, arrays, and the types of users."""
    kind, category = row[1], row[5]
    return kind in TEXTS or kind in (JSON, "bytea", "hstore") or category in ("S", "A", "C")


def _cell(column: Column, limit: sql.Literal) -> sql.Composed:
    name = sql.Identifier(column.name)
    value = name if column.kind == "bytea" or column.kind in ARRAYS else sql.SQL("{}::text").format(name)
    return sql.SQL("CASE WHEN octet_length({}) <= {} THEN {} END").format(_measured(column), limit, value)


def _excess(column: Column, limit: sql.Literal) -> sql.Composed:
    return sql.SQL("octet_length({}) > {}").format(_measured(column), limit)


def _measured(column: Column) -> sql.Composable:
    name = sql.Identifier(column.name)
    return name if column.kind == "bytea" else sql.SQL("{}::text").format(name)


@contextmanager
def opened(url: str, name: str, *, write: bool = False) -> Generator[psycopg.Connection[Any]]:
    """A connection, for reading only unless it is to be written.

    Raises:
        ConfigurationError: the database cannot be reached; the message names no user and no password.
    """
    try:
        connection = psycopg.connect(url, autocommit=True, connect_timeout=10, application_name="reticent scan")
    except psycopg.Error as error:
        raise ConfigurationError(f"{name}: cannot connect ({type(error).__name__})") from None
    with closing(connection):
        for kind in ("json", "jsonb", "xml", "citext"):
            if connection.adapters.types.get(kind) is not None:
                connection.adapters.register_loader(kind, TextLoader)
        for setting in _READ_ONLY[1:] if write else _READ_ONLY:
            connection.execute(setting)
        yield connection


def look_at_database(database: Database, only: Sequence[str], judge: Judge, state: State | None) -> Iterator[Note]:
    """Everything there is to tell of a database, table by table; with a state, batch by batch."""
    with opened(database.url, database.name) as connection:
        store = PostgresTables(database.name, connection, only, judge.program.options.max_bytes)
        for table in store.tables():
            if isinstance(table, NotRead):
                yield table
                continue
            try:
                yield from _table(store, table, judge, state)
            except psycopg.Error as error:
                message = f"PostgreSQL: {type(error).__name__}; what came before was read"
                yield NotRead(database.name, "unreadable", message, Where(table=table.name))


def _table(store: PostgresTables, table: Table, judge: Judge, state: State | None) -> Iterator[Note]:
    """One table, from where the state says."""
    name = f"{store.source} {table.name}"
    kept = state.done(name, "") if state is not None else None
    if kept is not None:
        yield from kept
        return
    place, earlier = state.place(name, "") if state is not None else (None, [])
    if state is not None and place is None:
        state.begin(name)
    yield from earlier
    look = TableLook(store, table, judge)
    look.resume(place["unread"] if place is not None else ())
    held: list[Note] = []
    for batch in store.batches(table, tuple(place["key"]) if place is not None else None):
        notes = [note for _, _, told in look.batch(batch) for note in told]
        if state is not None and table.key:
            state.save(name, "", notes, place={"key": list(batch[-1].key), "unread": look.counted})
        else:
            held += notes
        yield from notes
    last = list(look.end())
    yield from last
    if state is not None:
        state.save(name, "", [*held, *last])


__all__ = ["Change", "PostgresTables", "look_at_database", "opened"]
