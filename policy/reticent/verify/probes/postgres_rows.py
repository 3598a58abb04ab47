"""PostgreSQL: what stands in the rows is ciphertext, and what should be erased is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import Field

from reticent.verify.probes._ciphertext import CiphertextSettings, judge, refuse_unlisted
from reticent.verify.probes._erasure import ErasureSettings, left_over
from reticent.verify.probes._postgres import connected, relation
from reticent.verify.probing import NotHeld, ShippedProbe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from psycopg import Connection

    from reticent.verify.probing import Probe

_FEW: Final = 100_000
"""Up to this many rows the sample is drawn from all of them, beyond that from some pages."""


class PostgresCiphertext(CiphertextSettings):
    """Where the server is."""

    dsn: str = Field(min_length=1)
    server_versions: tuple[int, ...] = ()


class PostgresErasure(ErasureSettings):
    """Where the server is."""

    dsn: str = Field(min_length=1)
    server_versions: tuple[int, ...] = ()


def ciphertext(settings: PostgresCiphertext) -> str:
    """A sample of rows has ciphertext in the columns, and no other column could hold content."""
    with connected(settings.dsn, settings.server_versions) as connection:
        number = relation(connection, settings.table)
        # Numbers, times, truth values and identifiers of fixed length hold no sentence.
        rows = connection.execute(
            "SELECT a.attname FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid "
            "WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped "
            "AND (t.typcategory NOT IN ('N', 'D', 'B', 'T') AND t.typname <> 'uuid' OR a.attname = ANY(%s))",
            (number, [*settings.columns, *settings.clear]),
        )
        refuse_unlisted([name for (name,) in rows], settings)
        return judge(_sample(connection, number, settings), settings)


def _sample(connection: Connection[Any], number: int, settings: PostgresCiphertext) -> list[tuple[object, ...]]:
    from psycopg import sql

    found = connection.execute(
        "SELECT n.nspname, c.relname, c.reltuples FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.oid = %s",
        (number,),
    ).fetchone()
    schema, table, about = cast("tuple[Any, Any, Any]", found)
    percent = 100.0 if about <= _FEW else max(100 * settings.sample / about * 20, 0.001)
    query = sql.SQL("SELECT {columns} FROM {table} {some} ORDER BY random() LIMIT {most}").format(
        columns=sql.SQL(", ").join(map(sql.Identifier, settings.columns)),
        table=sql.Identifier(schema, table),
        some=sql.SQL("" if percent == 100.0 else "TABLESAMPLE SYSTEM ({})").format(sql.Literal(percent)),  # noqa: PLR2004 - all of them
        most=sql.Literal(settings.sample),
    )
    return connection.execute(query).fetchall()


def erasure(settings: PostgresErasure) -> str:
    """No task is past its deadline, and no content is there whose task has ended."""
    with connected(settings.dsn, settings.server_versions) as connection:
        for name in filter(None, (settings.table, settings.content)):
            relation(connection, name)

        def count(statement: str) -> int:
            row = connection.execute(statement.encode()).fetchone()
            return int(row[0]) if row else 0

        epoch = connection.execute(
            "SELECT t.typcategory = 'D' FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid "
            "WHERE a.attrelid = %s AND a.attname = %s",
            (relation(connection, settings.table), settings.deadline),
        ).fetchone()
        if epoch is None:
            raise NotHeld("not-found", f"{settings.table} has no column {settings.deadline}")
        now = "now()" if epoch[0] else "extract(epoch FROM now())"
        ago = f"interval '{settings.grace_seconds} seconds'" if epoch[0] else str(settings.grace_seconds)
        return left_over(settings, f"{now} - {ago}", count)


PROBES: Final[Mapping[str, Probe]] = {
    "postgres-erasure": ShippedProbe(PostgresErasure, erasure),
    "postgres-row-ciphertext": ShippedProbe(PostgresCiphertext, ciphertext),
}
