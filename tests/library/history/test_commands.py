"""``reticent boundary`` and ``reticent compact``: exit codes, formats, and bytes in and out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.simulator.messages import asked, said, worked


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A request body with a settled task."""
    file = tmp_path / "history.json"
    body = {"model": "claude-opus-4-5", "max_tokens": 1.50, "messages": worked("x" * 900)}
    file.write_text(json.dumps(body, indent=1), encoding="utf-8")
    return file


def test_boundary_as_text_and_json(run: Any, history: Path) -> None:
    """Where, how sure, why not further; the same facts for a program."""
    code, out, _ = run("boundary", str(history))
    assert 0 == code
    assert b"settled: 4 in 1 unit, confidence signal" in out
    code, out, _ = run("boundary", str(history), "--format", "json")
    assert (0, 4) == (code, json.loads(out)["boundary"])


def test_an_anomaly_is_a_finding(run: Any, tmp_path: Path) -> None:
    """Exit code 1 says that something keeps history alive."""
    file = tmp_path / "h.jsonl"
    file.write_text('{"role":"user","content":"a"}\n{"role":"tool","tool_call_id":"x","content":"b"}\n')
    code, out, _ = run("boundary", str(file))
    assert 1 == code
    assert b"ORPHAN_RESULT" in out


def test_compact_rewrites_only_what_it_changed(run: Any, history: Path) -> None:
    """The body around the history, and every live entry, come out byte for byte."""
    before = history.read_text(encoding="utf-8")
    code, out, err = run("compact", str(history))
    assert (0, b"") == (code, err)
    text = out.decode()
    assert '"max_tokens": 1.5,\n' in text
    assert 3 == len(json.loads(text)["messages"])
    assert before[before.index('"and 8?"') :] in text


def test_a_history_that_cannot_be_compacted_comes_out_as_it_was(run: Any, tmp_path: Path) -> None:
    """Exit code 1, the reason on standard error, the same bytes on standard output."""
    file = tmp_path / "h.json"
    file.write_bytes(b'[ {"role": "user","content": "a"} ]\n')
    code, out, err = run("compact", str(file))
    assert (1, b'[ {"role": "user","content": "a"} ]\n') == (code, out)
    assert b"nothing-settled" in err


def test_a_compact_history_is_clean(run: Any, tmp_path: Path) -> None:
    """Nothing left to do is not a finding."""
    file = tmp_path / "h.json"
    file.write_text(json.dumps([asked("a"), said("b"), asked("c")]))
    code, out, _ = run("compact", str(file), "--profile", "anthropic-keep-all")
    assert (0, file.read_bytes()) == (code, out)


def test_options(run: Any, history: Path, tmp_path: Path) -> None:
    """Profile, floor, window, rungs, dialect and context are heard."""
    assert 0 == run("compact", str(history), "--window", "100000")[0]
    assert history.read_bytes() == run("compact", str(history), "--window", "100000")[1]
    kept = run("compact", str(history), "--keep-turns", "1")
    assert history.read_bytes() == kept[1]
    cleared = run("compact", str(history), "--operation", "clear", "--report", "--format", "json")
    assert b"reticent: cleared" in cleared[1]
    assert "act" == json.loads(cleared[2])["decision"]["verdict"]
    context = tmp_path / "context.json"
    context.write_text('{"tasks": {"*": "running"}}')
    assert 1 == run("compact", str(history), "--context", str(context))[0]
    assert 2 == run("compact", str(history), "--profile", "nobody")[0]
    assert 2 == run("compact", str(history), "--dialect", "nobody")[0]
    assert 2 == run("boundary", str(tmp_path / "missing"))[0]
    assert 2 == run("boundary", str(history), "--context", str(history))[0]


def test_refused_input_writes_nothing(run: Any, tmp_path: Path) -> None:
    """Exit code 3, and not a byte on standard output."""
    file = tmp_path / "h.json"
    file.write_bytes(b'[{"role": "user", "content": "canary')
    code, out, err = run("compact", str(file))
    assert (3, b"") == (code, out)
    assert b"canary" not in err


def test_a_session_log_has_a_boundary_and_is_not_rewritten(run: Any, tmp_path: Path) -> None:
    """Lines that wrap messages are read; lines of a sub-agent stand aside; blocks of one message are one turn."""
    thought = {
        "id": "m1",
        "role": "assistant",
        "stop_reason": "end_turn",
        "content": [{"type": "thinking", "thinking": "x", "signature": "s"}],
    }
    text = {"id": "m1", "role": "assistant", "stop_reason": "end_turn", "content": [{"type": "text", "text": "b"}]}
    lines = [
        {"type": "summary", "summary": "x"},
        {"type": "user", "message": {"role": "user", "content": "a"}},
        {"type": "user", "isSidechain": True, "message": {"role": "user", "content": "side"}},
        {"type": "assistant", "message": thought},
        {"type": "assistant", "message": text},
    ]
    file = tmp_path / "session.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, out, _ = run("boundary", str(file), "--format", "json")
    report = json.loads(out)
    assert (0, "anthropic-messages", 3, 3) == (code, report["dialect"], report["length"], report["boundary"])
    assert 2 == run("compact", str(file))[0]


def test_codex_rollouts_are_read(run: Any, tmp_path: Path) -> None:
    """Items stand under ``payload``."""
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}
    file = tmp_path / "rollout.jsonl"
    file.write_text(
        json.dumps({"type": "session_meta", "payload": {}})
        + "\n"
        + json.dumps({"type": "response_item", "payload": item})
        + "\n"
    )
    report = json.loads(run("boundary", str(file), "--format", "json")[1])
    assert ("openai-responses", 1) == (report["dialect"], report["length"])
