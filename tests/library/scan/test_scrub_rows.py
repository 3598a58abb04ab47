"""Rows lose their reasoning and nothing else, nobody waits for it, and what stays is told."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Any

import psycopg
import pyarrow as pa
from psycopg.types.json import Jsonb
from pyarrow import parquet
from tests.library.scan.material import CLEAN, KEPT, LEFT, MESSAGE, SECRET, VISIBLE, found, in_sqlite, look, remove

from reticent.scan import _postgresql_change

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def sqlite_rows(path: Path) -> list[Any]:
    """Every row of the test table."""
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT * FROM bodies ORDER BY id").fetchall()
    connection.close()
    return rows


def test_sqlite_rows(tmp_path: Path) -> None:
    """Rows of SQLite lose their carriers and keep every other value, and the old text is in no page of the file."""
    path = tmp_path / "app.db"
    in_sqlite(path, [json.dumps(CLEAN), json.dumps(MESSAGE), f"<think>{SECRET}</think>{VISIBLE}", None, KEPT.decode()])  # type: ignore[list-item]
    before = sqlite_rows(path)
    remove(path, receipt=tmp_path / "receipt.json", vacuum=True)

    assert [
        before[0],
        (2, "kept", LEFT.decode().strip()),
        (3, "kept", VISIBLE),
        *before[3:],
    ] == sqlite_rows(path)
    assert SECRET.encode() not in path.read_bytes()
    assert [] == look(path)


def test_a_row_that_is_reasoning_stays_and_is_told(tmp_path: Path) -> None:
    """A row that is a block of reasoning is not emptied; its owner is told to delete it."""
    connection = sqlite3.connect(tmp_path / "app.db")
    with connection:
        connection.execute("CREATE TABLE blocks (id INTEGER PRIMARY KEY, type TEXT, thinking TEXT, signature TEXT)")
        connection.execute("INSERT INTO blocks VALUES (1, 'thinking', ?, 'c2ln')", (SECRET,))
    connection.close()

    assert ["whole-row"] == [gap.code for gap in remove(tmp_path / "app.db", receipt=tmp_path / "receipt.json").kept]


def test_parquet_rows(tmp_path: Path) -> None:
    """A Parquet file keeps its schema, row groups, metadata, compression and every value that is no carrier."""
    path = tmp_path / "rows.parquet"
    nested = pa.struct(
        [("role", pa.string()), ("thinking", pa.string()), ("content", pa.string()), ("n", pa.float64())]
    )
    table = pa.table(
        {
            "n": pa.array([1.5, float("nan"), None, 4.0]),
            "body": [json.dumps(CLEAN), json.dumps(MESSAGE), None, KEPT.decode()],
            "turn": pa.array(
                [None, {"role": "assistant", "thinking": SECRET, "content": VISIBLE, "n": 0.1}, None, None], type=nested
            ),
        },
    ).replace_schema_metadata({"made by": "us"})
    parquet.write_table(table, path, row_group_size=2, compression="gzip")
    remove(path, receipt=tmp_path / "receipt.json")
    after = parquet.ParquetFile(path)
    rows = after.read().to_pylist()

    assert [table.to_pylist()[0], *table.to_pylist()[2:]] == [rows[0], *rows[2:]]
    assert LEFT.decode().strip() == rows[1]["body"]
    assert {"role": "assistant", "thinking": None, "content": VISIBLE, "n": 0.1} == rows[1]["turn"]
    assert table.schema.equals(after.schema_arrow, check_metadata=True)
    assert (2, "GZIP") == (after.num_row_groups, after.metadata.row_group(0).column(1).compression)
    assert [] == look(path)


def test_postgresql_rows(postgres_database: str, tmp_path: Path) -> None:
    """Rows of PostgreSQL keep every other value, in every type, whatever their key is."""
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE t (a text, b date, body jsonb, raw json NOT NULL, data bytea, words text[], thinking text,"
            " role text DEFAULT 'assistant', n numeric DEFAULT 1.50, PRIMARY KEY (a, b))"
        )
        for at in range(230):
            body = MESSAGE if at % 3 == 0 else CLEAN
            connection.execute(
                "INSERT INTO t VALUES (%s, '2026-01-01', %s, %s, %s, %s, %s)",
                (f"k{at}", Jsonb(body), json.dumps(body), json.dumps(body).encode(), [VISIBLE], SECRET),
            )
        before = connection.execute("SELECT * FROM t WHERE false OR a ~ '[12]$' ORDER BY a").fetchall()
        receipt = remove(postgres_database, receipt=tmp_path / "receipt.json", vacuum=True)
        after = connection.execute("SELECT * FROM t WHERE false OR a ~ '[12]$' ORDER BY a").fetchall()

    assert [] == receipt.kept
    assert [] == found(look(postgres_database))
    assert 230 == sum(removal.rows or 0 for removal in receipt.removals)
    left = json.loads(LEFT)
    wanted = [
        (*row[:2], left, left, json.dumps(left).encode(), *row[5:6], None, *row[7:])
        if "thinking" in json.dumps(row[2])
        else (*row[:6], None, *row[7:])
        for row in before
    ]
    assert wanted == after


def test_postgresql_waits_for_nobody_and_overwrites_nothing(
    postgres_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A locked row, a table without a key and a computed column are told; nothing of them is changed."""
    monkeypatch.setattr(_postgresql_change, "PATIENCE", 1)
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute("CREATE TABLE a_unkeyed (body text)")
        connection.execute(
            "CREATE TABLE b_made (id int PRIMARY KEY, s text, body text GENERATED ALWAYS AS (s || '') STORED)"
        )
        connection.execute("INSERT INTO a_unkeyed VALUES (%s)", (json.dumps(MESSAGE),))
        connection.execute("INSERT INTO b_made VALUES (1, %s)", (json.dumps(MESSAGE),))
        connection.execute("CREATE TABLE c_held (id int PRIMARY KEY, body text)")
        connection.execute("INSERT INTO c_held VALUES (1, %s)", (json.dumps(MESSAGE),))
        with psycopg.connect(postgres_database) as other:
            other.execute("SELECT FROM c_held FOR UPDATE")
            receipt = remove(postgres_database, receipt=tmp_path / "receipt.json")

    assert [("public.a_unkeyed", "no-key"), ("public.b_made", "not-writable"), ("public.c_held", "not-writable")] == [
        (gap.where.table, gap.code) for gap in receipt.kept
    ]
