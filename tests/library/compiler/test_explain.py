"""Explanations: what they say, and that the engine confirmed it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reticent.compiler import load_plan
from reticent.compiler.explain import explain
from reticent.compiler.explain_render import to_dot, to_json, to_text
from reticent.errors import UnknownSurface

if TYPE_CHECKING:
    from datetime import date

GOLDEN = Path(__file__).parents[2] / "golden" / "explain"


@pytest.mark.parametrize("surface", ["task_store", "logs", "conversation_db"])
@pytest.mark.parametrize(("render", "ending"), [(to_text, "txt"), (to_json, "json"), (to_dot, "dot")])
def test_explanation_is_what_it_was(surface: str, render: object, ending: str, *, update_golden: bool) -> None:
    """Each form of three explanations of the shipped table is the golden one."""
    golden = GOLDEN / f"{surface}.{ending}"
    made = render(explain(load_plan(), surface))  # type: ignore[operator]
    if ending == "json":
        made = json.dumps({key: value for key, value in json.loads(made).items() if key != "plan_digest"}, indent=2)
    if update_golden:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(made, encoding="utf-8")

    assert golden.read_text(encoding="utf-8") == made


def test_task_store_is_understood_from_its_explanation() -> None:
    """A reader sees why it passes, which condition keeps whom out, and the one change that would flip it."""
    text = to_text(explain(load_plan(), "task_store"))

    assert text.startswith("task_store passes: no person, no other system and no lasting store can be reached.")
    assert (
        "task_store.encrypted_per_task cuts backups, database_operators\n    keeps out database_operators (person)"
        in text
    )
    assert (
        "The one change that would flip it:\n  if task_store.encrypted_per_task no longer held\n"
        "    then task_store → database_operators (person): strip"
    ) in text


def test_every_flip_is_confirmed_by_the_rules(tables: Path, today: date) -> None:
    """Making the change in the table itself gives the verdict that the explanation promised."""
    for path in [*sorted(tables.glob("*.yaml")), None]:
        plan = load_plan(path, today=today)
        for surface in plan.surfaces:
            told = explain(plan, surface, today=today)
            for flip in told.flips:
                assert plan.decision(surface).verdict != flip.verdict or "exception-in-force" in told.decision.reasons
                assert (flip.verdict == "strip") == bool(flip.path)


def test_surface_that_keeps_a_copy_and_flows_on_needs_more_than_one_change() -> None:
    """When no single change is enough the smallest set of the row's own changes is told."""
    flip = explain(load_plan(), "warehouse").flip

    assert flip is not None
    assert {("bound-copy", "task"), ("cut-flow", "warehouse_tables")} == {
        (change.kind, change.subject) for change in flip.changes
    }


def test_surface_without_conditions_would_flip_by_a_new_arrow(tables: Path, today: date) -> None:
    """A surface that nothing leads out of is told what arrow it must never get."""
    flip = explain(load_plan(tables / "unreachable.yaml", today=today), "sealed").flip

    assert flip is not None
    assert ("add-flow", "island") == (flip.changes[0].kind, flip.changes[0].subject)
    assert ("sealed", "island") == flip.path


def test_exception_is_told_with_its_end(tables: Path, today: date) -> None:
    """Where an exception counts, what changes next is that it ends."""
    told = explain(load_plan(tables / "exceptions.yaml", today=today), "summaries", today=today)

    assert told.flip is not None
    assert ("end-exception", "2027-03-01") == (told.flip.changes[0].kind, told.flip.changes[0].subject)
    assert "Exception for summary until 2027-03-01, signed by product:" in to_text(told)


def test_unknown_surface_is_refused() -> None:
    """A name that the plan does not have is an error with a suggestion."""
    with pytest.raises(UnknownSurface, match="task_store"):
        explain(load_plan(), "task_stor")


def test_dot_quotes_names(tables: Path, today: date) -> None:
    """Names stand in quotes, so that none of them can end a statement."""
    dot = to_dot(explain(load_plan(tables / "cycles.yaml", today=today), "open_circle"))

    assert '"open_circle" -> "way_out" [penwidth=2, color=red];' in dot
    assert dot.count("{") == dot.count("}") == 1
