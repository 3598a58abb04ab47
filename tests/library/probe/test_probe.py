"""The drill: what is planted is found where it leaks, in every spelling, and nowhere else."""

from __future__ import annotations

import base64
import contextlib
import gzip
import io
import json
import logging
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from reticent.cli import build_app
from reticent.cli._exit import CLEAN, CONFIGURATION, FINDINGS, run
from reticent.compiler import load_plan
from reticent.errors import ConfigurationError, UnknownDialect, UnknownSurface
from reticent.integrations.stdlib_logging import guard_handlers
from reticent.probe import FileSink, HttpSink, LogSink, SqlSink, message, messages, probe, spellings_of
from reticent.probe.marks import found_in, new_mark

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

DIALECTS = ("anthropic-messages", "openai-responses", "gemini")


@pytest.mark.parametrize("spell", ["plain", "short", "json", "base64", "urlsafe", "base64 of json", "hex", "gzip"])
@pytest.mark.parametrize("before", ["", "x", "xy"])
def test_marks_are_found_in_every_spelling(spell: str, before: str) -> None:
    """A mark is found plain, cut short, escaped, base64 at any position, in hex and compressed."""
    mark = new_mark("mk")
    text = f"{before}{mark} and more"
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in text)
    spelled = {
        "plain": text.encode(),
        "short": f"...{mark[-13:]}...".encode(),
        "json": escaped.encode(),
        "base64": base64.b64encode(text.encode()),
        "urlsafe": base64.urlsafe_b64encode(text.encode()),
        "base64 of json": base64.b64encode(json.dumps({"it": text}).encode()),
        "hex": text.encode().hex().encode(),
        "gzip": gzip.compress(text.encode()),
    }

    assert found_in(spelled[spell], spellings_of(mark)) is not None
    assert found_in(spelled[spell], spellings_of(new_mark("mk"))) is None


def test_every_dialect_has_a_message() -> None:
    """There is a marked message for each dialect with vectors, and a strip surface takes out every mark."""
    strip = load_plan().serializer("logs")
    planted = messages()

    assert {*DIALECTS} <= {one.dialect for one in planted}
    for one in planted:
        spelled = json.dumps(one.payload)
        shown = json.dumps(strip.text(one.payload) if isinstance(one.payload, str) else strip.value(one.payload))
        assert one.marks
        assert all(mark in spelled for mark in one.marks)
        assert not [mark for mark in one.marks if mark in shown]
        assert one.visible in shown


def test_marks_are_new_each_time() -> None:
    """No two messages share a mark."""
    first, second = message("anthropic-messages"), message("anthropic-messages")

    assert not {*first.marks} & {*second.marks}


def test_names_are_checked_before_anything_is_driven() -> None:
    """Unknown dialects and surfaces, and sinks of one name, are refused."""
    driven: list[Any] = []
    sink = FileSink("nowhere")

    with pytest.raises(UnknownDialect, match="Did you mean 'gemini'"):
        probe(driven.append, sinks=[sink], dialects=["gemni"])
    with pytest.raises(UnknownSurface):
        probe(driven.append, sinks=[sink], surfaces={"files": "log"})
    with pytest.raises(ConfigurationError):
        probe(driven.append, sinks=[sink, FileSink("elsewhere")])
    with pytest.raises(ConfigurationError):
        probe(driven.append, sinks=[])
    assert [] == driven


def test_files_and_tables_are_searched(tmp_path: Path) -> None:
    """Marks in files and tables are leaks, with the place and the spelling; the receipt quotes no mark."""
    strip = load_plan().serializer("logs")
    log, base = tmp_path / "logs" / "app.log", sqlite3.connect(":memory:")
    log.parent.mkdir()
    base.execute("CREATE TABLE turns (id INTEGER, body TEXT, raw BLOB)")

    def drive(payload: Any) -> None:
        spelled = json.dumps(payload)
        with log.open("a", encoding="utf-8") as file:
            file.write(strip(payload).decode() + "\n")
        base.execute(
            "INSERT INTO turns VALUES (1, ?, ?)", (strip(payload).decode(), base64.b64encode(spelled.encode()))
        )

    receipt = probe(drive, sinks=[FileSink(tmp_path), SqlSink(base)], dialects=DIALECTS)
    files, database = receipt.sinks

    assert (3, ()) == (files.reached, files.leaks)
    assert {("turns.raw", dialect) for dialect in DIALECTS} == {(leak.where, leak.dialect) for leak in database.leaks}
    assert all(leak.spelling.startswith("base64") for leak in receipt.leaks)
    assert not receipt.clean
    assert "leak: database: turns.raw: gemini (base64" in receipt.to_text()
    assert "mk" not in json.loads(receipt.to_json())["sinks"][1]["leaks"][0].values()
    base.close()


def test_surfaces_that_may_have_reasoning_do_not_leak(tmp_path: Path) -> None:
    """What is found in a sink of a pass surface is told, and is no leak."""
    held = tmp_path / "task"

    def drive(payload: Any) -> None:
        held.write_text(json.dumps(payload), encoding="utf-8")

    receipt = probe(drive, sinks=[FileSink(held)], dialects=["gemini"], surfaces={"files": "task_store"})

    assert receipt.sinks[0].leaks
    assert receipt.sinks[0].permitted
    assert () == receipt.leaks
    assert receipt.clean


@contextlib.contextmanager
def root_handler() -> Generator[logging.StreamHandler[io.StringIO]]:
    """A handler on the root logger, and no other."""
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    handler = logging.StreamHandler(io.StringIO())
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    try:
        yield handler
    finally:
        root.handlers[:] = before
        root.setLevel(level)


def test_logs_are_searched_behind_their_guard() -> None:
    """Marks in what handlers write are found, and a guard keeps them out."""

    def drive(payload: Any) -> None:
        logging.getLogger("app").info("turn %s", payload, extra={"payload": payload})

    with root_handler() as handler:
        bare = probe(drive, sinks=[LogSink()], dialects=DIALECTS)
        guard_handlers("logs")
        guarded = probe(drive, sinks=[LogSink()], dialects=DIALECTS)
        assert "emit" not in vars(handler)

    assert {*DIALECTS} == {leak.dialect for leak in bare.leaks}
    assert guarded.clean
    assert 3 == guarded.sinks[0].reached


def test_answers_over_http_are_searched() -> None:
    """The body of an ASGI answer is searched whole, however it was cut."""
    http = HttpSink()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        del receive
        body = json.dumps(scope["payload"]).encode()
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": body[:70], "more_body": True})
        await send({"type": "http.response.body", "body": body[70:]})

    watched = http.watch(app)

    async def drive(payload: Any) -> None:
        async def nothing(*_message: Any) -> None:
            return None

        await watched({"type": "http", "method": "GET", "path": "/chat", "payload": payload}, nothing, nothing)

    receipt = probe(drive, sinks=[http], dialects=["anthropic-messages"])

    assert {"GET /chat"} == {leak.where for leak in receipt.leaks}
    assert 1 == receipt.sinks[0].reached


def test_failures_are_told_by_class() -> None:
    """An exception of the application is in the receipt by its class, and the drill goes on."""

    def drive(payload: Any) -> None:
        raise ValueError(payload)

    receipt = probe(drive, sinks=[FileSink("nowhere")], dialects=["gemini", "mistral"])

    assert (("gemini", "ValueError"), ("mistral", "ValueError")) == receipt.failures
    assert not receipt.clean


def test_command_prints_a_receipt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """The command drives a function of the application and exits with 1 when a mark is found."""
    (tmp_path / "reticent_probe_app.py").write_text(
        "import json\n"
        "def handle(payload):\n"
        "    with open('out.jsonl', 'a') as file: file.write(json.dumps(payload))\n"
        "def quiet(payload): pass\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    options = ["--file", "out.jsonl", "--dialect", "gemini"]

    assert CLEAN == run(build_app(), ["probe", "reticent_probe_app:quiet", *options])
    assert FINDINGS == run(build_app(), ["probe", "reticent_probe_app:handle", *options])
    assert "leak: files: out.jsonl: gemini (plain)" in capsys.readouterr().out
    allowed = [*options, "--surface", "files=task_store", "--format", "json"]
    assert CLEAN == run(build_app(), ["probe", "reticent_probe_app:handle", *allowed])
    assert CONFIGURATION == run(build_app(), ["probe", "reticent_probe_app:missing", *options])
    assert CONFIGURATION == run(build_app(), ["probe", "reticent_probe_app:handle", *options, "--surface", "files"])
