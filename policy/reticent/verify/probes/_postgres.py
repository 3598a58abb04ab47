"""A connection to PostgreSQL that can only read, and its errors as findings."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any, Final

from pydantic import Field

from reticent.verify.probing import NotHeld, Settings

if TYPE_CHECKING:
    from psycopg import Connection

CONNECT_SECONDS: Final = 5
STATEMENT_MILLISECONDS: Final = 10_000

# The catalogs that the probes read are the same in these; https://www.postgresql.org/docs/release/ (read 2026-11-29).
MAJOR_VERSIONS: Final = range(12, 19)


class PostgresSettings(Settings):
    """Where the server is, and which tables it is about."""

    dsn: str = Field(min_length=1)
    tables: tuple[str, ...] = Field(min_length=1)
    server_versions: tuple[int, ...] = ()
    """Major versions to accept beyond those that the probes were written for."""


@contextlib.contextmanager
def connected(dsn: str, more_versions: Sequence[int] = ()) -> Generator[Connection[Any]]:
    """A connection in read-only mode, with time limits; what goes wrong in it is raised as ``NotHeld``."""
    import psycopg
    from psycopg import errors

    options = f"-c default_transaction_read_only=on -c statement_timeout={STATEMENT_MILLISECONDS}"
    try:
        with psycopg.connect(dsn, autocommit=True, connect_timeout=CONNECT_SECONDS, options=options) as connection:
            _refuse_unknown_version(connection.info.server_version // 10_000, more_versions)
            yield connection
    except errors.InsufficientPrivilege:
        raise NotHeld("lacks-rights", "the probe's role may not read what it has to") from None
    except errors.QueryCanceled:
        raise NotHeld("hung", f"a statement took more than {STATEMENT_MILLISECONDS // 1000} seconds") from None
    except (errors.UndefinedTable, errors.UndefinedColumn, errors.UndefinedObject) as error:
        raise NotHeld("not-found", type(error).__name__) from None
    except (psycopg.OperationalError, psycopg.ProgrammingError) as error:
        # What the driver says may quote the address, and with it a password.
        raise NotHeld("unreachable", type(error).__name__) from None


def relation(connection: Connection[Any], name: str) -> int:
    """The number of a table.

    Raises:
        NotHeld: there is no such table, so that nothing can be shown about it.
    """
    row = connection.execute("SELECT to_regclass(%s)::oid", (name,)).fetchone()
    if row is None or row[0] is None:
        raise NotHeld("not-found", f"no table {name}")
    return int(row[0])


def family(connection: Connection[Any], name: str) -> list[int]:
    """A table with its partitions and children, and those it is a part or child of: rows of one are rows of the other.

    Raises:
        NotHeld: there is no such table.
    """
    rows = connection.execute(
        """
        WITH RECURSIVE down(oid) AS (
            SELECT %(table)s::oid UNION SELECT inhrelid FROM pg_inherits JOIN down ON inhparent = down.oid
        ), up(oid) AS (
            SELECT %(table)s::oid UNION SELECT inhparent FROM pg_inherits JOIN up ON inhrelid = up.oid
        )
        SELECT oid FROM down UNION SELECT oid FROM up
        """,
        {"table": relation(connection, name)},
    )
    return [row[0] for row in rows]


def _refuse_unknown_version(major: int, more: Sequence[int]) -> None:
    if major not in MAJOR_VERSIONS and major not in more:
        known = f"{MAJOR_VERSIONS[0]} to {MAJOR_VERSIONS[-1]}"
        raise NotHeld("server-version", f"PostgreSQL {major}; this probe knows {known}")
