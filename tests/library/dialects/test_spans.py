"""Attributes of spans: flattened messages are judged whole, and their names close up."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reticent

_CANARY = "CANARY-e7719b"
_OUT = "llm.output_messages.0.message."


def _content(number: int, kind: str, text: str) -> dict[str, str]:
    at = f"{_OUT}contents.{number}.message_content."
    return {f"{at}type": kind, f"{at}text": text}


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_contents_close_up(hidden: list[bool]) -> None:
    """Whichever contents are reasoning, the others stand without a gap and in order."""
    span: dict[str, str] = {"openinference.span.kind": "LLM", f"{_OUT}role": "assistant"}
    for number, is_hidden in enumerate(hidden):
        span |= _content(number, "reasoning" if is_hidden else "text", _CANARY if is_hidden else f"t{number}")
    out = orjson.loads(reticent.load_plan().serializer("logs")(orjson.dumps(span)))
    shown = [f"t{number}" for number, is_hidden in enumerate(hidden) if not is_hidden]
    assert [value for name, value in out.items() if name.endswith("content.text")] == shown
    assert {f"{_OUT}contents.{number}.message_content.type" for number in range(len(shown))} <= out.keys()
    assert len(out) == 2 + 2 * len(shown)


def test_renaming_copies_every_other_byte() -> None:
    """Spacing and the spelling of numbers around a renamed attribute stay as they came."""
    at = f"{_OUT}contents."
    body = (
        f'{{ "llm.temperature" : 1.50e0, "{_OUT}role" : "assistant",\n  "{at}0.message_content.type" :"reasoning",'
        f' "{at}0.message_content.text":"{_CANARY}", "{at}1.message_content.type" :  "text",'
        f' "{at}1.message_content.text": "caf\\u00e9" }}'
    )
    kept = (
        f'{{ "llm.temperature" : 1.50e0, "{_OUT}role" : "assistant",\n  "{at}0.message_content.type" :  "text",'
        f' "{at}0.message_content.text": "caf\\u00e9" }}'
    )
    assert reticent.load_plan().serializer("logs")(body.encode()).decode() == kept


@pytest.mark.parametrize("number", [0, 7, 255])
def test_long_histories_are_read(number: int) -> None:
    """A message far down in a history is judged by its own role."""
    at = f"llm.input_messages.{number}.message."
    span = {f"{at}role": "assistant", f"{at}content": f"<think>{_CANARY}</think>Seen."}
    assert reticent.load_plan().serializer("logs").value(span) == {f"{at}role": "assistant", f"{at}content": "Seen."}


def test_names_that_run_through_a_text_are_kept() -> None:
    """Two attributes of which one is the beginning of the other both stay."""
    span = {"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "hi", "gen_ai.prompt.0.content.0.text": "there"}
    assert reticent.load_plan().serializer("logs").value(span) is span


def test_list_of_attributes_keeps_types() -> None:
    """Numbers and flags of a list of attributes are left alone beside an attribute that goes."""
    count = {"key": "gen_ai.usage.reasoning_tokens", "value": {"intValue": "7"}}
    flag = {"key": "stream", "value": {"boolValue": True}}
    gone = {"key": "ai.response.reasoning", "value": {"stringValue": _CANARY}}
    span = {"attributes": [count, gone, flag]}
    assert reticent.load_plan().serializer("logs").value(span) == {"attributes": [count, flag]}
