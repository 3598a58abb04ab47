"""Probes that look at files and programs: SQLite, logging, export manifests, the OpenTelemetry Collector."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
import sqlite3
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.described import code, one_condition

from reticent.testing import canary
from reticent.verify import state
from reticent.verify.probes._ciphertext import objection

if TYPE_CHECKING:
    from collections.abc import Callable

THOUGHT = b"the customer is wrong, and says so for the third time; do not offer a refund"


# ---- what is ciphertext ---------------------------------------------------------------------------------------------


def test_random_bytes_may_be_ciphertext() -> None:
    """Bytes as a cipher makes them raise no objection, at any length from a nonce and a tag on."""
    drawn = random.Random(20261130)  # noqa: S311 - the same bytes in every run
    for size in [*range(28, 600), *range(600, 6000, 77)]:
        assert objection(drawn.randbytes(size), 0) is None, size


@pytest.mark.parametrize("header", ["1f8b", "7801", "785e", "789c", "78da", "425a68"])
def test_ciphertext_may_begin_like_an_archive(header: str) -> None:
    """Two or three bytes at the start do not make compressed data of what cannot be unpacked."""
    drawn = random.Random(header)  # noqa: S311 - the same bytes in every run
    values = [bytes.fromhex(header) + drawn.randbytes(size) for size in range(26, 2000, 20)]
    found = [value for value in values if objection(value, 0) is not None]
    # A byte in some two hundred begins a deflated block that yields text.
    assert len(found) <= 2


PLAIN: dict[str, bytes | str] = {
    "a text": THOUGHT.decode(),
    "text in bytes": THOUGHT,
    "a short text": b"hm, not sure",
    "JSON": b'{"thinking": "hm", "signature": "c2ln"}',
    "UTF-16": "the customer is wrong".encode("utf-16-le"),
    "another script": "Der Kunde übertreibt äußerst".encode(),
    "text behind random bytes": random.Random(1).randbytes(64) + THOUGHT,  # noqa: S311
    "gzip": gzip.compress(THOUGHT),
    "zlib": zlib.compress(THOUGHT),
    "zlib, cut short": zlib.compress(THOUGHT * 40 + bytes(range(256)))[:200],
    "bzip2": bz2.compress(THOUGHT),
    "xz": lzma.compress(THOUGHT),
    "base64 of ciphertext, as text": "gAAAAABh" * 8,
    "zeros": bytes(1000),
    "numbers": b"".join(number.to_bytes(4, "big") for number in range(400)),
}


@pytest.mark.parametrize("name", PLAIN)
def test_what_can_be_read_is_no_ciphertext(name: str) -> None:
    """Text in any coding, compressed text and tidy data are no ciphertext."""
    assert objection(PLAIN[name], 0) is not None


def test_header_is_left_out() -> None:
    """What stands in front of ciphertext in the clear can be declared."""
    value = b"key-of-the-second-quarter-of-2026:" + os.urandom(80)

    assert "text" == objection(value, 0)
    assert objection(value, 34) is None


# ---- SQLite ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path) -> sqlite3.Connection:
    """Give a file with tasks, whose content is random bytes."""
    connection = sqlite3.connect(tmp_path / "tasks.db", isolation_level=None)
    connection.execute("CREATE TABLE tasks (task TEXT PRIMARY KEY, deadline REAL, finished REAL)")
    connection.execute("CREATE TABLE items (task TEXT, turn INTEGER, sealed BLOB)")
    for number in range(10):
        connection.execute("INSERT INTO tasks VALUES (?, ?, NULL)", (f"task-{number}", time.time() + 3600))
        connection.execute("INSERT INTO items VALUES (?, 1, ?)", (f"task-{number}", os.urandom(700)))
    return connection


def sealed(folder: Path, **more: Any) -> str:
    """Look for plain text."""
    wanted = {"path": str(folder / "tasks.db"), "table": "items", "columns": ["sealed"], "clear": ["task"], **more}
    return code("sqlite-ciphertext", wanted)


def erased(folder: Path) -> str:
    """Look for what should be gone."""
    wanted = {"path": str(folder / "tasks.db"), "table": "tasks", "deadline": "deadline", "ended": "finished"}
    return code("sqlite-erasure", {**wanted, "content": "items", "key": ["task"], "grace": "5m"})


def test_sqlite_file_is_looked_into(store: sqlite3.Connection, tmp_path: Path) -> None:
    """Plain text in one row of a file is found, and so is a task that nobody erased."""
    assert ("held", "held") == (sealed(tmp_path), erased(tmp_path))
    store.execute("UPDATE items SET sealed = ? WHERE task = 'task-3'", (canary().encode() * 3,))
    assert ("plaintext", "held") == (sealed(tmp_path), erased(tmp_path))
    store.execute("UPDATE tasks SET deadline = ? WHERE task = 'task-3'", (time.time() - 301,))
    assert "overdue" == erased(tmp_path)
    store.execute("UPDATE tasks SET finished = 1 WHERE task = 'task-3'")
    assert "not-erased" == erased(tmp_path)
    store.execute("DELETE FROM items WHERE task = 'task-3'")
    assert ("held", "held") == (sealed(tmp_path), erased(tmp_path))


def test_sqlite_file_that_says_nothing_shows_nothing(store: sqlite3.Connection, tmp_path: Path) -> None:
    """Columns nobody spoke of, too few rows, another table, another file and a broken one are told apart."""
    assert "unlisted-column" == sealed(tmp_path, clear=[])
    store.execute("UPDATE items SET turn = 'a thought, in a column for numbers' WHERE task = 'task-5'")
    assert "unlisted-column" == sealed(tmp_path)
    store.execute("UPDATE items SET turn = 1")
    assert "not-found" == sealed(tmp_path, clear=["task", "tenant"])
    assert "too-few-rows" == sealed(tmp_path, rows=11)
    assert "not-found" == sealed(tmp_path, table="nothing")
    assert "not-found" == sealed(tmp_path / "elsewhere")
    store.close()
    (tmp_path / "tasks.db").write_bytes(b"no database at all" * 100)
    assert "unreadable" == sealed(tmp_path)


# ---- logging --------------------------------------------------------------------------------------------------------

GUARDED = """
import logging
from reticent.integrations.stdlib_logging import guard_handlers
logging.basicConfig()
guard_handlers("logs")
"""
ANOTHER = GUARDED + "\nlogging.getLogger('late').addHandler(logging.StreamHandler())\n"


def test_handlers_are_looked_at_where_they_are_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A handler that somebody adds behind the guard's back is found at the next look, by its logger's name."""
    monkeypatch.chdir(tmp_path)
    module, wanted = tmp_path / "logging_of_ours.py", {"target": "logging_of_ours"}
    module.write_text(GUARDED, encoding="utf-8")
    before = code("log-handlers", wanted)
    module.write_text(ANOTHER, encoding="utf-8")
    said = state(one_condition("log-handlers", wanted))[0]
    module.write_text("raise ValueError('a secret')", encoding="utf-8")
    broken = state(one_condition("log-handlers", wanted))[0]

    assert "held" == before
    assert ("unguarded", "late: StreamHandler") == (said.code, said.detail)
    assert "unreadable" == broken.code
    assert "secret" not in broken.detail


def test_guard_of_another_surface_is_no_guard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A handler that is guarded as some other surface is not what the condition speaks of."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logging_of_others.py").write_text(GUARDED, encoding="utf-8")

    assert "unguarded" == code("log-handlers", {"target": "logging_of_others", "surfaces": ["warehouse"]})


# ---- export manifests -----------------------------------------------------------------------------------------------

MANIFESTS: dict[str, tuple[str, str]] = {
    "left out": ("export: {tables: [conversations, users]}", "held"),
    "named": ("export: {tables: [conversations, items]}", "exported"),
    "named with its schema": ("export: {tables: [public.items]}", "exported"),
    "named in another way": ('export: {tables: [{name: "Public.\\"Items\\""}]}', "exported"),
    "all of it": ('export: {tables: ["*"]}', "exported"),
    "a pattern": ('export: {tables: ["public.it*"]}', "exported"),
    "another schema": ("export: {tables: [archive.conversations]}", "held"),
    "no list": ("export: {}", "no-list"),
    "another shape": ("export: {tables: everything}", "no-list"),
    "an entry without a name": ("export: {tables: [{columns: [a]}]}", "unreadable"),
    "JSON": ('{"export": {"tables": ["items"]}}', "exported"),
    "no YAML": ("export: [", "unreadable"),
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_manifest_leaves_the_store_out(name: str, tmp_path: Path) -> None:
    """A manifest is held to its list: a name, a pattern or no list at all lets the store be exported."""
    text, expected = MANIFESTS[name]
    (tmp_path / "export.yaml").write_text(text, encoding="utf-8")
    wanted = {"path": str(tmp_path / "export.yaml"), "allowed": "export.tables", "excludes": ["public.items"]}

    assert expected == code("export-manifest", wanted)


def test_manifest_of_many_parts_is_read_whole(tmp_path: Path) -> None:
    """A star in the path stands for every key and entry."""
    path = tmp_path / "export.yaml"
    path.write_text("jobs: [{tables: [users]}, {tables: [items]}]", encoding="utf-8")

    assert "exported" == code("export-manifest", {"path": str(path), "allowed": "jobs.*.tables", "excludes": ["items"]})


# ---- OpenTelemetry Collector ----------------------------------------------------------------------------------------

COLLECTOR = """
receivers: {otlp: {protocols: {grpc: {}}}}
processors:
  batch: {}
  attributes/reasoning:
    actions:
      - {key: gen_ai.output.messages, action: delete}
  redaction/keys: {allow_all_keys: false, allowed_keys: [service.name]}
exporters: {otlp/ours: {endpoint: "${env:OURS}"}, otlp/theirs: {endpoint: elsewhere}}
service:
  pipelines:
    traces: {receivers: [otlp], processors: [attributes/reasoning, batch], exporters: [otlp/ours]}
    logs: {receivers: [otlp], processors: [redaction/keys], exporters: [otlp/ours]}
"""
CHANGES: dict[str, tuple[Callable[[str], str], str]] = {
    "as it should be": (lambda text: text, "held"),
    "processor taken out": (lambda text: text.replace("[attributes/reasoning, batch]", "[batch]"), "unprocessed"),
    "another key": (lambda text: text.replace("gen_ai.output.messages", "gen_ai.input.messages"), "unprocessed"),
    "changed, not deleted": (lambda text: text.replace("action: delete", "action: hash"), "unprocessed"),
    "for some spans only": (lambda text: text.replace("    actions:", "    include: {}\n    actions:"), "unprocessed"),
    "allowed": (lambda text: text.replace("[service.name]", "[gen_ai.output.messages]"), "unprocessed"),
    "all allowed": (lambda text: text.replace("allow_all_keys: false", "allow_all_keys: true"), "unprocessed"),
    "not defined": (lambda text: text.replace("redaction/keys: {", "redaction/other: {"), "unprocessed"),
    "a pipeline more": (lambda text: text + "    metrics: {receivers: [otlp], exporters: [otlp/ours]}", "unprocessed"),
    "another exporter": (lambda text: text.replace("exporters: [otlp/ours]}", "exporters: [otlp/theirs]}"), "exported"),
    "no pipelines": (lambda text: text.partition("service:")[0], "unreadable"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_collector_deletes_in_every_pipeline(name: str, tmp_path: Path) -> None:
    """Each pipeline of a collector deletes the attribute and exports to known places only."""
    change, expected = CHANGES[name]
    path = tmp_path / "collector.yaml"
    path.write_text(change(COLLECTOR), encoding="utf-8")
    wanted = {"path": str(path), "deletes": ["gen_ai.output.messages"], "exporters": ["otlp/ours"]}

    assert expected == code("otel-collector", wanted)


def test_collector_may_be_asked_for_some_pipelines(tmp_path: Path) -> None:
    """Pipelines can be named, whole or by signal, and processors as well."""
    path = tmp_path / "collector.yaml"
    path.write_text(COLLECTOR, encoding="utf-8")
    wanted = {"path": str(path), "processors": ["batch"]}

    assert "held" == code("otel-collector", {**wanted, "pipelines": ["traces"]})
    assert "unprocessed" == code("otel-collector", wanted)
    assert "not-found" == code("otel-collector", {**wanted, "pipelines": ["profiles"]})
    assert "settings-invalid" == code("otel-collector", {"path": str(path)})
