"""Verdicts on provider strategies, one row each."""

from __future__ import annotations

from typing import Any

import pytest

from reticent.errors import ConfigurationError
from reticent.history.after_image import touched
from reticent.history.provider_check import Reach, TaskLimits, check_on_demand, check_request, check_strategy

USES = "clear_tool_uses_20250919"
THINKING = "clear_thinking_20251015"
COMPACT = "compact_20260112"
BOUNDED = TaskLimits(steps=3, parallel=2, tokens=40_000, settled_tokens=20_000, settled_uses=4, window=200_000)


@pytest.mark.parametrize(
    ("strategy", "limits", "reach", "severity"),
    [
        ({"type": USES}, TaskLimits(), Reach.UNSAFE, "evidence"),
        ({"type": USES}, BOUNDED, Reach.CONDITIONAL, ""),
        ({"type": USES, "keep": {"type": "tool_uses", "value": 6}}, BOUNDED, Reach.CONDITIONAL, ""),
        ({"type": USES, "trigger": {"type": "input_tokens", "value": 50_000}}, BOUNDED, Reach.UNSAFE, "evidence"),
        ({"type": USES, "trigger": {"type": "tool_uses", "value": 11}}, BOUNDED, Reach.CONDITIONAL, ""),
        ({"type": USES, "trigger": {"type": "tool_uses", "value": 10}}, BOUNDED, Reach.UNSAFE, "evidence"),
        ({"type": USES, "exclude_tools": ["q", "r"]}, TaskLimits(tools=frozenset({"q"})), Reach.SAFE, ""),
        ({"type": USES, "keep": 99}, TaskLimits(steps=3, server_tools=True), Reach.UNSAFE, "evidence"),
        ({"type": THINKING, "keep": "all"}, TaskLimits(), Reach.SAFE, ""),
        ({"type": THINKING, "keep": {"type": "all"}}, TaskLimits(), Reach.SAFE, ""),
        ({"type": THINKING, "keep": {"type": "thinking_turns", "value": 4}}, BOUNDED, Reach.CONDITIONAL, ""),
        ({"type": THINKING, "keep": {"type": "thinking_turns", "value": 3}}, BOUNDED, Reach.UNKNOWN, ""),
        ({"type": THINKING}, BOUNDED, Reach.UNKNOWN, ""),
        ({"type": COMPACT}, BOUNDED, Reach.CONDITIONAL, ""),
        ({"type": COMPACT}, TaskLimits(), Reach.UNSAFE, "reasoning"),
        ({"type": COMPACT, "trigger": {"value": 60_000}}, BOUNDED, Reach.UNSAFE, "reasoning"),
        ({"type": COMPACT, "trigger": {"value": 60_001}}, BOUNDED, Reach.CONDITIONAL, ""),
        ({"type": COMPACT}, TaskLimits(tokens=1, server_tools=True), Reach.UNKNOWN, ""),
        ({"type": COMPACT, "pause_after_compaction": True}, TaskLimits(), Reach.UNSAFE, "reasoning"),
        ({"type": "compaction", "compact_threshold": 61_000}, BOUNDED, Reach.CONDITIONAL, ""),
        ({"type": "compaction", "compact_threshold": 1_000}, BOUNDED, Reach.UNSAFE, "reasoning"),
        ({"type": "compaction"}, BOUNDED, Reach.UNKNOWN, ""),
        ({"type": "truncation", "value": "disabled"}, TaskLimits(), Reach.SAFE, ""),
        ({"type": "truncation", "value": "auto"}, BOUNDED, Reach.CONDITIONAL, ""),
        ({"type": "truncation", "value": "auto"}, TaskLimits(window=9), Reach.UNSAFE, "reasoning"),
        ({"type": "truncation", "value": "sometimes"}, BOUNDED, Reach.UNKNOWN, ""),
        ({"type": "sliding_window", "triggerTokens": "25600"}, BOUNDED, Reach.UNSAFE, "reasoning"),
        ({"type": "sliding_window"}, BOUNDED, Reach.CONDITIONAL, ""),
        ({"type": "memory_20250818"}, TaskLimits(), Reach.SAFE, ""),
        ({"type": "clear_tool_uses_20270101"}, BOUNDED, Reach.UNKNOWN, ""),
        ({"type": "foo_20270101"}, BOUNDED, Reach.UNKNOWN, ""),
        ({}, BOUNDED, Reach.UNKNOWN, ""),
    ],
)
def test_verdict(strategy: dict[str, Any], limits: TaskLimits, reach: Reach, severity: str) -> None:
    """R-PC-02, R-PC-03, R-PC-05: each strategy with its parameters against a task's limits."""
    finding = check_strategy(strategy, limits)
    assert (reach, severity) == (finding.reach, finding.severity)
    assert finding.condition
    assert bool(finding.witness) == (reach is Reach.UNSAFE)


def test_a_finding_is_dated_and_names_its_page() -> None:
    """R-PC-06: a verdict holds for the version and the day it was read."""
    finding = check_strategy({"type": COMPACT}, BOUNDED)
    assert (COMPACT, "2026-11-29") == (finding.strategy, finding.evidence)
    assert finding.url.startswith("https://")
    assert "60000 tokens at most < trigger 150000" == finding.condition


@pytest.mark.parametrize(
    ("sent", "boundary", "reach"), [(4, 4, Reach.SAFE), (5, 4, Reach.UNSAFE), (1, None, Reach.UNKNOWN)]
)
def test_on_demand_compaction_is_safe_up_to_the_boundary(sent: int, boundary: int | None, reach: Reach) -> None:
    """The one provider operation that is safe by construction, when only settled entries are sent."""
    assert reach is check_on_demand("compaction", sent, boundary).reach


def test_a_whole_request_is_read() -> None:
    """Everything in a body that rewrites history is found, in the spelling of each provider."""
    anthropic = {"context_management": {"edits": [{"type": USES}, {"type": THINKING, "keep": "all"}]}}
    openai = {"context_management": [{"type": "compaction", "compact_threshold": 5}], "truncation": "auto"}
    gemini = {"contextWindowCompression": {"slidingWindow": {}, "triggerTokens": 5}}
    demand: dict[str, Any] = {"compaction": {}, "messages": [{}, {}]}
    assert [USES, THINKING] == [finding.strategy for finding in check_request(anthropic, BOUNDED)]
    assert ["compaction", "truncation"] == [finding.strategy for finding in check_request(openai, BOUNDED)]
    assert [Reach.UNSAFE] == [finding.reach for finding in check_request(gemini, BOUNDED)]
    assert [Reach.SAFE] == [finding.reach for finding in check_request(demand, BOUNDED, boundary=2)]
    assert () == check_request({}, BOUNDED)


def test_no_name_from_outside_is_repeated_at_length() -> None:
    """A strategy name that is no name is shown as one character."""
    assert "?" == check_strategy({"type": "canary " * 20}, BOUNDED).strategy


def test_after_image_names_each_live_entry_that_changed() -> None:
    """R-PC-04: removed and altered entries behind the boundary, and nothing before it."""
    before = ["s1", "s2", "l1", "l2", "l3"]
    assert () == touched(before, ["summary", "l1", "l2", "l3"], boundary=2)
    assert [(3, "altered")] == [(t.position, t.how) for t in touched(before, ["s1", "s2", "l1", "X", "l3"], boundary=2)]
    assert [(2, "removed")] == [(t.position, t.how) for t in touched(before, ["l2", "l3"], boundary=2)]


def test_limits_below_zero_are_refused() -> None:
    """R-KN-02."""
    with pytest.raises(ConfigurationError):
        TaskLimits(steps=-1)
