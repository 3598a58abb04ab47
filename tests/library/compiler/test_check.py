"""Checks of tables, in every form."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from reticent.compiler.check import RULES, check_table, check_text
from reticent.compiler.check_render import to_github, to_json, to_sarif, to_text
from reticent.compiler.faults import _WORDINGS

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path


def test_right_table_is_clean(today: date) -> None:
    """The shipped table has no findings, and the sum says how it was decided."""
    report = check_table(today=today)

    assert report.clean
    assert "default.yaml: 8 surfaces proved; 3 pass, 5 strip\n" == to_text(report)
    assert "" == to_github(report)
    assert [] == json.loads(to_sarif(report))["runs"][0]["results"]


def test_finding_is_one_line_that_editors_parse(tables: Path, today: date) -> None:
    """File, line, column, code, message and fix stand in one line."""
    path = tables / "broken" / "disagrees.yaml"

    assert (
        f"{path}:7:5: verdict-disagrees: logs says pass, but logs → aggregator → on_call (person) "
        "(sign strip, or state the condition that cuts this path)\n"
    ) in to_text(check_table(path, today=today))


@pytest.mark.parametrize("name", ["words", "holes", "disagrees"])
def test_every_form_reports_every_fault(name: str, tables: Path, today: date) -> None:
    """JSON, SARIF and workflow commands have one entry for each fault, at its line."""
    report = check_table(tables / "broken" / f"{name}.yaml", today=today)
    told, sarif = json.loads(to_json(report)), json.loads(to_sarif(report))["runs"][0]
    lines = [fault.line for fault in report.faults]

    assert not told["clean"]
    assert lines == [fault["line"] for fault in told["faults"]]
    regions = [result["locations"][0]["physicalLocation"]["region"] for result in sarif["results"]]
    assert lines == [region["startLine"] for region in regions[: len(lines)]]
    assert len(report.faults) + len(report.warnings) == len(to_github(report).splitlines())
    assert {result["ruleId"] for result in sarif["results"]} == {
        rule["id"] for rule in sarif["tool"]["driver"]["rules"]
    }


def test_every_code_is_explained() -> None:
    """Each code that a rule of the table can give has a sentence of its own."""
    assert set(_WORDINGS) <= set(RULES)


def test_expired_exception_is_a_warning(tables: Path, today: date) -> None:
    """A table with an exception that has ended can be used, and its owner is told."""
    report = check_table(tables / "exceptions.yaml", today=today)

    assert report.clean
    assert [("exception-expired", 30)] == [(fault.code, fault.line) for fault in report.warnings]
    assert "::warning file=" in to_github(report)


def test_workflow_commands_are_escaped(today: date) -> None:
    """Neither a file name nor a message can start a command of its own."""
    report = check_text("version: 3", "a,b:c%\n::error::x.yaml", today=today)

    assert "file=a%2Cb%3Ac%25%0A%3A%3Aerror%3A%3Ax.yaml,line=1" in to_github(report)


def test_text_in_memory_is_checked_like_a_file(tables: Path, today: date) -> None:
    """The same YAML gives the same findings, whether it is a file or not."""
    path = tables / "broken" / "words.yaml"
    text = path.read_text(encoding="utf-8")

    assert check_table(path, today=today).faults == check_text(text, str(path), today=today).faults
