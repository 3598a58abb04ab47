"""``reticent fold`` and ``reticent signals``: exit codes, bytes in and out, the scratchpad file, and the summariser."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.simulator.folds import BODY, TOOLS, work
from tests.simulator.messages import asked
from tests.simulator.orders import use
from tests.simulator.summarisers import filled

from reticent.history.scratchpad import from_json
from reticent.history.summaries import FOLD
from reticent.store import Keyset

SOURCES = {"tools": {"get_order": {"kind": "external"}}, "identifiers": [r"\bORD-\d+\b"]}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """A request body, the declared tools, a summary, a place for the scratchpad, and a summariser."""
    body = {"model": "claude-opus-4-5", "max_tokens": 1.50, "tools": TOOLS, "system": "S", "messages": work()}
    (tmp_path / "request.json").write_text(json.dumps(body, indent=1), encoding="utf-8")
    (tmp_path / "tools.json").write_text(json.dumps(SOURCES), encoding="utf-8")
    (tmp_path / "summary.md").write_text(filled("done as asked", FOLD), encoding="utf-8")
    script = (
        "import pathlib, sys\nsys.stdin.read()\n" + "print(pathlib.Path(__file__).with_name('summary.md').read_text())"
    )
    (tmp_path / "model.py").write_text(script, encoding="utf-8")
    names = {path.stem: str(path) for path in tmp_path.iterdir()}
    return names | {"pad": str(tmp_path / "pad.json"), "command": f"{sys.executable} {names['model']}"}


def test_a_command_writes_the_summary(run: Any, files: dict[str, str]) -> None:
    """The body around the history and every live entry come out byte for byte; facts and notes stand in the file."""
    code, out, err = run(
        "fold",
        files["request"],
        "--summariser",
        files["command"],
        "--sources",
        files["tools"],
        "--scratchpad",
        files["pad"],
        "--keep",
        "2",
        "--progress",
    )
    before = Path(files["request"]).read_bytes()
    assert (0, b"analysed") == (code, err.split(b"\n")[0])
    assert [b"asked", b"answered", b"compacted", b"reinjected"] == err.split()[-4:]
    assert out.startswith(before[: before.index(b'"messages"')])
    assert out.endswith(before[-600:])
    body = json.loads(out)
    assert ["[reticent: folded 16 entries" in json.dumps(entry) for entry in body["messages"]][:2] == [True, False]
    pad = from_json(json.loads(Path(files["pad"]).read_bytes()))
    assert ("ORD-4921",) == pad.literals
    assert 1 == len(pad.notes)
    assert not Path(f"{files['pad']}.new").exists()


def test_a_scratchpad_file_is_encrypted(run: Any, files: dict[str, str]) -> None:
    """With a keyset the file is ciphertext that the same keyset opens; without it, and in plain text, it is refused."""
    keys = str(Path(files["pad"]).with_name("keys.json"))
    Keyset.generate().save(keys)
    fold = ("fold", files["request"], "--summary", files["summary"], "--sources", files["tools"])
    assert 0 == run(*fold, "--scratchpad", files["pad"], "--keys", keys)[0]
    sealed = Path(files["pad"]).read_bytes()
    assert b"ORD-4921" not in sealed
    assert run(*fold, "--scratchpad", files["pad"], "--keys", keys)[0] in {0, 1}
    assert 2 == run(*fold, "--scratchpad", files["pad"])[0]
    Path(files["pad"]).write_text('{"version": 1}', encoding="utf-8")
    code, out, err = run(*fold, "--scratchpad", files["pad"], "--keys", keys)
    assert (3, b"") == (code, out)
    assert b"should be sealed" in err


def test_the_call_may_be_made_elsewhere(run: Any, files: dict[str, str]) -> None:
    """The prompt comes out, and the summary goes in: the same fold as with a command."""
    code, prompt, _ = run("fold", files["request"], "--prompt")
    assert (0, True) == (code, b"## Request and intent\n" in prompt)
    one = run("fold", files["request"], "--summary", files["summary"])[1]
    other = run("fold", files["request"], "--summariser", files["command"])[1]
    assert one == other != Path(files["request"]).read_bytes()


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("import sys; sys.exit(3)", "summariser-failed"),
        ("print('')", "summary-blank"),
        ("import time; time.sleep(30)", "summariser-timeout"),
        ("print('CANARY no sections')", "sections-missing"),
        ("import sys; sys.stdout.buffer.write(b'\\xff')", "summariser-failed"),
    ],
)
def test_a_bad_command_changes_nothing(run: Any, files: dict[str, str], script: str, reason: str) -> None:
    """The same bytes come out, no scratchpad is written, the reason goes to standard error, and the code is 1."""
    Path(files["model"]).write_text(script, encoding="utf-8")
    code, out, err = run(
        "fold",
        files["request"],
        "--summariser",
        files["command"],
        "--scratchpad",
        files["pad"],
        "--timeout",
        "0.3" if "time" in reason else "20",
    )
    assert (1, Path(files["request"]).read_bytes()) == (code, out)
    assert f"refused: {reason}".encode() in err
    assert b"CANARY" not in err
    assert not Path(files["pad"]).exists()


def test_another_worker_on_the_same_scratchpad_wins(run: Any, files: dict[str, str]) -> None:
    """The history comes out as it went in, the file stays the other's, and the loser is told why."""
    Path(f"{files['pad']}.new").write_text("", encoding="utf-8")
    code, out, err = run("fold", files["request"], "--summary", files["summary"], "--scratchpad", files["pad"])
    assert (1, Path(files["request"]).read_bytes()) == (code, out)
    assert b"conflict: " in err
    assert not Path(files["pad"]).exists()


def test_below_the_window_nothing_is_asked(run: Any, files: dict[str, str]) -> None:
    """Code 0 and the same bytes where no fold is due, or where nothing lies behind the latest results."""
    before = Path(files["request"]).read_bytes()
    for more in (["--window", "1000000"], ["--keep", "100"]):
        assert (0, before, b"") == run("fold", files["request"], "--summariser", "false", *more)
    code, out, err = run(
        "fold", files["request"], "--summary", files["summary"], "--window", "10", "--report", "--format", "json"
    )
    assert (0, "folded") == (code, json.loads(err)["status"])
    assert len(out) < len(before)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--prompt", "--summary", "x"],
        ["--summariser", ""],
        ["--summary", "missing.md"],
        ["--prompt", "--sources", "missing.json"],
    ],
)
def test_what_is_asked_wrongly_is_said(run: Any, files: dict[str, str], arguments: list[str]) -> None:
    """Usage and configuration end with code 2 and nothing on standard output."""
    code, out, _ = run("fold", files["request"], *arguments)
    assert (2, b"") == (code, out)


def test_a_broken_scratchpad_is_refused_unquoted(run: Any, files: dict[str, str]) -> None:
    """A scratchpad that is none, or that holds a value without a source, stops the command before the model."""
    for text in ("CANARY", '{"version": 1, "facts": [{"key": "k", "literal": "CANARY"}]}'):
        Path(files["pad"]).write_text(text, encoding="utf-8")
        code, out, err = run("fold", files["request"], "--summary", files["summary"], "--scratchpad", files["pad"])
        assert code in {2, 3}
        assert b"" == out
        assert b"CANARY" not in err


def test_signals_of_a_file(run: Any, tmp_path: Path) -> None:
    """Code 1 and the steps of a repeated call; code 0 when nothing is found; digests in place of arguments."""
    file = tmp_path / "h.json"
    history = [asked("go"), *use("a", "get_order", BODY, id="CANARY"), *use("b", "get_order", BODY, id="CANARY")]
    file.write_text(json.dumps(history), encoding="utf-8")
    code, out, _ = run("signals", str(file))
    assert (1, True) == (code, b"loop: get_order at step 1 as at step 0 (2 times)" in out)
    code, out, _ = run("signals", str(file), "--format", "json", "--window", "1000")
    assert (1, 2) == (code, json.loads(out)["steps"])
    assert b"CANARY" not in out
    tools = tmp_path / "t.json"
    tools.write_text('{"tools": {"get_order": {"polls": true}}}', encoding="utf-8")
    assert 0 == run("signals", str(file), "--sources", str(tools))[0]
