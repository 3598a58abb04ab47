"""What other evidence, or another way to ask for it, opens and closes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.evidence import DAY, KEY, NOW, evidence, table
from typer.testing import CliRunner

from reticent.cli import build_app
from reticent.compiler import Plan, diff_render, load_plan
from reticent.compiler.diff import diff_plans
from reticent.evidence import EvidenceFile, SigningKey
from reticent.surfaces import SurfaceTable, read_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FAILED = evidence(encrypted={"held": False, "code": "plaintext", "since": NOW - 60})


def plan(change: Callable[[Any], object] = lambda _: None, told: EvidenceFile | None = None) -> Plan:
    """Compile the table with a change, and with evidence for what it is then."""
    source = table().model_dump(mode="json", by_alias=True, exclude_none=True)
    change(source)
    changed = SurfaceTable.model_validate(source)
    made = told or evidence()
    return load_plan(
        changed, today=DAY, now=NOW, evidence=KEY.sign(EvidenceFile(changed.digest, made.statements), "ops")
    )


def wanted(source: Any) -> Any:
    """Give what has to show that rows are encrypted."""
    return source["surfaces"]["tasks"]["conditions"]["encrypted"]["evidence"]


def said(diff: Any, direction: str) -> list[str]:
    """Tell what opens, closes or is noted, without readers."""
    return [f"{item.surface}: {item.what}" for item in getattr(diff, direction)]


def test_evidence_that_fails_closes_and_evidence_that_holds_opens() -> None:
    """Two sets of evidence for one table differ in what they let pass, for whom, and in who owns the condition."""
    held, failed = plan(), plan(told=FAILED)
    closing, opening = diff_plans(held, failed), diff_plans(failed, held)

    assert ["tasks: text, summary, opaque: pass → strip"] == said(closing, "closes")
    assert "tasks → operator (person)" in closing.closes[0].readers
    assert (
        "encrypted is failed since 2026-11-29T11:59:00Z: plaintext (probe rows); agents owns it"
        in diff_render.to_text(closing)
    )
    assert "text, summary, opaque: strip → pass; no longer reached: operator, backups" in said(opening, "opens")[0]


CHANGES: dict[str, tuple[Callable[[Any], object], str, str]] = {
    "no evidence any more": (
        lambda source: source["surfaces"]["tasks"]["conditions"]["encrypted"].pop("evidence"),
        "opens",
        "tasks: encrypted no longer has to be shown",
    ),
    "counts longer": (
        lambda source: wanted(source).update(max_age="2d"),
        "opens",
        "tasks: evidence for encrypted counts 24h → 2d",
    ),
    "counts shorter": (
        lambda source: wanted(source).update(max_age="1h"),
        "closes",
        "tasks: evidence for encrypted counts 24h → 1h",
    ),
    "other settings": (
        lambda source: wanted(source).update(settings={"table": "others"}),
        "notes",
        "tasks: encrypted is shown in another way: rows → rows",
    ),
    "evidence for one more": (
        lambda source: source["surfaces"]["tasks"]["conditions"]["erased"].update(
            evidence={"probe": "sweeper", "max_age": "1h"}
        ),
        "closes",
        "tasks: erased has to be shown now, by the probe sweeper",
    ),
    "another signer": (
        lambda source: source["signers"].update(more={"key": SigningKey.generate().public, "owner": "o"}),
        "opens",
        "signers: more may sign evidence",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_change_of_what_is_asked_is_told(name: str) -> None:
    """Asking for less opens, asking for more closes, and a signer more is a signer to look at."""
    change, direction, expected = CHANGES[name]

    assert expected in said(diff_plans(plan(), plan(change)), direction)


def test_signers_that_go_and_keys_that_change_are_told() -> None:
    """A signer who goes closes, and a key that changes opens."""

    def two(source: Any) -> None:
        source["signers"]["more"] = {"key": SigningKey.generate().public, "owner": "o"}

    other = plan(two)
    assert "signers: more may no longer sign evidence" in said(diff_plans(other, plan()), "closes")
    assert "signers: more may sign evidence with another key" in said(diff_plans(other, plan(two)), "opens")


def test_forms_for_people_and_for_programs(tables: Path) -> None:
    """The same difference is Markdown for a pull request, JSON, and SARIF with the line of the row."""
    closing = diff_plans(plan(), plan(told=FAILED))
    sarif = json.loads(
        diff_render.to_sarif(closing, read_table(tables / "evidence.yaml").positions, file="surfaces.yaml")
    )

    assert (
        "### Closes\n\n- tasks: text, summary, opaque: pass → strip\n  - tasks → operator"
        in diff_render.to_markdown(closing)
    )
    assert "tasks" == json.loads(diff_render.to_json(closing))["closes"][0]["surface"]
    results = sarif["runs"][0]["results"]
    assert {"note", "none"} == {result["level"] for result in results}
    place = results[0]["locations"][0]
    assert "surfaces.tasks" == place["logicalLocations"][0]["fullyQualifiedName"]
    line = place["physicalLocation"]["region"]["startLine"]
    assert "tasks:" == (tables / "evidence.yaml").read_text("utf-8").splitlines()[line - 1].strip()


def test_command_compares_two_sets_of_evidence(tmp_path: Path, tables: Path) -> None:
    """`reticent diff` takes evidence for either side, and one table stands for both."""
    for name, told in (("stale", evidence()), ("none", KEY.sign(EvidenceFile(table().digest, ()), "ops"))):
        (tmp_path / name).write_bytes(told.to_json())
    command = ["diff", str(tables / "evidence.yaml"), "--old-evidence", str(tmp_path / "stale")]
    same = CliRunner().invoke(build_app(), [*command, "--new-evidence", str(tmp_path / "stale")], standalone_mode=False)
    sarif = CliRunner().invoke(
        build_app(), [*command, "--new-evidence", str(tmp_path / "none"), "--format", "sarif"], standalone_mode=False
    )

    assert (0, "Nothing opens, nothing closes.\n") == (same.return_value, same.output)
    assert "2.1.0" == json.loads(sarif.output)["version"]
