"""Expectations next to a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reticent.compiler.expectations import find_expectations, run_expectations
from reticent.errors import ConfigurationError, TableError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

CASES = Path(__file__).parents[2] / "cases"
CANARY = "canary-3318"

MESSAGE = f"""\
messages:
  turn:
    role: assistant
    content:
      - {{type: thinking, thinking: {CANARY}, signature: c2ln}}
      - {{type: text, text: hello}}
"""


@pytest.fixture
def run(tmp_path: Path, today: date) -> Callable[[str], list[tuple[str, ...]]]:
    """Run expectations given as the body of the list, against the shipped table, and give the problems of each."""

    def run_text(expect: str) -> list[tuple[str, ...]]:
        path = tmp_path / "t.expect.yaml"
        path.write_text(f"version: 1\n{MESSAGE}expect:\n{expect}", encoding="utf-8")
        return [result.problems for result in run_expectations(path, today=today)]

    return run_text


@pytest.mark.parametrize("path", find_expectations(CASES), ids=lambda path: path.name)
def test_cases_of_the_project_are_met(path: Path, today: date) -> None:
    """Every expectation that the project writes down about its tables holds."""
    assert [] == [
        (result.line, result.title, result.problems) for result in run_expectations(path, today=today) if not result.met
    ]


def test_expectation_that_is_met_has_no_problems(run: Callable[[str], list[tuple[str, ...]]]) -> None:
    """Verdict, classes, path and readers may be expected together."""
    told = run(
        "  - {surface: logs, verdict: strip, classes: {text: strip, derived: pass}, "
        "path: [logs, log_aggregator, on_call], reaches: [log_aggregator, on_call]}\n"
    )

    assert [()] == told


@pytest.mark.parametrize(
    ("expect", "problem"),
    [
        ("verdict: pass", "verdict: expected pass, is strip"),
        ("classes: {derived: strip}", "derived: expected strip, is pass"),
        ("classes: {gist: strip}", "gist: expected strip, is no class of that name"),
        ("path: [logs]", "path: expected logs, is logs → log_aggregator → on_call"),
        ("reaches: []", "reaches: expected [], is ['log_aggregator', 'on_call']"),
    ],
)
def test_what_is_otherwise_is_told(expect: str, problem: str, run: Callable[[str], list[tuple[str, ...]]]) -> None:
    """A problem says what was expected and what is."""
    assert [(problem,)] == run(f"  - {{surface: logs, {expect}}}\n")


def test_output_is_compared(run: Callable[[str], list[tuple[str, ...]]]) -> None:
    """The message that a surface emits is what was written down, on strip and on pass surfaces."""
    told = run(
        "  - {surface: logs, message: turn, output: {role: assistant, content: [{type: text, text: hello}]}}\n"
        "  - {surface: task_store, message: turn, unchanged: true}\n"
        f"  - {{surface: logs, message: turn, absent: [{CANARY}], present: [hello]}}\n"
    )

    assert [(), (), ()] == told


def test_wrong_output_is_told_without_its_text(run: Callable[[str], list[tuple[str, ...]]]) -> None:
    """A message that is not as expected is described by place, kind and length only."""
    told = run(
        f"  - {{surface: task_store, message: turn, absent: [{CANARY}]}}\n"
        "  - {surface: logs, message: turn, output: {role: assistant, content: [{type: text, text: hallo!}]}}\n"
        "  - {surface: logs, message: turn, unchanged: true}\n"
        "  - {surface: logs, message: turn, present: [goodbye]}\n"
    )

    assert [
        ("absent.0: a marker of 11 characters is there",),
        ("output.content.0.text: expected text of 6 characters, has another text of 5 characters",),
        ("output.content: expected 2 entries, has 1",),
        ("present.0: a marker of 7 characters is not there",),
    ] == told
    assert CANARY not in str(told)


def test_unknown_surface_is_a_problem_of_its_expectation(run: Callable[[str], list[tuple[str, ...]]]) -> None:
    """The other expectations are tried all the same."""
    told = run("  - {surface: log, verdict: strip}\n  - {surface: logs, verdict: strip}\n")

    assert ["unknown-surface: unknown surface 'log'. Did you mean 'logs'?"] == list(told[0])
    assert () == told[1]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("version: 2\nexpect: []\n", "wrong-shape"),
        ("version: 1\n", "wrong-shape"),
        ("version: 1\nexpect: [{verdict: strip}]\n", "wrong-shape"),
        ("version: 1\nexpect: [{surface: logs}]\n", "wrong-shape"),
        ("version: 1\nexpect: [{surface: logs, verdit: strip}]\n", "unknown-key"),
        ("version: 1\nexpect: [{surface: logs, message: ghost, unchanged: true}]\n", "unknown-name"),
        ("version: 1\nevidence: here.json\nexpect: []\n", "unknown-word"),
        ("version: 1\nexpect: [\n", "not-yaml"),
        ("version: 1\nversion: 1\nexpect: []\n", "duplicate-key"),
    ],
)
def test_file_that_cannot_be_understood_is_a_fault(content: str, code: str, tmp_path: Path) -> None:
    """An expectation that expects nothing, or says it wrongly, is a fault with a line."""
    path = tmp_path / "t.expect.yaml"
    path.write_text(content, encoding="utf-8")

    with pytest.raises(TableError) as caught:
        run_expectations(path)
    assert code in {fault.code for fault in caught.value.faults}


def test_table_stands_beside_its_expectations(tables: Path, tmp_path: Path, today: date) -> None:
    """The name of the table is taken from where the file is."""
    (tmp_path / "mine.yaml").write_text((tables / "cycles.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    path = tmp_path / "mine.expect.yaml"
    path.write_text("version: 1\ntable: mine.yaml\nexpect: [{surface: ping, verdict: pass}]\n", encoding="utf-8")

    assert [True] == [result.met for result in run_expectations(path, today=today)]


def test_folder_is_searched_and_nothing_is_an_error(tmp_path: Path) -> None:
    """A folder gives its files of expectations in order, a missing place a configuration error."""
    (tmp_path / "deep").mkdir()
    names = [tmp_path / "a.expect.yaml", tmp_path / "deep" / "b.expect.yaml"]
    for name in [*names, tmp_path / "c.yaml"]:
        name.touch()

    assert tuple(names) == find_expectations(tmp_path)
    with pytest.raises(ConfigurationError):
        find_expectations(tmp_path / "nowhere")
