"""The forms of a scan's report say the same, and a receipt says what it did."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgpack
import pytest
from tests.library.scan.material import CLEAN, FLAT, MESSAGE, SECRET, found, gaps, in_parquet, in_sqlite, lines, look
from typer.testing import CliRunner

from reticent.cli import build_app
from reticent.scan.findings import from_dict

if TYPE_CHECKING:
    from pathlib import Path

    from reticent.scan import Note


@pytest.fixture
def backlog(tmp_path: Path) -> Path:
    """Give a folder with findings and gaps of every kind of place."""
    folder = tmp_path / "backlog"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(lines(CLEAN, MESSAGE, FLAT) + b'{"cut')
    (folder / "b.bin").write_bytes(bytes(9))
    in_sqlite(folder / "c.db", [json.dumps(MESSAGE)])
    in_parquet(folder / "d.parquet", [json.dumps(MESSAGE)])
    (folder / "e.msgpack").write_bytes(msgpack.packb(CLEAN) + msgpack.packb(MESSAGE))
    return folder


def said(*command: str) -> tuple[int, str]:
    """The exit code of a command and what it prints."""
    done = CliRunner().invoke(build_app(), list(command), standalone_mode=False)
    assert done.exception is None
    return done.return_value, done.stdout


def summary(notes: list[Note]) -> dict[str, Any]:
    """What a report has to sum up."""
    rules = Counter[str]()
    for note in found(notes):
        rules[note.rule] += note.count
    return {
        "sources": 5,
        "findings": len(found(notes)),
        "sources_with_findings": len({note.source for note in found(notes)}),
        "carriers": sum(note.count for note in found(notes)),
        "length": sum(note.length for note in found(notes)),
        "rules": dict(sorted(rules.items())),
        "not_read": dict(sorted(Counter(gap.code for gap in gaps(notes)).items())),
        "clean": False,
    }


def test_json_and_lines_have_every_note(backlog: Path) -> None:
    """JSON and JSON lines hold each note as a scan gives it, in its order, and one sum, and can be read back."""
    notes = look(backlog)
    code, text = said("scan", str(backlog), "--format", "json")
    told = json.loads(text)
    *rows, last = map(json.loads, said("scan", str(backlog), "--format", "jsonl")[1].splitlines())

    assert 3 == code
    assert notes == [from_dict(row) for row in told["notes"]] == [from_dict(row) for row in rows]
    assert summary(notes) == told["summary"]
    assert {"kind": "summary", **told["summary"]} == last
    assert SECRET not in text


def test_text_has_a_line_for_each_note(backlog: Path) -> None:
    """The text is what each note says of itself, and a line with the sum."""
    notes = look(backlog)
    *rows, last = said("scan", str(backlog))[1].splitlines()

    assert [str(note) for note in notes] == rows
    assert f"5 sources: {len(found(notes))} findings" in last
    assert f"{len(gaps(notes))} not read" in last


def test_sarif_has_findings_as_results_and_gaps_as_notifications(backlog: Path) -> None:
    """Each finding is a result at its place, each gap a notification, and a run with gaps was not successful."""
    notes = look(backlog)
    (run,) = json.loads(said("scan", str(backlog), "--format", "sarif")[1])["runs"]
    (invocation,) = run["invocations"]

    assert [note.rule for note in found(notes)] == [result["ruleId"] for result in run["results"]]
    assert [gap.code for gap in gaps(notes)] == [
        note["descriptor"]["id"] for note in invocation["toolExecutionNotifications"]
    ]
    assert not invocation["executionSuccessful"]
    for note, result in zip(found(notes), run["results"], strict=True):
        (place,) = result["locations"]
        region = place["physicalLocation"].get("region", {})
        assert (note.where.line, note.where.offset) == (region.get("startLine"), region.get("byteOffset"))
        assert (note.reasoning_class, note.count) == (result["properties"]["class"], result["properties"]["count"])


def test_a_report_goes_to_a_file(backlog: Path, tmp_path: Path) -> None:
    """With --output the report stands in the file and nothing on standard output."""
    report = tmp_path / "report.json"

    assert (3, "") == said("scan", str(backlog), "--format", "json", "--output", str(report))
    assert summary(look(backlog)) == json.loads(report.read_text(encoding="utf-8"))["summary"]


def test_scrub_prints_its_receipt(backlog: Path, tmp_path: Path) -> None:
    """A scrub's JSON is the receipt that it writes: what went by rule, what was left, and that it was done."""
    (backlog / "b.bin").unlink()
    code, planned = said("scrub", str(backlog), "--format", "json")
    receipt = tmp_path / "receipt.json"
    done = said("scrub", str(backlog), "--write", "--receipt", str(receipt), "--format", "json")
    plan, told, kept = json.loads(planned), json.loads(done[1]), json.loads(receipt.read_text(encoding="utf-8"))

    assert (3, 3) == (code, done[0])  # the line that is no JSON
    assert (False, True) == (plan["written"], told["written"])
    assert plan["rules"] == told["rules"] == kept["rules"]
    assert kept["removals"] == told["removals"]
    assert ["malformed-input"] == [gap["code"] for gap in told["kept"]]
    assert 5 == sum(rule["count"] for rule in told["rules"].values())
    assert SECRET not in done[1] + planned
