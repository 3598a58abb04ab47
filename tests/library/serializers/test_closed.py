"""Unknown block types, marks, and what is left of a message."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

import pytest

import reticent
from reticent.serializers import build_serializer
from reticent.serializers.serializer import StripSerializer

SECRET = "CANARY-closed-91bc"
PLAN = reticent.load_plan()
TEXT = {"type": "text", "text": "Done."}
THOUGHT = {"type": "thinking", "thinking": SECRET, "signature": "c2ln"}


def _serializer(**changes: Any) -> Any:
    return build_serializer(PLAN, replace(PLAN.decision("logs"), **changes))


def _message(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def test_unknown_types_are_withheld_with_a_mark() -> None:
    """A block of a type that nobody listed leaves its type, its count and its length, and is counted."""
    serializer = _serializer()
    shown = serializer.value(_message({"type": "musing", "musing": SECRET}, TEXT))
    length = len(SECRET)
    assert shown["content"] == [{"type": "musing", "withheld": {"count": 1, "length": length}}, TEXT]
    assert serializer.report.unknown_types == {"musing": 1}
    assert serializer.value(shown) == shown


@pytest.mark.parametrize(("kind", "kept"), [("musing", False), ("deep_thought", False), ("chart", True)])
def test_suspect_withholds_names_that_look_like_reasoning(kind: str, kept: bool) -> None:
    """``suspect`` lets an unknown type through unless its name looks like reasoning."""
    shown = _serializer(unknown_types="suspect").value(_message({"type": kind, "body": SECRET}, TEXT))
    assert (SECRET in str(shown)) is kept


def test_carry_lets_unknown_types_through_and_counts_them() -> None:
    """``carry`` withholds nothing, and still says what it met."""
    serializer = _serializer(unknown_types="carry")
    message = _message({"type": "musing", "musing": "x"}, TEXT)
    assert serializer.value(message) is message
    assert serializer.report.unknown_types == {"musing": 1}


def test_an_unknown_type_is_told_once_per_process(caplog: pytest.LogCaptureFixture) -> None:
    """The first unknown block of a type is logged by its name, later ones are only counted."""
    serializer = _serializer()
    with caplog.at_level(logging.WARNING, logger="reticent"):
        serializer.value(_message({"type": "told-once", "x": SECRET}))
        serializer.value(_message({"type": "told-once", "x": SECRET}))
    assert [record.getMessage().count("told-once") for record in caplog.records] == [1]
    assert SECRET not in caplog.text


def test_a_type_that_is_no_name_is_not_shown() -> None:
    """A mark does not repeat a type that could be text."""
    shown = _serializer().value(_message({"type": f"the customer {SECRET}", "x": "y"}))
    assert SECRET not in str(shown)
    assert shown["content"][0]["type"] == "unnamed"


def test_user_blocks_are_not_closed() -> None:
    """Blocks of a type nobody knows stay in what a person or a tool wrote."""
    message = {"role": "user", "content": [{"type": "my_widget", "x": 1}]}
    assert _serializer().value(message) is message


def test_marks_tell_type_count_and_length() -> None:
    """With ``on_strip: mark`` a run of carriers leaves one mark, and stripping again changes nothing."""
    serializer = _serializer(on_strip="mark")
    shown = serializer.value(_message(THOUGHT, THOUGHT, TEXT, THOUGHT))
    length = len(SECRET) + 4
    assert shown["content"] == [
        {"type": "thinking", "withheld": {"count": 2, "length": 2 * length}},
        TEXT,
        {"type": "thinking", "withheld": {"count": 1, "length": length}},
    ]
    assert serializer.value(shown) == shown


@pytest.mark.parametrize(
    "names", [{"type": "a CANARY of text"}, {"type": "reasoning", "id": "withheld_a CANARY of text", "summary": []}]
)
def test_text_in_the_shape_of_a_mark_goes(names: dict[str, Any]) -> None:
    """What has the members of a mark and more than a plain name in them was left by nobody here."""
    block = {**names, "withheld": {"count": 1, "length": 2}}

    shown = _serializer().value(_message(block, TEXT))

    assert "CANARY" not in repr(shown)
    assert TEXT == shown["content"][-1]


def test_a_message_left_with_nothing_goes_from_a_history() -> None:
    """A message that was nothing but reasoning is not left as an empty one; a response keeps its empty list."""
    history = [{"role": "user", "content": "hi"}, _message(THOUGHT), {"role": "user", "content": "hm?"}]
    assert _serializer().value(history) == [history[0], history[2]]
    response = {"type": "message", "role": "assistant", "content": [THOUGHT], "stop_reason": "max_tokens"}
    assert _serializer().value(response) == {**response, "content": []}


def test_a_message_with_a_call_stays() -> None:
    """A message that still calls a tool is not empty."""
    history = [{"role": "assistant", "content": "", "reasoning_content": SECRET, "tool_calls": [{"id": "c1"}]}]
    assert _serializer().value(history) == [{"role": "assistant", "content": "", "tool_calls": [{"id": "c1"}]}]


def test_classes_that_a_surface_may_show_stay() -> None:
    """Where summaries may be shown, a reasoning item keeps its summary and loses text and ciphertext."""
    item = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "plan"}],
        "content": [{"type": "reasoning_text", "text": SECRET}],
        "encrypted_content": SECRET,
    }
    classes = {**PLAN.decision("logs").classes, "summary": "pass"}
    shown = _serializer(classes=classes).value({"output": [item]})
    assert shown == {"output": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "plan"}]}]}


def test_derived_text_is_carried_unless_the_row_says_strip() -> None:
    """A compaction block stays by default, and goes where derived text is stripped."""
    payload = _message({"type": "compaction", "content": SECRET}, TEXT)
    assert _serializer().value(payload) is payload
    classes = {**PLAN.decision("logs").classes, "derived": "strip"}
    assert _serializer(classes=classes).value(payload) == _message(TEXT)


def test_serializers_of_one_decision_share_their_tables() -> None:
    """Two serializers for the same options use one program, so that opening a stream costs nothing."""
    one, other = PLAN.serializer("logs"), PLAN.serializer("logs")
    assert isinstance(one, StripSerializer)
    assert isinstance(other, StripSerializer)
    assert one.program is other.program


@pytest.mark.parametrize(
    "arguments", ['{"reasoning": "rubric te', '{"thought": {"thinking": "user da', '{"score": 3, "summary": "a']
)
def test_arguments_cut_short_are_the_applications_own(arguments: str) -> None:
    """Half of a call's arguments, as a stream delivers them, are not judged by their keys."""
    call = {"type": "function", "id": "c1", "function": {"name": "grade", "arguments": arguments}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    assert _serializer().value(message) is message
