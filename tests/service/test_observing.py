"""What is told of calls: the decision log, the metrics, and the replay of a log under another table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.service.serving import THOUGHT, client, settings
from tests.service.test_plan_holder import DEFAULT
from typer.testing import CliRunner

from reticent.cli import build_app
from reticent.testing import canary, leaks

if TYPE_CHECKING:
    from pathlib import Path

# Nobody but the producer reads the console any more, so its row may pass.
OPENER = DEFAULT.replace("flows:   [support_agents]", "flows:   []").replace(
    "support_console:\n    verdict: strip", "support_console:\n    verdict: pass"
)
CLOSER = DEFAULT.replace("  logs:\n    verdict: strip", "  logs:\n    verdict: strip\n    derived: strip")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Give the decision log of a few calls."""
    path = tmp_path / "decisions.jsonl"
    with client(settings(decision_log=str(path), hash_key="key")) as caller:
        for surface in ("support_console", "support_console", "logs", "task_store", "lgos"):
            caller.post(f"/v1/surfaces/{surface}/filter", json=THOUGHT)
        caller.post("/v1/surfaces/logs/filter", content=b"{")
        caller.post(
            "/v1/surfaces/logs/filter", content=b'data: {"a":1}\n\n', headers={"content-type": "text/event-stream"}
        )
    return path


def records(log: Path) -> list[dict[str, Any]]:
    """Read a log."""
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()]


def test_a_line_tells_a_decision(log: Path) -> None:
    """Each call is one line: who, where, by which plan, what went by rule, and how much came and left."""
    first = records(log)[0]

    assert ("operator", "support_console", "strip", "filtered", 200, "json") == tuple(
        first[name] for name in ("caller", "surface", "verdict", "outcome", "status", "wire")
    )
    assert 1 == sum(count for count, _ in first["removed"].values())
    assert first["bytes_out"] < first["bytes_in"]
    assert first["plan"].startswith("sha256:")
    assert 64 == len(first["hash"])


def test_hash_names_a_body(log: Path) -> None:
    """The same body has the same hash, another one has another."""
    told = records(log)

    assert told[0]["hash"] == told[1]["hash"] != told[5]["hash"]


def test_outcomes_are_told(log: Path) -> None:
    """A refusal is logged by its code, and a surface that does not exist is not named."""
    told = records(log)

    assert "unknown-surface" == told[4]["outcome"]
    assert told[4]["surface"] is None
    assert "malformed-input" == told[5]["outcome"]
    assert "sse" == told[6]["wire"]


def test_log_and_metrics_hold_nothing_of_a_payload(tmp_path: Path) -> None:
    """Names that a payload itself brings, such as block types nobody knows, are counted and not repeated."""
    secret, name, path = canary(), canary("name"), tmp_path / "log"
    with client(settings(decision_log=str(path))) as caller:
        body = {
            "role": "assistant",
            "content": [{"type": name, secret: secret}, {"type": "thinking", "thinking": secret}],
        }
        caller.post("/v1/surfaces/logs/filter", json=body)
        caller.post(f"/v1/surfaces/{name}/filter", json=body)
        metrics = caller.get("/metrics").text

    assert [] == leaks(path.read_bytes() + metrics.encode(), secret, name)
    assert 1 == records(path)[0]["unknown_types"]
    assert 'reticent_unknown_types_total{surface="logs"} 1.0' in metrics


def test_metrics_count(log: Path) -> None:
    """Requests by outcome, removals by rule and bytes are counted for each surface."""
    with client() as caller:
        caller.post("/v1/surfaces/logs/filter", json=THOUGHT)
        caller.post("/v1/surfaces/logs/filter", content=b"{")
        told = caller.get("/metrics").text

    assert log.exists()
    assert 'reticent_requests_total{outcome="filtered",surface="logs"} 1.0' in told
    assert 'reticent_requests_total{outcome="malformed-input",surface="logs"} 1.0' in told
    assert "reticent_removals_total{rule=" in told
    assert "reticent_plan_current 1.0" in told
    assert 'reticent_build_info{native="' in told


def replayed(log: Path, table: str, *options: str) -> tuple[int, str]:
    """Replay a log under another table."""
    path = log.with_name("new.yaml")
    path.write_text(table, encoding="utf-8")
    told = CliRunner().invoke(build_app(), ["replay", str(log), "--table", str(path), *options], standalone_mode=False)
    return told.return_value, told.output


def test_replay_tells_what_opens(log: Path) -> None:
    """A table that lets a surface pass would have let out what was removed there, and the exit code says so."""
    code, told = replayed(log, OPENER)

    assert 1 == code
    assert "support_console: 2 calls" in told
    assert ": 2 would have gone out" in told
    assert "logs:" not in told


def test_replay_tells_what_closes(log: Path) -> None:
    """A surface from which more is withheld is named with the classes, and that is no finding."""
    code, told = replayed(log, CLOSER, "--format", "json")
    changes = {change["surface"]: change for change in json.loads(told)["changes"]}

    assert 0 == code
    assert {"logs": ["derived"]} == {name: change["closes"] for name, change in changes.items()}


def test_replay_of_the_same_table_is_silent(log: Path) -> None:
    """Under the table that was in force nothing opens and nothing closes."""
    code, told = replayed(log, DEFAULT)

    assert 0 == code
    assert "Nothing opens, nothing closes." in told


@pytest.mark.parametrize("line", ["half a line", '{"event":"decision","version":99}'])
def test_replay_refuses_what_it_cannot_read(tmp_path: Path, line: str) -> None:
    """A line that is no JSON, or of another version, is refused by its number and not quoted."""
    path = tmp_path / "log"
    path.write_text(line, encoding="utf-8")
    result = CliRunner().invoke(build_app(), ["replay", str(path), "--table", str(path)])

    assert 0 != result.exit_code
    assert "half a line" not in result.output
