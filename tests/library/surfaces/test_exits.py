"""Template rows for the exits that teams forget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pytest

from reticent.compiler import compile_table
from reticent.surfaces import SurfaceTable, Template, load_table, templates

if TYPE_CHECKING:
    from datetime import date

ALL = templates()


def test_the_forgotten_exits_are_there() -> None:
    """Each exit that the documentation speaks of has a template."""
    assert {
        "agent_handoff",
        "audit_record",
        "chat_channel",
        "dead_letter_queue",
        "error_tracker",
        "evals",
        "exports",
        "response_cache",
        "title_model",
        "traces",
        "voice",
    } == {template.name for template in ALL}


@pytest.mark.parametrize("template", ALL, ids=lambda template: template.name)
def test_template_is_right_in_the_table_that_ships(template: Template, today: date) -> None:
    """Pasted into the default table, the row's own verdict is proved."""
    merged = load_table().document(today)
    del merged["today"]
    for part in ("places", "surfaces", "flows"):
        merged[part] |= template.data.get(part, {})
    plan = compile_table(SurfaceTable.model_validate(orjson.loads(orjson.dumps(merged))), today=today)

    for name, row in template.data["surfaces"].items():
        assert row["verdict"] == plan.decision(name).verdict


@pytest.mark.parametrize("template", ALL, ids=lambda template: template.name)
def test_template_says_what_to_adapt(template: Template) -> None:
    """Each template has a title and comments that tell a reader what it is about."""
    assert template.title
    assert template.text.count("\n#") >= 2
