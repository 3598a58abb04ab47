"""The reference application: nothing leaks, and each guard that is taken out is missed at exactly its exit."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from tests.examples.guards import EXAMPLES, GUARDS, copied

from reticent.lint import lint

WITHOUT = tuple(GUARDS)
IN_SOURCE = tuple(name for name, removal in GUARDS.items() if removal.code)


@cache
def drills() -> dict[str | None, Any]:
    """What the drill tells of the application as it is (None), and without each of its guards."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, str(Path(__file__).with_name("drill.py"))]
        for at, name in enumerate((None, *WITHOUT)):
            data = Path(folder, str(at), "data")
            data.mkdir(parents=True)
            examples = copied(data.parent, *([GUARDS[name]] if name else []))
            command += [str(examples), str(data)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)  # noqa: S603 - our own program
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(zip((None, *WITHOUT), map(json.loads, done.stdout.splitlines()), strict=True))


def leaking(told: Any) -> set[str]:
    """The sinks in which marks were found that may not be there."""
    return {sink["name"] for sink in told["receipt"]["sinks"] if sink["leaks"] and not sink["permitted"]}


def test_nothing_leaves_but_the_answers() -> None:
    """With every guard in place the probe finds no mark outside of permitted surfaces, and the answer everywhere."""
    receipt = drills()[None]["receipt"]

    assert receipt["clean"]
    assert set() == leaking(drills()[None])
    assert [] == [sink["name"] for sink in receipt["sinks"] if not sink["permitted"] and not sink["reached"]]


def test_the_doctor_finds_nothing_open() -> None:
    """With every guard in place each exit that the doctor knows of is guarded, and it knows of all of them."""
    told = drills()[None]

    assert [] == told["open"]
    assert 8 <= len(told["exits"])


def test_the_provider_gets_its_own_blocks_back() -> None:
    """What went back in the open tool loop, over the database of tasks, is what the provider had issued."""
    assert drills()[None]["went_back"]


@pytest.mark.parametrize("name", WITHOUT)
def test_the_probe_finds_the_exit(name: str) -> None:
    """Without one guard, marks come out at exactly the exit that it guarded."""
    told = drills()[name]

    assert {GUARDS[name].sink} == leaking(told)
    assert told["went_back"]


@pytest.mark.parametrize("name", WITHOUT)
def test_the_doctor_names_the_exit(name: str) -> None:
    """Without one guard, the doctor calls exactly its exits open."""
    assert GUARDS[name].exits == set(drills()[name]["open"])


def test_lint_is_silent_about_the_application() -> None:
    """The finder has nothing to say about the application as it is."""
    report = lint([EXAMPLES])

    assert (True, ()) == (report.clean, report.allowed)
    assert report.files > 1


@pytest.mark.parametrize("name", IN_SOURCE)
def test_lint_points_at_the_line(name: str, tmp_path: Path) -> None:
    """Without one guard, all findings are of the code and file of its exit, and one is at the line that leaks."""
    removal = GUARDS[name]
    findings = lint([copied(tmp_path, removal)]).findings
    file, part = removal.at
    lines = {
        (Path(one.file).name, Path(one.file).read_text(encoding="utf-8").splitlines()[one.line - 1].strip())
        for one in findings
    }

    assert {removal.code} == {one.code for one in findings}
    assert any(at == file and part in line for at, line in lines)
    assert all(at == file for at, _ in lines)


def test_lint_finds_every_guard_that_is_gone(tmp_path: Path) -> None:
    """Without any guard there are as many findings as lines that leak: precision is six of six."""
    findings = lint([copied(tmp_path, *GUARDS.values())]).findings

    assert ["RET101", "RET102", "RET103", "RET105", "RET105", "RET105"] == sorted(one.code for one in findings)
