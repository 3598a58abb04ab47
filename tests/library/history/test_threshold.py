"""When a compaction runs: early, at rest, as far as needed, and not at all when it cannot pay."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.simulator.messages import KEEP_ALL, asked, said, used, worked

from reticent.errors import ConfigurationError
from reticent.history import Context, Prices, Window, break_even, compact
from reticent.history.threshold import Verdict


def decided(entries: list[dict[str, Any]], **window: Any) -> tuple[str, str]:
    """The verdict on a history in a window."""
    decision = compact(entries, profile=KEEP_ALL, budget=Window(**window)).report.decision
    return decision.verdict.value, decision.reason


@pytest.mark.parametrize(("tokens", "due"), [(599, False), (600, True), (601, True)])
def test_the_soft_threshold_is_a_share_of_the_working_budget(tokens: int, due: bool) -> None:
    """R-TH-01, R-TH-02: 60 % of the window less what is kept for the answer and for compacting."""
    window = Window(tokens=1300, output_reserve=200, compaction_reserve=100, least_gain=0)
    assert 600 == window.due_at
    done = compact([asked("a")], profile=KEEP_ALL, budget=window, counter=lambda _value: tokens)
    assert due == (done.report.decision.verdict is not Verdict.NOT_DUE)


def test_a_running_task_is_waited_for() -> None:
    """R-TH-05: due in the middle of an investigation means: when it has settled."""
    live = [*worked("r" * 3000), used("c9")]
    assert ("wait", "task-running") == decided(live, tokens=1700)
    assert ("act", "at-rest") == decided(worked("r" * 3000), tokens=1500)


def test_past_the_hard_level_what_is_settled_goes_now() -> None:
    """Forced is a verdict of its own, so that it can be counted; live work is still not touched."""
    live = [*worked("r" * 3000), used("c9")]
    done = compact(live, profile=KEEP_ALL, budget=Window(tokens=1300))
    assert Verdict.FORCED is done.report.decision.verdict
    assert done.removed
    assert done.history[-1] is live[-1]


def test_live_work_that_fills_the_window_is_exempt() -> None:
    """R-BG-01: no compaction bounds it, and the answer says so."""
    entries = [
        *worked("r"),
        used("c9"),
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c9", "content": "r" * 9000}]},
    ]
    assert ("cannot", "live-exempt") == decided(entries, tokens=3000)


def test_nothing_settled_cannot_be_compacted() -> None:
    """The reason is an answer, not an error."""
    assert ("cannot", "live-exempt") == decided([asked("x" * 9000)], tokens=1000)
    assert ("not-due", "below-soft-threshold") == decided([asked("x")], tokens=1000)


def test_the_minimum_interval_is_kept() -> None:
    """R-HZ-05: two compactions in a row are refused below the hard level."""
    entries = worked("r" * 3000)
    budget = Window(tokens=1500)
    assert compact(entries, profile=KEEP_ALL, budget=budget, since_last=5).removed
    soon = compact(entries, profile=KEEP_ALL, budget=budget, since_last=4)
    assert ("wait", "too-soon-after-the-last") == (soon.report.decision.verdict.value, soon.report.decision.reason)


def test_a_gain_that_does_not_pay_is_refused() -> None:
    """A rewrite that frees little costs more cache than it saves."""
    entries = [asked("x" * 2400), said("y" * 2400), *worked("r" * 500)[:-1], asked("n")]
    done = compact(entries, profile=KEEP_ALL, budget=Window(tokens=3000, least_gain=1200))
    assert "gain-too-small" in {no.reason for no in done.report.refused}


def test_the_wrong_rung_is_refused() -> None:
    """R-OP-05, R-OP-07: results fill the window, so stripping thoughts is not what is done about it."""
    done = compact(worked("r" * 9000), profile=KEEP_ALL, budget=Window(tokens=4500))
    steps = {step.op: step.used for step in done.report.steps}
    assert {"strip": False, "clear": True} == steps


def test_the_provider_s_own_count_is_heard() -> None:
    """The higher of estimate and reported usage holds."""
    assert ("act", "at-rest") == decided(worked("r" * 3000), tokens=100_000, reported=70_000)[:2]


@pytest.mark.parametrize(
    ("stays", "goes", "comes", "call", "requests"),
    [(50_000, 5_000, 0, 0, 115.0), (50_000, 100_000, 2_000, 20_000, 8.1), (10, 5, 5, 0, math.inf)],
)
def test_break_even(stays: int, goes: int, comes: int, call: int, requests: float) -> None:
    """The worked figures: small clears never pay, a large one does after eight requests."""
    assert requests == pytest.approx(break_even(stays, goes, comes, Prices(call=call)), abs=0.05)


@pytest.mark.parametrize(
    "bad",
    [
        {"tokens": 0},
        {"tokens": True},
        {"tokens": 10, "output_reserve": 10},
        {"tokens": 10, "soft": 0.95},
        {"tokens": 10, "soft": 0},
        {"tokens": 10, "hard": 1.5},
        {"tokens": 10, "overhead": -1},
    ],
)
def test_a_budget_that_cannot_be_kept_is_refused(bad: dict[str, Any]) -> None:
    """R-KN-02: at load, with the name in the message."""
    with pytest.raises(ConfigurationError):
        Window(**bad)


def test_a_registry_that_takes_a_task_back_is_reported() -> None:
    """P-06: a boundary that moves back is named, not hidden."""
    from reticent.history import Tracker, boundary_report

    entries = [asked("a") | {"task_id": "A"}, said("b") | {"task_id": "A"}]
    settled = boundary_report(entries, context=Context(tasks={"A": "completed"}))
    again = boundary_report(entries, context=Context(tasks={"A": "running"}), previous=settled)
    assert (2, False) == (settled.boundary, settled.reopened)
    assert (0, True) == (again.boundary, again.reopened)
    assert "REOPENED" in again.render()
    tracker = Tracker("anthropic-messages", context=Context(tasks={"A": "completed"}))
    tracker.append(entries)
    assert 2 == tracker.report().boundary
    tracker.update(Context(tasks={"A": "running"}))
    assert tracker.report().reopened
