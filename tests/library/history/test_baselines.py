"""The two sample compactors, and two common rules, fail where their documents say they fail; ours does not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.simulator.baselines import (
    by_last_answer,
    by_window,
    last_answer,
    strip_all_but_last_turns,
    strip_before_last_message,
)
from tests.simulator.dialects import AnthropicRenderer, render
from tests.simulator.providers import Refused, accept
from tests.simulator.runs import Names, Run, flat, long_task
from tests.simulator.transcripts import TRANSCRIPTS

from reticent.history import Context, compact

PROFILE = "anthropic-keep-all"


def running(steps: int, *, before: int = 0) -> list[dict[str, Any]]:
    """A task of ``steps`` steps that waits for the model, behind ``before`` settled tasks of two steps."""
    names = Names()
    groups = [long_task(2, task=f"s{i}", names=names, finished=True) for i in range(before)]
    return render(Run(flat([*groups, long_task(steps, task="live", names=names)])), "anthropic-messages").entries


def verdict(history: list[dict[str, Any]], issued: list[dict[str, Any]]) -> str:
    """What the provider answers."""
    try:
        accept(PROFILE, "anthropic-messages", history, issued)
    except Refused as error:
        return error.word
    return "accepted"


@given(window=st.integers(2, 40))
def test_a_window_is_outgrown_by_a_longer_task(window: int) -> None:
    """R-AR-02: a task longer than half the window has live turns outside it; the sample alters them, ours does not."""
    entries = running(window // 2 + 1)
    assert "latest-assistant-turn-altered" == verdict(by_window(entries, window=window), entries)
    assert list(compact(entries, profile=PROFILE).history) == entries


@pytest.mark.parametrize(("steps", "outside", "hit"), [(4, 0, 0), (5, 1, 0), (6, 3, 1)])
def test_worked_example_of_a_window_of_ten(steps: int, outside: int, hit: int) -> None:
    """R-AR-03: with the opener counted, six steps are thirteen messages; three fall out, and one turn is altered."""
    entries = running(steps)
    after = by_window(entries, window=10)
    assert outside == max(0, len(entries) - 10)
    assert hit == sum(a != b for a, b in zip(entries, after, strict=True))


def test_short_scenarios_never_load_the_sample() -> None:
    """R-AR-04: tasks of three or four steps pass every suite, which is why the fault is not seen."""
    for steps in (3, 4):
        entries = running(steps)
        assert "accepted" == verdict(by_window(entries), entries)


def test_the_sample_drops_what_it_does_not_know() -> None:
    """FM-04: a type whitelist loses a block type of next quarter without an error; ours carries it."""
    entries = TRANSCRIPTS["ADV-16"].entries
    assert "reasoning_v2" not in str(by_window(entries, window=1))
    assert "reasoning_v2" in str(compact(entries, profile=PROFILE).history)


@pytest.mark.parametrize("name", ["ADV-01", "ADV-09", "ADV-14"])
def test_the_last_answer_rule_is_right_where_turns_are_plain(name: str) -> None:
    """D-S1-06: on plain runs the rule of the second sample finds the boundary."""
    transcript = TRANSCRIPTS[name]
    assert transcript.expect["boundary"] == last_answer(transcript.entries)


@pytest.mark.parametrize("name", ["ADV-03", "ADV-06b", "ADV-15", "ADV-20"])
def test_the_last_answer_rule_cuts_inside_live_work(name: str) -> None:
    """D-S1-06: a note, a pause, or another task's answer moves it into live work."""
    transcript = TRANSCRIPTS[name]
    assert last_answer(transcript.entries) > transcript.expect["boundary"]
    assert transcript.report().boundary == transcript.expect["boundary"]


@pytest.mark.parametrize("keep", [1, 3, 5, 7])
def test_the_tail_slice_of_the_second_sample_breaks_units(keep: int) -> None:
    """D-S1-01: a slice of the settled part leaves a result without its call, or begins with the assistant."""
    entries = running(1, before=3)
    assert verdict(by_last_answer(entries, keep=keep), entries) != "accepted"
    ours = compact(entries, profile=PROFILE, keep_turns=keep)
    assert "accepted" == verdict(list(ours.history), entries)


def test_a_slice_from_minus_zero_keeps_everything() -> None:
    """D-S1-03: "keep none" keeps all of it in both samples; with ours it protects nothing."""
    entries = running(1, before=2)
    assert len(by_last_answer(entries, keep=0)) == len(entries)
    assert len(compact(entries, profile=PROFILE, keep_turns=0, operations=["reduce"]).history) < len(entries)


@pytest.mark.parametrize("rule", [strip_all_but_last_turns, strip_before_last_message])
def test_counting_assistant_messages_strips_the_running_loop(rule: Any) -> None:
    """P-01: "the last turn" and "before the last message" both reach into a running task."""
    entries = running(3)
    assert "latest-assistant-turn-altered" == verdict(rule(entries), entries)


@pytest.mark.parametrize("steps", [50, 500])
def test_a_long_task_is_exempt(steps: int) -> None:
    """R-TB-04, P-19: a running task of any length is not touched, whatever is asked."""
    entries = running(steps)
    for operations in (["strip"], ["clear"], ["reduce"], ["truncate"], ["drop"], None):
        done = compact(entries, profile=PROFILE, operations=operations)
        assert done.history is entries
        assert "nothing-settled" == done.report.decision.reason


def test_one_block_twice_has_two_fates() -> None:
    """R-DP-05: two byte-equal thoughts differ by what follows them, not by what they are."""
    thought = {"type": "thinking", "thinking": "the same", "signature": "s"}
    entries = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": [thought, {"type": "text", "text": "b"}], "stop_reason": "end_turn"},
        {"role": "user", "content": "c"},
        {"role": "assistant", "content": [thought, {"type": "tool_use", "id": "c1", "name": "q", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "d"}]},
    ]
    done = compact(entries, profile=PROFILE, dialect="anthropic-messages", operations=["strip"])
    assert thought not in done.history[1]["content"]
    assert thought in done.history[3]["content"]


def test_the_renderer_signs_what_it_issues() -> None:
    """The simulator refuses a turn that is valid by schema and was altered."""
    entries = running(1)
    assert isinstance(AnthropicRenderer(), AnthropicRenderer)
    altered = [*entries[:1], {**entries[1], "content": list(reversed(entries[1]["content"]))}, *entries[2:]]
    assert verdict(altered, entries) in {"latest-assistant-turn-altered", "final-block-cannot-be-thinking"}
    assert compact(entries, context=Context()).history is entries
