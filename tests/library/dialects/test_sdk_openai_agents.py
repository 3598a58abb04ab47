"""Objects of the OpenAI Agents SDK are stripped like the JSON they stand for."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

import reticent

pytest.importorskip("agents", reason="the openai-agents SDK is not installed")

_CANARY = "CANARY-f1a3d9"
_PLAN = reticent.load_plan()
_ITEM = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": _CANARY}],
    "encrypted_content": _CANARY,
}


def _written(value: Any) -> Any:
    out = _PLAN.serializer("logs")(value)
    assert _CANARY.encode() not in out
    return orjson.loads(out)


def test_raw_events_go_with_what_they_hold() -> None:
    """A raw event of reasoning is nothing on a strip surface, one of text is itself."""
    from agents import RawResponsesStreamEvent
    from openai.types.responses import ResponseReasoningSummaryTextDeltaEvent, ResponseTextDeltaEvent

    place = {"item_id": "x", "output_index": 0, "sequence_number": 1, "delta": _CANARY}
    thought = {"type": "response.reasoning_summary_text.delta", "summary_index": 0, **place}
    text = {"type": "response.output_text.delta", "content_index": 0, "logprobs": [], **place, "delta": "42"}
    assert (
        _written(RawResponsesStreamEvent(data=ResponseReasoningSummaryTextDeltaEvent.model_validate(thought))) is None
    )
    kept = _written(RawResponsesStreamEvent(data=ResponseTextDeltaEvent.model_validate(text)))
    assert {"type": "raw_response_event", "data": text} == kept


def test_input_list_of_a_run_is_stripped_with_its_pairs() -> None:
    """What a session would replay loses the item and the id that was paired with it."""
    call = {"id": "fc_1", "type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
    result = {"type": "function_call_output", "call_id": "c1", "output": "ok"}
    kept = {name: value for name, value in call.items() if name != "id"}
    assert [{"role": "user", "content": "Hi"}, kept, result] == _written(
        [{"role": "user", "content": "Hi"}, _ITEM, call, result]
    )


def test_run_items_are_stripped() -> None:
    """A run item goes although it is a dataclass around a Pydantic model."""
    from agents import Agent, ReasoningItem
    from openai.types.responses import ResponseReasoningItem

    item = ReasoningItem(agent=Agent(name="helper"), raw_item=ResponseReasoningItem.model_validate(_ITEM))
    assert _written({"type": item.type, "raw_item": item.raw_item}) is None
