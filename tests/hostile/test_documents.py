"""Hostile documents on every entry: filtered or refused, as each document says, and no canary anywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.hostile.generate import FILE, documents

import reticent
from reticent.cli import build_app
from reticent.cli._exit import run
from reticent.errors import EgressRefused
from reticent.testing import leaks

CONTENT = json.loads(FILE.read_text(encoding="utf-8"))
CANARY: str = CONTENT["canary"]
DOCUMENTS: dict[str, dict[str, Any]] = {entry["name"]: entry for entry in CONTENT["documents"]}
SHORT = [name for name, entry in DOCUMENTS.items() if "parts" not in entry]
WIRES = ("sse", "jsonl", "json-array", "json", "log", "aws-eventstream", "ai-sdk-v4", "auto")
PLAN = reticent.load_plan()
LOGS = PLAN.serializer("logs")
APP = build_app()


@cache
def body(name: str) -> bytes:
    """The bytes of a document."""
    entry = DOCUMENTS[name]
    if "parts" in entry:
        return "".join(text * times for text, times in entry["parts"]).encode()
    return bytes.fromhex(entry["hex"]) if "hex" in entry else entry["text"].encode("utf-8", "surrogatepass")


def outcome(work: Callable[[], bytes]) -> str:
    """What became of it; no canary may be in the answer or in the refusal."""
    try:
        out = work()
    except EgressRefused as refusal:
        _says_nothing(refusal)
        return "refused"
    assert leaks(out, CANARY) == []
    return "filtered"


def _says_nothing(refusal: EgressRefused) -> None:
    assert "CANARY" not in f"{refusal!r} {refusal} {refusal.__cause__!r} {refusal.__context__!r}"


def _streamed(data: bytes, wire: str, size: int) -> bytes:
    stream = PLAN.stream("browser_stream", wire=wire)
    return b"".join([*(stream.feed(data[at : at + size]) for at in range(0, len(data), size)), stream.flush()])


def test_the_file_is_what_the_generator_makes() -> None:
    """Documents are changed in the generator, and there are at least two hundred."""
    assert CONTENT["documents"] == json.loads(json.dumps(documents()))
    assert len(DOCUMENTS) == len(CONTENT["documents"]) >= 200


@pytest.mark.parametrize("name", DOCUMENTS)
def test_bytes(name: str) -> None:
    """As a body a document is filtered or refused, as it says."""
    assert outcome(lambda: LOGS(body(name))) == DOCUMENTS[name]["outcome"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_text_of_a_body(name: str) -> None:
    """As a string a document is treated as its bytes are; bytes that are no UTF-8 are refused in that form too."""
    text = body(name).decode("utf-8", "surrogateescape")
    assert outcome(lambda: LOGS(text)) == DOCUMENTS[name]["outcome"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_values(name: str) -> None:
    """What a lenient parser makes of a document is filtered or refused; a string value is a log line."""
    data = body(name)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = {"record": data.decode("utf-8", "replace")}
    outcome(lambda: json.dumps(LOGS.value(value)).encode())


@pytest.mark.parametrize("name", DOCUMENTS)
def test_log_text(name: str) -> None:
    """As a log line, and inside one, a document loses its reasoning or is refused."""
    text = body(name).decode("utf-8", "surrogateescape")
    outcome(lambda: LOGS.text(text).encode("utf-8", "surrogateescape"))
    outcome(lambda: LOGS.text(f"WARN body={text} status=500").encode("utf-8", "surrogateescape"))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_streams(name: str) -> None:
    """As a stream of any wire, and as the payload of an event, a document is filtered or refused."""
    data = body(name)
    for wire in WIRES:
        outcome(lambda wire=wire: _streamed(data, wire, 4096))  # type: ignore[misc]
    outcome(lambda: _streamed(b"data: " + data + b"\n\n", "sse", 4096))


@pytest.mark.parametrize("name", SHORT)
def test_model_text(name: str) -> None:
    """As a model's own text a document is only text: nothing is raised, whatever the pieces."""
    data = body(name)
    assert _streamed(data, "text", 3) == _streamed(data, "text", 4096)


@pytest.mark.parametrize("name", SHORT[::4])
def test_command_line(name: str, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Through the command, a document exits with 0 or 3, and nothing unfiltered is on standard output."""
    file = tmp_path / "document"
    file.write_bytes(body(name))
    code = run(APP, ["filter", "--surface", "logs", "--input", "json", str(file)])
    out, err = capsysbinary.readouterr()
    assert code == {"filtered": 0, "refused": 3}[DOCUMENTS[name]["outcome"]]
    assert leaks(out, CANARY) == []
    assert leaks(err, CANARY) == []
