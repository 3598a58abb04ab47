"""Every report in SARIF is valid, and a check that lets nothing wrong through says so."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.evidence import KEY, evidence, table
from tests.library.scan.material import ARCHIVED, CLEAN, FLAT, MESSAGE, in_sqlite, lines
from tests.sarif import faults
from typer.testing import CliRunner

from reticent.cli import build_app
from reticent.evidence import EvidenceFile

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def made(tmp_path: Path, tables: Path) -> Path:
    """Give a folder with something to tell for each command."""
    backlog = tmp_path / "back log"
    backlog.mkdir()
    (backlog / "ünï code.jsonl").write_bytes(lines(CLEAN, MESSAGE, FLAT) + b'{"cut')
    (backlog / "a.zip").write_bytes(ARCHIVED["zip"](lines(MESSAGE)))
    (backlog / "b.bin").write_bytes(bytes(9))
    in_sqlite(backlog / "c.db", [json.dumps(MESSAGE)])
    (tmp_path / "table.yaml").write_text("version: 1\nsurfaces:\n  logs: {verdict: maybe}\n", encoding="utf-8")
    (tmp_path / "clean.py").write_text("total = 1\n", encoding="utf-8")
    (tmp_path / "code.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "evidence.yaml").write_bytes((tables / "evidence.yaml").read_bytes())
    for name, told in (("stale", evidence()), ("none", KEY.sign(EvidenceFile(table().digest, ()), "ops"))):
        (tmp_path / name).write_bytes(told.to_json())
    return tmp_path


CODE = """
import anthropic

def turn(client: anthropic.Anthropic, history):
    reply = client.messages.create(model="m", max_tokens=9, messages=history)
    print(reply)
    print(reply)  # reticent: allow RET107 - why not
"""
COMMANDS: dict[str, tuple[tuple[str, ...], bool]] = {
    "scan": (("scan", "back log"), True),
    "scan of nothing": (("scan", "clean.py"), False),
    "check": (("check", "table.yaml"), True),
    "check without faults": (("check",), False),
    "lint": (("lint", "code.py"), True),
    "lint of nothing": (("lint", "clean.py"), False),
    "diff": (("diff", "evidence.yaml", "--old-evidence", "stale", "--new-evidence", "none"), True),
}


def said(command: tuple[str, ...], form: str) -> tuple[int, str]:
    """The exit code of a command and what it prints."""
    done = CliRunner().invoke(build_app(), [*command, "--format", form], standalone_mode=False)
    assert done.exception is None
    return done.return_value, done.stdout


@pytest.mark.parametrize(("command", "tells"), COMMANDS.values(), ids=COMMANDS)
def test_every_log_is_valid(command: tuple[str, ...], tells: bool, made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command's SARIF keeps to the standard, and its exit code is that of its other forms."""
    monkeypatch.chdir(made)
    code, sarif = said(command, "sarif")
    log = json.loads(sarif)

    assert [] == faults(log)
    assert (code, code) == (said(command, "text")[0], said(command, "json")[0])
    assert tells == bool(log["runs"][0]["results"])
    assert "CANARY" not in sarif


def _valid() -> dict[str, Any]:
    region = {"startLine": 1, "byteOffset": 0}
    place = {"physicalLocation": {"artifactLocation": {"uri": "a%20b"}, "region": region}}
    result = {"ruleId": "r", "level": "error", "message": {"text": "m"}, "locations": [place]}
    run = {
        "tool": {"driver": {"name": "n", "rules": [{"id": "r"}]}},
        "results": [result],
        "columnKind": "unicodeCodePoints",
    }
    return {"version": "2.1.0", "runs": [run]}


BROKEN: dict[str, tuple[tuple[Any, ...], Any]] = {
    "version": (("version",), "2.0"),
    "driver": (("runs", 0, "tool"), {}),
    "level": (("runs", 0, "results", 0, "level"), "fatal"),
    "message": (("runs", 0, "results", 0, "message"), "text"),
    "member": (("runs", 0, "results", 0, "extra"), 1),
    "line": (("runs", 0, "results", 0, "locations", 0, "physicalLocation", "region", "startLine"), 0),
    "address": (("runs", 0, "results", 0, "locations", 0, "physicalLocation", "artifactLocation", "uri"), "a b"),
    "rule": (("runs", 0, "results", 0, "ruleId"), "other"),
    "columns": (("runs", 0, "columnKind"), "bytes"),
}


@pytest.mark.parametrize(("path", "value"), BROKEN.values(), ids=BROKEN)
def test_the_check_can_fail(path: tuple[Any, ...], value: Any) -> None:
    """One wrong member anywhere is told."""
    log = copy.deepcopy(_valid())
    assert [] == faults(log)
    node: Any = log
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value

    assert faults(log)
