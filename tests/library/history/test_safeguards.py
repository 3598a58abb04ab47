"""What holds an operation back, what is kept before it goes, and how an abandoned call is repaired."""

from __future__ import annotations

from typing import Any

import pytest
from tests.simulator.messages import KEEP_ALL, answered, asked, said, used, worked
from tests.simulator.transcripts import TRANSCRIPTS, done, reasons

from reticent.errors import ConfigurationError, LiveSpanTouched
from reticent.history import Change, Context, apply, compact, repair
from reticent.history.changes import Action


def test_a_guard_is_heard() -> None:
    """R-KD-06: whoever knows of an unflushed fact forbids the operation, by reason."""
    result = compact(
        worked("x" * 5000), profile=KEEP_ALL, operations=["clear"], guard=lambda _op, _start, _end: "unflushed-fact"
    )
    assert {"unflushed-fact"} == reasons(result)
    assert () == result.removed


def test_a_store_that_fails_leaves_everything() -> None:
    """P-27: nothing is removed that was not kept first."""

    def broken(handle: str, data: bytes) -> None:
        raise OSError(handle, data)

    entries = worked("x" * 5000)
    result = compact(entries, profile=KEEP_ALL, store=broken)
    assert result.history is entries
    assert ("store-failed", "OSError") == (result.report.refused[-1].reason, result.report.refused[-1].detail)


def test_reasoning_is_never_handed_to_the_store() -> None:
    """CR-12: what is kept elsewhere holds no reasoning."""
    kept: dict[str, bytes] = {}
    result = compact(worked("x" * 5000), profile=KEEP_ALL, store=kept.__setitem__)
    assert result.removed
    assert b"PRIV" not in b"".join(kept.values())


def test_control_that_changes_what_is_in_force_is_not_lost() -> None:
    """P-29: a unit that adds or removes a tool in its middle is not reduced."""
    removal = {"type": "tool_removal", "name": "pay"}
    assert {"control-in-unit"} == reasons(compact(worked("4921", removal), profile=KEEP_ALL, operations=["reduce"]))


def test_standing_text_between_units_stays() -> None:
    """P-29: a system message of the harness is carried, whatever goes around it."""
    standing = {"role": "system", "content": "never refund"}
    entries = [*worked("4921")[:-1], standing, asked("and 8?"), said("none"), asked("x")]
    result = compact(entries, profile=KEEP_ALL, operations=["reduce", "drop"])
    assert standing in result.history


def test_a_checkpoint_stays_where_it_is() -> None:
    """P-28: what the provider issued as a checkpoint is carried byte for byte, and its unit is not rewritten."""
    block = {"type": "compaction", "content": "sum", "encrypted_content": "X"}
    first = {"role": "assistant", "content": [block, *used("c1")["content"]], "stop_reason": "tool_use"}
    entries = [first, answered("c1", "r"), said("done"), asked("next")]
    result = compact(entries, profile=KEEP_ALL)
    assert block == result.history[0]["content"][0]
    assert "checkpoint-in-unit" in reasons(result)
    assert "PRIV" not in str(result.history)


def test_an_abandoned_call_forbids_to_trim_and_may_be_repaired() -> None:
    """§3.6: a call without a result is reduced away, dropped, or answered by name; never passed over."""
    transcript = TRANSCRIPTS["OWN-17"]
    assert {"abandoned-call"} == reasons(done("OWN-17", "strip"))
    fixed = repair(transcript.entries, context=transcript.context, profile=KEEP_ALL, dialect=transcript.dialect)
    first = fixed.history[2]["content"][0]
    assert ("tool_result", "c1", True) == (first["type"], first["tool_use_id"], first["is_error"])
    assert transcript.entries[2]["content"][0] in fixed.history[2]["content"]


@pytest.mark.parametrize(
    ("dialect", "call", "result"),
    [
        (
            "openai-chat",
            {"role": "assistant", "content": "x", "tool_calls": [{"id": "c1", "function": {"name": "f"}}]},
            "tool",
        ),
        ("openai-responses", {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}, None),
    ],
)
def test_repair_adds_an_entry_where_results_are_entries(dialect: str, call: dict[str, Any], result: str | None) -> None:
    """The error result stands right behind the turn."""
    ask = {"role": "user", "content": "a"} | ({"type": "message"} if result is None else {})
    reply = {"role": "assistant", "content": "b", "phase": "final_answer"} | (
        {"type": "message"} if result is None else {}
    )
    entries = [ask, call, ask, reply, ask]
    context = Context(abandoned=frozenset({"c1"}))
    fixed = repair(entries, context=context, profile="openai-chat", dialect=dialect)
    assert 6 == len(fixed.history)
    assert result == fixed.history[2].get("role")
    assert "abandoned" in str(fixed.history[2])


def test_text_mode_results_are_cleared_and_keep_their_tool() -> None:
    """A result played as text keeps the words that name its tool."""
    entries = [
        {"role": "user", "content": "find"},
        {"role": "assistant", "content": "[grep()]"},
        {"role": "user", "content": "Tool Output (grep): " + "x" * 3000},
        {"role": "assistant", "content": "found", "phase": "final_answer"},
        {"role": "user", "content": "ty"},
    ]
    result = compact(entries, context=Context(text_tools=True), profile="openai-chat", operations=["clear"])
    assert result.history[2]["content"].startswith("Tool Output (grep): [reticent: cleared")


def test_the_live_span_cannot_be_written() -> None:
    """R-FD-05: the one function that carries changes out refuses a position behind the boundary."""
    change = Change(position=1, action=Action.DROP, op="strip", rule="r", kind="k")
    with pytest.raises(LiveSpanTouched):
        apply([1, 2], [change], boundary=1)


def test_an_unknown_operation_is_refused_with_a_suggestion() -> None:
    """A typing error is a configuration error."""
    with pytest.raises(ConfigurationError, match="Did you mean 'reduce'"):
        compact([], operations=["reduze"])
