"""What a change of the table opens and closes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from reticent.compiler import Plan, compile_table
from reticent.compiler.diff import diff_plans
from reticent.compiler.diff_render import to_json, to_markdown, to_text
from reticent.surfaces import SurfaceTable, load_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    Json = dict[str, Any]
    Make = Callable[[Callable[[Json], object]], Plan]

EXCEPTION = {"surface": "logs", "classes": ["text"], "reason": "a study", "owner": "platform", "expires": "2027-03-01"}


@pytest.fixture
def changed(today: date) -> Make:
    """Compile the shipped table after a change."""

    def make(change: Callable[[Json], object]) -> Plan:
        facts = orjson.loads(orjson.dumps(load_table().document(today)))
        del facts["today"]
        change(facts)
        return compile_table(SurfaceTable.model_validate(facts), today=today)

    return make


def test_same_plan_differs_in_nothing(changed: Make) -> None:
    """Two plans of one table have no difference, in any form."""
    same = diff_plans(changed(lambda _: None), changed(lambda _: None))

    assert () == same.differences
    assert "Nothing opens, nothing closes.\n" == to_text(same) == to_markdown(same)


def lose_encryption(table: Json) -> None:
    """Drop a condition of the task store, and sign what the proof then says."""
    del table["surfaces"]["task_store"]["conditions"]["encrypted_per_task"]
    table["surfaces"]["task_store"]["verdict"] = "strip"
    table["surfaces"]["request_memory"]["verdict"] = "strip"


def test_lost_condition_closes_and_says_for_whom(changed: Make) -> None:
    """Without its condition the surface closes, and everybody it reaches is listed with the path."""
    diff = diff_plans(changed(lambda _: None), changed(lose_encryption))

    assert {"task_store", "request_memory"} == {item.surface for item in diff.closes}
    assert () == diff.opens
    assert "task_store → database_operators (person)" in diff.closes[1].readers + diff.closes[0].readers


def test_new_condition_opens(changed: Make) -> None:
    """The same change the other way round opens, and names whom the surface no longer reaches."""
    diff = diff_plans(changed(lose_encryption), changed(lambda _: None))

    assert {"task_store", "request_memory"} == {item.surface for item in diff.opens}
    assert all("database_operators" in item.what for item in diff.opens)


def add_reader(table: Json) -> None:
    """Let the log flow to a vendor as well."""
    table["places"]["vendor"] = {"kind": "system"}
    table["surfaces"]["logs"]["flows"].append("vendor")


def test_new_reader_of_a_stripped_surface_is_a_note(changed: Make) -> None:
    """Nothing opens when content that is stripped reaches somebody else, but a reviewer is told."""
    diff = diff_plans(changed(lambda _: None), changed(add_reader))

    assert () == diff.opens
    assert [("logs", ("logs → vendor (system other than the producer)",))] == [
        (item.surface, item.readers) for item in diff.notes
    ]


def test_new_reader_of_what_an_exception_passes_opens(changed: Make) -> None:
    """Under an exception, a new reader is one more who sees it."""

    def excepted(table: Json) -> None:
        table["exceptions"].append(EXCEPTION)

    def both(table: Json) -> None:
        excepted(table)
        add_reader(table)

    diff = diff_plans(changed(excepted), changed(both))

    assert [("logs", ("logs → vendor (system other than the producer)",))] == [
        (item.surface, item.readers) for item in diff.opens
    ]


OPENS: dict[str, Callable[[Json], object]] = {
    "an exception": lambda table: table["exceptions"].append(EXCEPTION),
    "unknown types are carried": lambda table: table["surfaces"]["logs"].update(unknown_types="carry"),
    "unknown types are only suspected": lambda table: table["surfaces"]["logs"].update(unknown_types="suspect"),
    "a visible name": lambda table: table["vocabulary"]["visible"].append({"type": "chart"}),
    "a new surface that passes": lambda table: table["surfaces"].update(
        copy={**table["surfaces"]["provider_roundtrip"], "owner": "x"}
    ),
}


@pytest.mark.parametrize("name", OPENS)
def test_whatever_lets_more_out_opens_and_its_reverse_closes(name: str, changed: Make) -> None:
    """Each loosening is found as one thing that opens, and as one that closes when it is taken back."""
    before, after = changed(lambda _: None), changed(OPENS[name])

    assert 1 == len(diff_plans(before, after).opens)
    assert 0 == len(diff_plans(before, after).closes)
    assert 1 == len(diff_plans(after, before).closes)
    assert 0 == len(diff_plans(after, before).opens)


def test_later_end_of_an_exception_opens(changed: Make) -> None:
    """An exception that is signed for longer lets more out, one that ends sooner less."""
    short = changed(lambda table: table["exceptions"].append(EXCEPTION))
    long = changed(lambda table: table["exceptions"].append({**EXCEPTION, "expires": "2028-01-01"}))

    assert ["exception for text: until 2027-03-01 → until 2028-01-01"] == [
        item.what for item in diff_plans(short, long).opens
    ]
    assert 1 == len(diff_plans(long, short).closes)


def test_lost_reasoning_name_opens(changed: Make) -> None:
    """A name of the team's own that is no longer reasoning is let out."""
    named = changed(lambda table: table["vocabulary"]["reasoning"].append({"type": "pad", "class": "text"}))
    diff = diff_plans(named, changed(lambda _: None))

    assert [("vocabulary", "type 'pad' is no longer reasoning")] == [(item.surface, item.what) for item in diff.opens]


def test_every_form_says_the_same(changed: Make) -> None:
    """Text, Markdown and JSON name the surfaces that close."""
    diff = diff_plans(changed(lambda _: None), changed(lose_encryption))

    assert "Closes\n  request_memory" in to_text(diff)
    assert "### Closes\n\n- request_memory" in to_markdown(diff)
    assert {"task_store", "request_memory"} == {item["surface"] for item in json.loads(to_json(diff))["closes"]}
