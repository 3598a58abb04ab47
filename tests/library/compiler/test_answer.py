"""An engine's answer is used whole or not at all."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from reticent.compiler.answer import decisions_from, split_answer
from reticent.errors import EngineAnswerInvalid
from reticent.surfaces import load_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from reticent.compiler import Engine

    Json = dict[str, Any]


@pytest.fixture(scope="session")
def table(today: date) -> Json:
    """Give the shipped table as an engine sees it."""
    return load_table().document(today)


@pytest.fixture(scope="session")
def answered(embedded: Engine, table: Json) -> bytes:
    """Give the plan that the rules make of the shipped table, as JSON."""
    return orjson.dumps(embedded.decide(table)["plan"])


def test_right_answer_gives_a_decision_for_every_surface(table: Json, answered: bytes) -> None:
    """Decisions come in the order of the table."""
    assert list(table["surfaces"]) == list(decisions_from(table, orjson.loads(answered)))


def without(*path: str) -> Callable[[Json], None]:
    """Make a change that removes what stands at ``path``."""

    def change(plan: Json) -> None:
        for step in path[:-1]:
            plan = plan[step]
        del plan[path[-1]]

    return change


def with_value(value: object, *path: str) -> Callable[[Json], None]:
    """Make a change that puts ``value`` at ``path``."""

    def change(plan: Json) -> None:
        for step in path[:-1]:
            plan = plan[step]
        plan[path[-1]] = value

    return change


READER = {"kind": "person", "place": "on_call", "reason": "person-reachable"}

SPOILED = {
    "a surface is missing": without("logs"),
    "a surface too many": with_value({}, "ghost"),
    "a decision is null": with_value(None, "logs"),
    "no verdict": without("logs", "verdict"),
    "an unknown verdict": with_value("perhaps", "logs", "verdict"),
    "a verdict of another type": with_value(["pass"], "logs", "verdict"),
    "no classes": without("logs", "classes"),
    "a class is missing": without("logs", "classes", "opaque"),
    "a class too many": with_value("pass", "logs", "classes", "gist"),
    "an unknown word for a class": with_value("maybe", "logs", "classes", "text"),
    "a verdict that contradicts its classes": with_value("pass", "logs", "verdict"),
    "no reasons": with_value([], "logs", "reasons"),
    "an unknown reason": with_value(["because"], "logs", "reasons"),
    "reasons left out": without("logs", "reasons"),
    "an unknown kind of reader": with_value([READER | {"kind": "ghost"}], "logs", "offenders"),
    "a reader without a place": with_value([READER | {"place": None}], "logs", "offenders"),
    "a reader for an unknown reason": with_value([READER | {"reason": "x"}], "logs", "offenders"),
    "a reader whom no arrow leads to": with_value([READER | {"place": "moon"}], "logs", "offenders"),
    "arrows left out": without("logs", "edges"),
    "an arrow with one end": with_value([["logs"]], "logs", "edges"),
    "an arrow with three ends": with_value([["logs", "a", "b"]], "logs", "edges"),
    "conditions left out": without("task_store", "conditions"),
    "a condition that is no mapping": with_value([1], "task_store", "conditions"),
    "a condition with an unknown bound": with_value(
        [{"surface": "a", "name": "b", "cuts": [], "bounds": "ever", "keeps_out": []}], "task_store", "conditions"
    ),
    "exceptions left out": without("logs", "exceptions"),
    "an exception without an end": with_value(
        [{"classes": ["text"], "expires": None, "owner": "o", "reason": "r"}], "logs", "exceptions"
    ),
    "an exception with an unknown class": with_value(
        [{"classes": ["gist"], "expires": "2027-01-01", "owner": "o", "reason": "r"}], "logs", "exceptions"
    ),
    "lapses left out": without("logs", "lapses"),
    "a lapse on no day": with_value([{"from": "soon"}], "logs", "lapses"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_spoiled_answer_is_refused(name: str, table: Json, answered: bytes) -> None:
    """A hole, a word nobody knows, or a contradiction anywhere makes the whole answer unusable."""
    plan = orjson.loads(answered)
    SPOILED[name](plan)

    with pytest.raises(EngineAnswerInvalid):
        decisions_from(table, plan)


def test_surface_that_passes_what_it_reaches_is_refused(table: Json, answered: bytes) -> None:
    """Nobody may claim a pass and name a reader in one breath."""
    plan = orjson.loads(answered)
    plan["logs"]["verdict"] = "pass"
    plan["logs"]["classes"] = dict.fromkeys(plan["logs"]["classes"], "pass")

    with pytest.raises(EngineAnswerInvalid, match="passes what it reaches"):
        decisions_from(table, plan)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        "plan",
        {},
        {"plan": {}},
        {"errors": []},
        {"plan": None, "errors": []},
        {"plan": {}, "errors": None},
        {"plan": {}, "errors": {}},
        {"plan": {}, "errors": ["x"]},
        {"plan": {}, "errors": [{"code": "x"}]},
        {"plan": {}, "errors": [{"at": []}]},
    ],
)
def test_answer_without_both_documents_is_refused(answer: object) -> None:
    """Nothing, null, another type and half an answer are no answer."""
    with pytest.raises(EngineAnswerInvalid):
        split_answer(answer)


def test_the_answer_is_not_changed(table: Json, answered: bytes) -> None:
    """Reading an answer leaves it as it was."""
    plan = orjson.loads(answered)
    before = copy.deepcopy(plan)
    decisions_from(table, plan)

    assert before == plan
