"""The official SDKs put a filtered stream together to exactly the message without reasoning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anthropic.lib.streaming._messages import accumulate_event
from anthropic.types import RawMessageStreamEvent
from hypothesis import given, settings
from openai import Omit
from openai._models import construct_type
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.lib.streaming.responses._responses import ResponseStreamState
from openai.types.chat import ChatCompletionChunk
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter
from tests.properties.event_streams import BY_NAME, Message, messages, values

import reticent

if TYPE_CHECKING:
    from anthropic.types.parsed_message import ParsedMessage

SECRET = "CANARY-official-0b6e"
PLAN = reticent.load_plan()
LOGS = PLAN.serializer("logs")
ANTHROPIC_EVENT: TypeAdapter[RawMessageStreamEvent] = TypeAdapter(RawMessageStreamEvent)


def _filtered(name: str, message: Message) -> list[Any]:
    protocol = BY_NAME[name]
    stream = PLAN.stream("browser_stream", wire=protocol.wire)
    return values(protocol.wire, stream.feed(protocol.encode(message)) + stream.flush())


def _json(model: Any) -> Any:
    return model.model_dump(mode="json", exclude_unset=True, warnings=False)


def _anthropic(events: list[Any]) -> Any:
    snapshot: ParsedMessage[None] | None = None
    buffers: dict[int, bytes] = {}
    for event in events:
        if event["type"] != "ping":
            parsed = ANTHROPIC_EVENT.validate_python(event)
            snapshot = accumulate_event(event=parsed, current_snapshot=snapshot, json_bufs=buffers)
    assert snapshot is not None
    return _json(snapshot)


@settings(max_examples=60)
@given(message=messages(SECRET))
def test_anthropic(message: Message) -> None:
    """``accumulate_event`` of the anthropic package."""
    whole = _anthropic(BY_NAME["anthropic"].events(message))
    assert _anthropic(_filtered("anthropic", message)) == LOGS.value(whole)


def _chat(events: list[Any]) -> Any:
    state = ChatCompletionStreamState()
    for event in events:
        state.handle_chunk(ChatCompletionChunk.model_validate(event))
    return _json(state.get_final_completion())


@settings(max_examples=60)
@given(message=messages(SECRET))
def test_chat_completions(message: Message) -> None:
    """``ChatCompletionStreamState`` of the openai package, on the chunks of a clone."""
    found, whole = _chat(_filtered("chat", message)), LOGS.value(_chat(BY_NAME["chat"].events(message)))
    assert found["choices"][0]["message"] == whole["choices"][0]["message"]
    assert found["choices"][0]["finish_reason"] == "stop"


def _responses(events: list[Any]) -> tuple[Any, Any]:
    """The snapshot that deltas and stops made, and the response of the last event."""
    state: Any = ResponseStreamState(input_tools=Omit(), text_format=Omit())
    snapshot, last = None, None
    for event in events:
        if event["type"] == "response.completed":
            last = event["response"]
        else:
            state.handle_event(construct_type(value=event, type_=ResponseStreamEvent))
            snapshot = state._ResponseStreamState__current_snapshot
    return [] if snapshot is None else _json(snapshot)["output"], last


@settings(max_examples=60)
@given(message=messages(SECRET))
def test_responses(message: Message) -> None:
    """``ResponseStreamState`` of the openai package; the last event says the same."""
    events = BY_NAME["responses"].events(message)
    found, last = _responses(_filtered("responses", message))
    assert last == LOGS.value(events[-1]["response"])
    assert [item["id"] for item in found] == [item["id"] for item in last["output"]]
    for mine, said in zip(found, last["output"], strict=True):
        assert mine.get("content") == said.get("content")
        assert mine.get("arguments") == said.get("arguments")
