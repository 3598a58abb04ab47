"""P-42: the strategy checker is sound: what it calls safe or conditional touches no live entry within the limits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.simulator.dialects import render
from tests.simulator.render import Signals
from tests.simulator.runs import Names, Run, flat, long_task
from tests.simulator.strategies import clear_thinking, clear_tool_uses, compact_all, uses

from reticent.history import Context, boundary_report
from reticent.history.after_image import touched
from reticent.history.provider_check import Reach, TaskLimits, check_strategy
from reticent.history.tokens import estimate


def history(settled_steps: int, live_steps: int) -> tuple[list[dict[str, object]], int]:
    """A settled task and a running one, and the boundary between them."""
    names = Names()
    events = flat([long_task(settled_steps, names=names, finished=True), long_task(live_steps, task="t1", names=names)])
    entries = render(Run(events), "anthropic-messages", Signals()).entries
    return entries, boundary_report(entries, context=Context()).boundary


@given(
    settled=st.integers(0, 5),
    steps=st.integers(0, 8),
    cap=st.integers(0, 8),
    keep=st.integers(0, 8),
    trigger=st.integers(0, 14),
    by_uses=st.booleans(),
)
def test_clearing_tool_uses(settled: int, steps: int, cap: int, keep: int, trigger: int, by_uses: bool) -> None:
    """Within the step cap, a strategy that is not called unsafe leaves every live result as it is."""
    entries, boundary = history(settled, min(steps, cap))
    kind = "tool_uses" if by_uses else "input_tokens"
    at = trigger if by_uses else trigger * 500
    strategy = {"type": "clear_tool_uses_20250919", "keep": {"value": keep}, "trigger": {"type": kind, "value": at}}
    live_tokens = estimate(entries[boundary:])
    limits = TaskLimits(
        steps=cap, tokens=live_tokens, settled_tokens=estimate(entries[:boundary]), settled_uses=settled
    )
    finding = check_strategy(strategy, limits)
    fires = len(uses(entries)) >= at if by_uses else estimate(entries) >= at
    after = clear_tool_uses(entries, keep=keep) if fires else entries
    if finding.reach in {Reach.SAFE, Reach.CONDITIONAL}:
        assert () == touched(entries, after, boundary=boundary)


@given(settled=st.integers(0, 4), keep=st.integers(1, 6))
def test_a_witness_replays(settled: int, keep: int) -> None:
    """The task that an unsafe verdict names loses a live result when the strategy runs."""
    finding = check_strategy({"type": "clear_tool_uses_20250919", "keep": {"value": keep}}, TaskLimits())
    entries, boundary = history(settled, keep + 1)
    assert Reach.UNSAFE is finding.reach
    assert f"a task of {keep + 1} uses" in finding.witness
    assert touched(entries, clear_tool_uses(entries, keep=keep), boundary=boundary)


@given(settled=st.integers(0, 4), steps=st.integers(0, 6), cap=st.integers(0, 6), keep=st.integers(1, 9))
def test_clearing_thinking(settled: int, steps: int, cap: int, keep: int) -> None:
    """A number to keep that covers the longest task is safe even when each assistant message counts as a turn."""
    entries, boundary = history(settled, min(steps, cap))
    strategy = {"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": keep}}
    finding = check_strategy(strategy, TaskLimits(steps=cap))
    if finding.reach in {Reach.SAFE, Reach.CONDITIONAL}:
        assert () == touched(entries, clear_thinking(entries, keep=keep), boundary=boundary)
    else:
        assert Reach.UNKNOWN is finding.reach


@given(settled=st.integers(0, 4), steps=st.integers(1, 6), trigger=st.integers(1, 4000))
def test_compaction_on_the_server(settled: int, steps: int, trigger: int) -> None:
    """It is called conditional only when a task within its budget cannot reach the trigger."""
    entries, boundary = history(settled, steps)
    limits = TaskLimits(tokens=estimate(entries[boundary:]), settled_tokens=estimate(entries[:boundary]))
    finding = check_strategy({"type": "compact_20260112", "trigger": {"value": trigger}}, limits)
    after = compact_all(entries) if estimate(entries) > trigger else entries
    if finding.reach is Reach.CONDITIONAL:
        assert () == touched(entries, after, boundary=boundary)
    else:
        assert "reasoning" == finding.severity
