"""The boundary over generated runs in five dialects: never inside live work, never back, always where it can be."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.simulator.dialects import RENDERERS, render
from tests.simulator.render import Signals
from tests.simulator.runs import TERMINAL_TOOL, Run, conversations, interleavings

from reticent.history import BoundaryReport, Context, Tracker, boundary_report

DIALECTS = st.sampled_from(sorted(RENDERERS))
HARNESS = Context(nudges=True)
"""The generator lets the harness nudge, so it is declared."""

SIGNALS = st.sampled_from([Signals(), Signals(phases=False), Signals(seq=True), Signals(phases=False, seq=True)])


@settings(max_examples=60)
@given(run=conversations(), dialect=DIALECTS, signals=SIGNALS)
def test_every_prefix_is_safe_and_only_grows(run: Run, dialect: str, signals: Signals) -> None:
    """P-02, P-06: at every prefix the boundary lies at or before the true one, and never moves back."""
    rendered = render(run, dialect, signals)
    last = 0
    for length in range(len(rendered.entries) + 1):
        report = boundary_report(rendered.entries[:length], dialect=dialect, context=HARNESS)
        assert last <= report.boundary <= rendered.cut_at(run, length)
        last = report.boundary


@settings(max_examples=60)
@given(run=conversations(), dialect=DIALECTS)
def test_with_full_signals_the_boundary_is_the_true_one(run: Run, dialect: str) -> None:
    """P-03: a search that finds nothing settled would be safe and useless."""
    rendered = render(run, dialect)
    for length in range(len(rendered.entries) + 1):
        report = boundary_report(rendered.entries[:length], dialect=dialect, context=HARNESS)
        assert rendered.cut_at(run, length) == report.boundary
        assert () == report.anomalies


@settings(max_examples=60)
@given(run=conversations(terminal=True), dialect=DIALECTS)
def test_terminal_tools_end_tasks(run: Run, dialect: str) -> None:
    """P-02, P-03, P-06: with tools whose recorded result ends a task, the boundary is still the true one."""
    context = Context(nudges=True, terminal_tools=frozenset({TERMINAL_TOOL}))
    rendered = render(run, dialect)
    for length in range(len(rendered.entries) + 1):
        report = boundary_report(rendered.entries[:length], dialect=dialect, context=context)
        assert rendered.cut_at(run, length) == report.boundary


@settings(max_examples=60)
@given(run=conversations(cut_offs=False), dialect=DIALECTS)
def test_without_any_signal_the_boundary_is_safe(run: Run, dialect: str) -> None:
    """P-20: the next opener is the only evidence left, and the tail is held until it comes."""
    rendered = render(run, dialect, Signals(stops=False, phases=False))
    for length in range(len(rendered.entries) + 1):
        report = boundary_report(rendered.entries[:length], dialect=dialect, context=HARNESS)
        assert report.boundary <= rendered.cut_at(run, length)
        assert report.confidence in {"none", "shape"}


@settings(max_examples=40)
@given(run=conversations())
def test_one_run_settles_alike_in_every_dialect(run: Run) -> None:
    """P-18: the dialects agree on which events are settled."""
    cuts = set()
    for dialect in sorted(RENDERERS):
        rendered = render(run, dialect)
        boundary = boundary_report(rendered.entries, dialect=dialect, context=HARNESS).boundary
        cuts.add(sum(1 for start in rendered.starts[1:] if start <= boundary))
    # Standing text in front has an entry of its own in some dialects and none in others.
    assert 1 == len(cuts) or cuts == {0, 1}


@settings(max_examples=80)
@given(run=interleavings(), dialect=DIALECTS, registry=st.booleans())
def test_interleaved_tasks_are_never_split(run: Run, dialect: str, registry: bool) -> None:
    """P-02, P-07: with ids, no task has entries on both sides, and none that runs is before the boundary."""
    rendered = render(run, dialect, Signals(ids=True))
    for length in range(len(rendered.entries) + 1):
        entries = rendered.entries[:length]
        events = sum(1 for end in rendered.starts[1:] if end <= length)
        context = Context(nudges=True, concurrency=3, tasks=_known(run.states(events), entries) if registry else {})
        report = boundary_report(entries, dialect=dialect, context=context)
        assert report.boundary <= rendered.cut_at(run, length)
        sides = [{entry.get("task_id") for entry in part} for part in _sides(entries, report)]
        assert set() == (sides[0] & sides[1]) - {None}


def _known(states: dict[str, str], entries: list[dict[str, Any]]) -> dict[str, str]:
    """The registry knows of each task that has an entry; one that has only begun to be stored runs."""
    present = {entry["task_id"] for entry in entries if "task_id" in entry}
    return {task: states.get(task, "running") for task in present}


def _sides(entries: list[dict[str, Any]], report: BoundaryReport) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    return entries[: report.boundary], entries[report.boundary :]


@settings(max_examples=60)
@given(run=conversations(), dialect=DIALECTS, signals=SIGNALS)
def test_tracker_reports_what_a_whole_search_reports(run: Run, dialect: str, signals: Signals) -> None:
    """Fed entry by entry, the tracker says what a search over everything says."""
    rendered = render(run, dialect, signals)
    tracker = Tracker(dialect, context=HARNESS)
    for length, entry in enumerate(rendered.entries, start=1):
        tracker.append([entry])
        assert boundary_report(rendered.entries[:length], dialect=dialect, context=HARNESS) == tracker.report()


@settings(max_examples=40)
@given(run=interleavings(), dialect=DIALECTS)
def test_tracker_keeps_up_with_interleaved_tasks(run: Run, dialect: str) -> None:
    """Tasks with ids that come back and go make no difference to what the tracker says."""
    rendered = render(run, dialect, Signals(ids=True))
    tracker = Tracker(dialect, context=HARNESS)
    for length, entry in enumerate(rendered.entries, start=1):
        tracker.append([entry])
        whole = boundary_report(rendered.entries[:length], dialect=dialect, context=HARNESS)
        assert whole.boundary == tracker.report().boundary


@settings(max_examples=60)
@given(run=conversations(), dialect=DIALECTS, data=st.data())
def test_deleting_a_settling_signal_never_raises_the_boundary(run: Run, dialect: str, data: st.DataObject) -> None:
    """P-20: what says settled can only be missed."""
    rendered = render(run, dialect)
    labels = [
        (position, key)
        for position, entry in enumerate(rendered.entries)
        for key in ("phase", "stop_reason", "finish_reason", "stopReason", "finishReason")
        if entry.get(key) in {"final_answer", "end_turn", "stop", "STOP", "completed"}
    ]
    if not labels:
        return
    position, key = data.draw(st.sampled_from(labels))
    fewer = list(rendered.entries)
    fewer[position] = {name: value for name, value in fewer[position].items() if name != key}
    before = boundary_report(rendered.entries, dialect=dialect, context=HARNESS)
    after = boundary_report(fewer, dialect=dialect, context=HARNESS)
    assert after.boundary <= before.boundary


@settings(max_examples=40)
@given(run=conversations(), dialect=DIALECTS)
def test_a_running_task_lowers_the_boundary_and_an_ended_one_settles(run: Run, dialect: str) -> None:
    """P-21: the registry's word overrides the shape, both ways, but for an open call."""
    entries = render(run, dialect).entries
    running = boundary_report(entries, dialect=dialect, context=Context(nudges=True, tasks={"*": "running"}))
    ended = boundary_report(entries, dialect=dialect, context=Context(nudges=True, tasks={"*": "completed"}))
    assert 0 == running.boundary
    if not ended.open:
        assert ended.boundary >= boundary_report(entries, dialect=dialect, context=HARNESS).boundary


@settings(max_examples=40)
@given(run=conversations(), dialect=DIALECTS, data=st.data())
def test_disorder_leaves_everything_live(run: Run, dialect: str, data: st.DataObject) -> None:
    """P-20: two entries with their sequence numbers exchanged are seen."""
    entries = render(run, dialect, Signals(seq=True)).entries
    if len(entries) < 2:
        return
    index = data.draw(st.integers(0, len(entries) - 2))
    entries[index], entries[index + 1] = entries[index + 1], entries[index]
    report = boundary_report(entries, dialect=dialect, context=HARNESS)
    assert 0 == report.boundary
    assert "ORDER_NOT_MONOTONE" in {anomaly.code for anomaly in report.anomalies}


@pytest.mark.parametrize("dialect", sorted(RENDERERS))
def test_an_empty_history_has_nothing_settled(dialect: str) -> None:
    """Nothing in, nothing settled, at rest."""
    report = boundary_report([], dialect=dialect)
    assert (0, 0, True) == (report.boundary, report.length, report.at_rest)
