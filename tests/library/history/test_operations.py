"""The operations one by one: what goes, what stays, and when they say no."""

from __future__ import annotations

from typing import Any

import pytest
from tests.simulator.messages import KEEP_ALL, answered, asked, said, used, worked
from tests.simulator.transcripts import TRANSCRIPTS, done, reasons

from reticent.history import Confidence, Context, Floor, compact


def test_reduce_leaves_opener_and_answer() -> None:
    """A settled unit becomes what was asked and what was answered."""
    result = done("ADV-14", "reduce", least={"reduce": Confidence.SHAPE})
    assert [entry["content"] for entry in result.history[:2]] == [
        [{"type": "text", "text": "order 7?"}],
        [{"type": "text", "text": "It is 4921."}],
    ]


def test_reduce_needs_a_signal() -> None:
    """A unit whose end is known by shape alone is not rewritten unless the caller lowers the bar."""
    assert {"confidence"} == reasons(done("ADV-14", "reduce"))


@pytest.mark.parametrize(("floor", "first"), [(1, 4), (2, 4), (3, 0), (6, 0), (0, 6)])
def test_a_floor_snaps_to_units(floor: int, first: int) -> None:
    """D-S1-01: a floor of entries is rounded up to whole units; none protects nothing."""
    result = done("ADV-14", "strip", keep=Floor(entries=floor))
    changed = {change.position for change in result.removed}
    assert not any(position >= first for position in changed)
    assert bool(changed) == (first > 0)


def test_steering_is_gathered_into_the_opener() -> None:
    """P-26: what a person said while tools ran becomes a further part of the opening entry."""
    result = compact(worked("4921", {"type": "text", "text": "also add Rome"}), profile=KEEP_ALL, operations=["reduce"])
    assert ["order 7?", "also add Rome"] == [part["text"] for part in result.history[0]["content"]]


def test_strings_stay_strings_when_steering_is_gathered() -> None:
    """A clone that takes no content list gets none."""
    entries: list[dict[str, Any]] = [
        {"role": "user", "content": "plan"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "q"}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "r"},
        {"role": "user", "content": "and Rome"},
        {"role": "assistant", "content": "planned", "finish_reason": "stop"},
        {"role": "user", "content": "ty"},
    ]
    result = compact(entries, profile="openai-chat", operations=["reduce"])
    assert ["plan\n\nand Rome", "planned", "ty"] == [entry["content"] for entry in result.history]


def test_an_answer_that_is_a_terminal_call_stays_a_pair() -> None:
    """The call of a terminal tool is the answer; it keeps its result and loses its reasoning."""
    entries = [asked("classify"), used("o1", "final_result"), answered("o1", "recorded"), asked("next")]
    context = Context(terminal_tools=frozenset({"final_result"}))
    result = compact(entries, profile=KEEP_ALL, context=context, operations=["reduce"])
    assert ["tool_use"] == [block["type"] for block in result.history[1]["content"]]
    assert result.history[2] is entries[2]


def test_deepseek_keeps_the_reasoning_of_a_terminal_call() -> None:
    """CR-05: a call that stays keeps the reasoning that its provider asks for."""
    call = {"id": "o1", "type": "function", "function": {"name": "final_result", "arguments": "{}"}}
    entries: list[dict[str, Any]] = [
        {"role": "user", "content": "classify"},
        {"role": "assistant", "content": "", "reasoning_content": "R", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "o1", "content": "recorded"},
        {"role": "user", "content": "next"},
    ]
    context = Context(terminal_tools=frozenset({"final_result"}))
    result = compact(entries, profile="deepseek-v4", context=context, operations=["reduce"])
    assert list(result.history) == entries


def test_prefix_bound_models_permit_only_to_strip_in_front_of_live_work() -> None:
    """ADV-01: the settled run may lose its reasoning; nothing else may change while live reasoning is bound to it."""
    stripped = done("ADV-01", "strip", profile="anthropic-prefix-bound")
    assert {"settled-reasoning"} == {change.rule for change in stripped.removed}
    for operation in ("clear", "truncate", "reduce", "drop"):
        result = done(
            "ADV-01",
            operation,
            profile="anthropic-prefix-bound",
            least=dict.fromkeys(("reduce", "drop"), Confidence.SHAPE),
        )
        assert {"live-reasoning"} == reasons(result)
        assert () == result.removed


def test_gemini_signatures_go_all_or_none() -> None:
    """ADV-18: under a profile that wants earlier signatures alike, a floor does not keep some of them."""
    entries = TRANSCRIPTS["ADV-18"].entries
    more = [
        *entries[:4],
        {"role": "user", "parts": [{"text": "more"}]},
        *entries[3:4],
        {"role": "user", "parts": [{"text": "x"}]},
    ]
    result = compact(more, profile="gemini-3.5", dialect="gemini", operations=["strip"], keep=Floor(tasks=1))
    assert "thoughtSignature" not in str(result.history)


def test_a_deepseek_turn_that_keeps_its_calls_keeps_its_reasoning() -> None:
    """ADV-19: the unit owes its reasoning while its calls stay; reduced, it owes nothing."""
    assert {"owed-with-calls"} == reasons(done("ADV-19", "strip"))
    reduced = done("ADV-19", "reduce")
    assert "reasoning_content" not in str(reduced.history)
    assert "tool_calls" not in str(reduced.history)


def test_an_item_that_needs_its_id_keeps_its_reasoning() -> None:
    """A server's item issued with reasoning would be refused without its id, so the unit is not stripped."""
    entries = [
        {"type": "message", "role": "user", "content": "a"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "E"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "message", "id": "m_1", "role": "assistant", "phase": "final_answer", "content": "b"},
        {"type": "message", "role": "user", "content": "c"},
    ]
    assert {"sibling-id-required"} == reasons(compact(entries, profile="openai-responses", operations=["strip"]))
    reduced = compact(entries, profile="openai-responses", operations=["reduce"])
    assert ["message"] * 3 == [entry["type"] for entry in reduced.history]
    assert "id" not in reduced.history[1]


def test_unknown_profile_takes_everything_or_nothing() -> None:
    """An undescribed model: only the whole settled part reduced, and only at rest."""
    whole = compact(worked("4921"), profile="unknown")
    assert 3 == len(whole.history)
    kept = compact([*worked("4921")[:-1], *worked("5")], profile="unknown", keep_turns=1)
    assert () == kept.removed
    assert "profile" in reasons(kept)


def test_clear_leaves_a_placeholder_with_size_tool_call_and_handle() -> None:
    """R-OP-08: the pair stays, and the placeholder says what was there and how to find it."""
    kept: dict[str, bytes] = {}
    result = compact(worked("x" * 5000), profile=KEEP_ALL, operations=["clear"], store=kept.__setitem__)
    body = result.history[2]["content"][0]["content"]
    assert "5002 bytes of q, call c1, sha256:" in body
    assert b'"' + b"x" * 5000 + b'"' == kept[result.removed[0].handle]


def test_clear_leaves_small_bodies_alone() -> None:
    """A placeholder that would not be shorter is not worth it."""
    assert () == compact(worked("4921"), profile=KEEP_ALL, operations=["clear"]).removed


def test_truncate_keeps_head_and_tail() -> None:
    """The mark between them names the size in full."""
    result = compact(worked("h" * 4000 + "t" * 4000), profile=KEEP_ALL, operations=["truncate"])
    body = result.history[2]["content"][0]["content"]
    assert body.startswith("h" * 2000)
    assert body.endswith("t" * 1000)
    assert "truncated, 8002 bytes in full" in body


@pytest.mark.parametrize("body", [[{"type": "text", "text": "x" * 9000}], "x" * 9000])
def test_bodies_keep_their_form(body: Any) -> None:
    """A list of blocks stays one, a string stays one."""
    result = compact(worked(body), profile=KEEP_ALL, operations=["truncate"])
    assert isinstance(result.history[2]["content"][0]["content"], type(body))


def test_an_image_is_cleared_and_never_cut() -> None:
    """A body that holds more than text has no head and tail."""
    body = [{"type": "image", "source": "x" * 9000}]
    assert () == compact(worked(body), profile=KEEP_ALL, operations=["truncate"]).removed
    assert compact(worked(body), profile=KEEP_ALL, operations=["clear"]).removed


def test_drop_keeps_the_goal() -> None:
    """R-SY-06: the unit that states the goal never goes; a later one may."""
    two = [*worked("4921")[:-1], asked("and 8?"), said("none"), asked("why?")]
    result = compact(two, profile=KEEP_ALL, operations=["drop"])
    assert "goal" in reasons(result)
    assert [*two[:4], two[-1]] == list(result.history)


def test_interleaved_tasks_are_reduced_each_for_itself() -> None:
    """Two ended tasks that overlap form one unit, and each keeps its opener and its answer."""
    entries = [
        asked("A?") | {"task_id": "A"},
        used("a1") | {"task_id": "A"},
        asked("B?") | {"task_id": "B"},
        answered("a1", "r") | {"task_id": "A"},
        said("B!") | {"task_id": "B"},
        said("A!") | {"task_id": "A"},
    ]
    context = Context(tasks={"A": "completed", "B": "completed"}, concurrency=2)
    result = compact(entries, context=context, profile=KEEP_ALL, operations=["reduce"])
    assert [(0, 6)] == [(unit.start, unit.end) for unit in result.report.boundary.units]
    assert ["A?", "B?", "B!", "A!"] == [entry["content"][0]["text"] for entry in result.history]
