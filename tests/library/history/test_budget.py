"""Task budgets, the shaping of single results, and the knobs."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reticent.errors import ConfigurationError, TaskEnded
from reticent.history.budget import Limits, Phase, Spent, TaskBudget, standing
from reticent.history.knobs import Knobs, load_knobs
from reticent.history.shaping import MARK, cap_for, shape_result


def test_a_runaway_task_ends_with_a_partial_answer() -> None:
    """R-BG-05, R-BG-06, R-BG-09, P-39: forty steps of large outputs close in time, with the reserve whole."""
    ended: list[tuple[str, str]] = []
    tokens, reserve = 100_000, 8_000
    limits = Limits(steps=50, tokens=tokens, reserve=reserve, closing=6_000)
    budget = TaskBudget("t", limits, on_terminal=lambda task, state: ended.append((task, state)))
    steps = 0
    for _ in range(40):
        try:
            budget.dispatch(next_step=9_000)
        except TaskEnded:
            break
        budget.record(Spent(steps=1, tool_calls=1, tokens=9_000))
        steps += 1
    assert 10 == steps
    assert budget.spent.tokens + reserve <= tokens
    budget.end(Phase.PARTIAL)
    budget.end(Phase.PARTIAL)
    assert [("t", "partial")] == ended


@pytest.mark.parametrize(
    ("spent", "phase", "by"),
    [
        (Spent(), Phase.RUNNING, ""),
        (Spent(steps=7), Phase.WARNED, "steps"),
        (Spent(steps=10), Phase.CLOSING, "steps"),
        (Spent(tokens=90), Phase.CLOSING, "tokens"),
        (Spent(seconds=60.0), Phase.CLOSING, "seconds"),
        (Spent(tool_calls=4), Phase.CLOSING, "tool_calls"),
    ],
)
def test_whichever_limit_comes_first(spent: Spent, phase: Phase, by: str) -> None:
    """R-BG-02: a warning at 70 %, no further step at the cap."""
    limits = Limits(steps=10, tokens=100, reserve=10, seconds=60.0, tool_calls=4)
    now = standing(limits, spent)
    assert (phase, by) == (now.phase, now.by)


@given(steps=st.lists(st.integers(0, 5_000), max_size=60), cap=st.integers(1, 50_000), reserve=st.integers(0, 20_000))
def test_the_reserve_is_never_spent_by_steps(steps: list[int], cap: int, reserve: int) -> None:
    """Whatever steps cost, one that was dispatched with its cost foreseen leaves the reserve."""
    if reserve >= cap:
        return
    budget = TaskBudget("t", Limits(tokens=cap, reserve=reserve))
    for cost in steps:
        try:
            budget.dispatch(next_step=cost)
        except TaskEnded:
            break
        budget.record(Spent(tokens=cost))
    assert budget.spent.tokens + reserve <= cap


def test_an_ended_task_takes_no_step() -> None:
    """A terminal state is terminal, and another one is refused."""
    budget = TaskBudget("t", Limits())
    budget.end(Phase.COMPLETED)
    for act in (budget.dispatch, lambda: budget.record(Spent()), lambda: budget.end(Phase.FAILED)):
        with pytest.raises(TaskEnded):
            act()
    with pytest.raises(TaskEnded):
        TaskBudget("t", Limits()).end(Phase.WARNED)


@pytest.mark.parametrize(
    "bad",
    [
        {"steps": -1},
        {"tokens": 10, "reserve": 10},
        {"tokens": 10, "reserve": 3, "closing": 4},
        {"warn": 1.0},
        {"seconds": math.inf},
        {"steps": True},
        {"steps": "3"},
    ],
)
def test_limits_that_cannot_end_in_an_answer_are_refused(bad: dict[str, Any]) -> None:
    """R-KN-03: at load."""
    with pytest.raises(ConfigurationError):
        Limits(**bad)


def test_budgets_know_no_compactor_and_compactors_no_budget() -> None:
    """R-BG-07: neither imports the other."""
    import ast
    import inspect

    from reticent.history import budget, compaction, run, shaping

    def imported(module: Any) -> set[str]:
        tree = ast.parse(inspect.getsource(module))
        return {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}

    assert not any("reticent.history" in name for name in imported(budget) | imported(shaping))
    assert not any(name.endswith((".budget", ".shaping")) for name in imported(compaction) | imported(run))
    assert "reticent.history.budget" in sys.modules


def test_a_large_response_is_reduced_to_what_was_asked() -> None:
    """R-BG-04: forty thousand tokens become the requested fields, and the rest can be fetched."""
    kept: dict[str, str] = {}
    body = {"order": {"id": 4921, "total": "1,845.00"}, "log": "x" * 160_000, "a/b": [1, {"c~d": 2}]}
    shaped = shape_result(body, want=["/order/id", "/a~1b/1/c~0d", "/nothing"], keep=kept.__setitem__)
    assert {"/order/id": 4921, "/a~1b/1/c~0d": 2, "missing": ["/nothing"]} == json.loads(shaped.text)
    assert "fields" == shaped.how
    assert body == json.loads(kept[shaped.handle])


def test_without_a_request_it_is_cut_with_a_mark() -> None:
    """R-BG-04: nobody guesses which part is the answer."""
    shaped = shape_result("é" * 5_000, cap=1_000)
    assert 1_000 == len(shaped.text)
    assert MARK in shaped.text
    assert shaped.handle in shaped.text
    assert "5000 characters" in shaped.text


@pytest.mark.parametrize("cap", [0, 5, 50])
def test_no_room_leaves_the_mark_alone(cap: int) -> None:
    """U-04: nothing left means the mark only."""
    assert shape_result("x" * 500, cap=cap).text.startswith(MARK)


def test_what_fits_is_the_whole() -> None:
    """A result under its cap goes in as it is."""
    shaped = shape_result("4921", cap=100)
    assert ("4921", "whole", "") == (shaped.text, shaped.how, shaped.handle)
    assert "4921" not in repr(shaped)


@pytest.mark.parametrize(
    ("window", "used", "cap"),
    [(100_000, 20_000, 32_000), (100, 200, 0), (0, 0, None), (None, 0, None), (-5, 0, None)],
)
def test_a_result_may_take_a_tenth_of_what_is_left(window: int | None, used: int, cap: int | None) -> None:
    """U-04: ten per cent of the rest, four characters a token; an unknown window caps nothing."""
    assert cap == cap_for(window, used)


def test_a_wrong_pointer_or_cap_is_a_configuration_error() -> None:
    """The task's code is at fault, and told so."""
    with pytest.raises(ConfigurationError):
        shape_result({}, want=["order"])
    with pytest.raises(ConfigurationError):
        shape_result("", cap=-1)


@pytest.mark.parametrize("name", ["soft", "hard", "warn", "result_share", "scratchpad_squeeze_fraction"])
@pytest.mark.parametrize("value", [0, -0.1, 1.01, math.nan, math.inf, True, "0.5", None])
def test_shares_out_of_range_stop_the_start(name: str, value: Any) -> None:
    """R-KN-01, R-KN-02: the message names field, value and range."""
    with pytest.raises(ConfigurationError, match=name):
        load_knobs({name: value})


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "2", math.nan])
def test_keep_counts_from_one(value: Any) -> None:
    """R-KN-01: at least one result is kept."""
    with pytest.raises(ConfigurationError, match="compact_history_default_keep"):
        load_knobs({"compact_history_default_keep": value})


def test_knobs_are_checked_against_one_another() -> None:
    """R-KN-03: soft lies below hard; a name nobody knows is suggested."""
    assert (0.6, 0.95, 2) == (Knobs().soft, Knobs().scratchpad_squeeze_fraction, Knobs().compact_history_default_keep)
    with pytest.raises(ConfigurationError, match="must lie below"):
        load_knobs({"soft": 0.95})
    with pytest.raises(ConfigurationError, match="Did you mean 'hard'"):
        load_knobs({"hardd": 0.95})
