"""PostgreSQL: what is found in which type of column, what cannot be read, and that nobody is kept waiting."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg.types.json import Json, Jsonb
from tests.library.scan.material import CLEAN, FLAT, MESSAGE, SECRET, VISIBLE, events, found, gaps, look, settings, sse

from reticent.errors import ConfigurationError
from reticent.scan import Scan, scan

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def database(postgres_database: str) -> Iterator[tuple[str, psycopg.Connection[Any]]]:
    """Give the address of an empty database and a connection to it."""
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        yield postgres_database, connection


@pytest.mark.parametrize(
    ("kind", "value", "pointer"),
    [
        ("text", json.dumps(MESSAGE), "/content/0"),
        ("varchar(4000)", json.dumps(MESSAGE), "/content/0"),
        ("json", Json(MESSAGE), "/content/0"),
        ("jsonb", Jsonb(MESSAGE), "/content/0"),
        ("bytea", json.dumps(MESSAGE).encode(), "/content/0"),
        ("text[]", [VISIBLE, json.dumps(MESSAGE)], "/1"),
        ("text", sse(events(SECRET, kind="thinking")).decode(), None),
        ("text", f"<think>{SECRET}</think>{VISIBLE}", None),
        ("words", json.dumps(MESSAGE), "/content/0"),
    ],
)
def test_types_of_columns(
    kind: str, value: Any, pointer: str | None, database: tuple[str, psycopg.Connection[Any]]
) -> None:
    """Reasoning is found in every type of column that can hold text."""
    url, connection = database
    connection.execute("CREATE DOMAIN words AS text")
    connection.execute(f"CREATE TABLE t (id bigint PRIMARY KEY, note text, body {kind})".encode())
    connection.execute("INSERT INTO t VALUES (1, 'kept', NULL), (7, 'kept', %s)", (value,))
    notes = look(url)

    assert [] == gaps(notes)
    assert {("public.t", "body", "id=7", pointer)} == {
        (note.where.table, note.where.column, note.where.key, note.where.pointer) for note in found(notes)
    }


def test_columns_are_members(database: tuple[str, psycopg.Connection[Any]]) -> None:
    """A column named after a carrier is one in a row of a model, and a person's row keeps its words."""
    url, connection = database
    connection.execute("CREATE TABLE messages (role text, content text, reasoning_content text)")
    connection.execute("INSERT INTO messages VALUES ('assistant', %s, %s)", (VISIBLE, SECRET))
    connection.execute("INSERT INTO messages VALUES ('user', '<think>is this a tag?</think>', NULL)")
    (one,) = found(look(url))

    assert ("reasoning_content", None, len(SECRET)) == (one.where.column, one.where.key, one.length)


def test_what_cannot_be_read(database: tuple[str, psycopg.Connection[Any]]) -> None:
    """Tables without the right to read, with hidden rows, and large objects are told, and the others are read."""
    url, connection = database
    connection.execute("CREATE TABLE a_secret (body text)")
    connection.execute("CREATE TABLE b_hidden (body text)")
    connection.execute("ALTER TABLE b_hidden ENABLE ROW LEVEL SECURITY")
    connection.execute("CREATE TABLE c_open (id int PRIMARY KEY, body text)")
    connection.execute("INSERT INTO c_open VALUES (1, %s)", (json.dumps(MESSAGE),))
    connection.execute("SELECT lo_create(0)")
    connection.execute("CREATE ROLE reader LOGIN PASSWORD 'word'")
    connection.execute("GRANT SELECT ON b_hidden, c_open TO reader")
    scheme, _, rest = url.partition("://")
    try:
        notes = look(f"{scheme}://reader:word@{rest.partition('@')[2]}")
    finally:
        connection.execute("DROP OWNED BY reader")
        connection.execute("DROP ROLE reader")

    assert [("no-right", "public.a_secret"), ("unreadable", "public.b_hidden"), ("large-objects", None)] == [
        (gap.code, gap.where.table) for gap in gaps(notes)
    ]
    assert ["public.c_open"] == [note.where.table for note in found(notes)]


def test_passwords_are_not_told(database: tuple[str, psycopg.Connection[Any]]) -> None:
    """Neither a finding nor an error names the user or the password of an address."""
    url, connection = database
    connection.execute("CREATE TABLE t (body text)")
    connection.execute("INSERT INTO t VALUES (%s)", (json.dumps(FLAT),))
    password = connection.info.password
    told = "".join(f"{note}{note!r}" for note in look(url))
    with pytest.raises(ConfigurationError) as refused:
        look(url.replace(password, "wrong-password"))

    assert "t.body" in told
    assert password not in told
    assert "wrong-password" not in str(refused.value)


def test_named_tables_only(database: tuple[str, psycopg.Connection[Any]]) -> None:
    """Only the tables that were named are read; one that is not there is a fault of usage."""
    url, connection = database
    for name in ("a", "b"):
        connection.execute(f"CREATE TABLE {name} (body text)")
        connection.execute(f"INSERT INTO {name} VALUES (%s)", (json.dumps(MESSAGE),))  # noqa: S608 - a name of ours

    assert ["public.b"] == [note.where.table for note in found(look(url, tables=["public.b"]))]
    with pytest.raises(ConfigurationError, match=r"public\.c"):
        look(url, tables=["public.c"])


def test_a_scan_locks_nothing(database: tuple[str, psycopg.Connection[Any]]) -> None:
    """While a scan stands between two batches, others write and alter the table."""
    url, connection = database
    connection.execute("CREATE TABLE t (id int PRIMARY KEY, body jsonb)")
    connection.execute("INSERT INTO t SELECT n, %s FROM generate_series(1, 1200) n", (Jsonb(MESSAGE),))
    notes = scan(Scan([url], settings()))
    next(notes)
    connection.execute("SET lock_timeout = '100ms'")
    connection.execute("ALTER TABLE t ADD COLUMN more text")
    connection.execute("INSERT INTO t VALUES (0, %s), (2000, %s)", (Jsonb(CLEAN), Jsonb(MESSAGE)))

    assert 1200 == len(list(notes))  # one was read before; the row that came behind all others is read as well
