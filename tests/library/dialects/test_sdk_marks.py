"""The official SDKs read a stream with marks, each as it reads any stream, and put the same marks together."""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

import orjson
import pytest
from pydantic import TypeAdapter
from tests.properties.event_streams import BY_NAME, Block, values

from reticent.dialects import all_dialects
from reticent.serializers.program import Options, compile_program
from reticent.serializers.serializer import StripSerializer
from reticent.serializers.stream import StripStream

_CANARY = "CANARY-sdkmark-3c1e"
_PROGRAM = compile_program(all_dialects(), Options(on_strip="mark"))
_WHOLE = StripSerializer("logs", _PROGRAM)
_MESSAGE = (
    Block("reasoning", (_CANARY, "more"), f"{_CANARY}-sig"),
    Block("reasoning", (_CANARY,)),
    Block("text", ("Visible ", "one.")),
    Block("call", ('{"thought":', '"kept"}')),
    Block("reasoning", (_CANARY,)),
)
_LENGTHS = [2 * len(_CANARY) + len("more") + len(f"{_CANARY}-sig"), len(_CANARY)]
"""What the two marks tell, where a protocol has signatures."""


def _events(name: str) -> list[Any]:
    protocol = BY_NAME[name]
    stream = StripStream("logs", _PROGRAM, wire=protocol.wire, starts_inside=False)
    out = stream.feed(protocol.encode(_MESSAGE)) + stream.flush()
    assert _CANARY.encode() not in out
    return values(protocol.wire, out)


def _whole(name: str) -> Any:
    protocol = BY_NAME[name]
    return _WHOLE.value(protocol.decode(protocol.encode(_MESSAGE)))


def test_anthropic() -> None:
    """``accumulate_event`` of the anthropic package makes the stripped message, marks among its content."""
    pytest.importorskip("anthropic", reason="the anthropic SDK is not installed")
    from anthropic._models import construct_type
    from anthropic.lib.streaming._messages import accumulate_event
    from anthropic.types import RawMessageStreamEvent

    snapshot: Any = None
    for event in _events("anthropic"):
        if event["type"] != "ping":
            read: Any = construct_type(value=event, type_=RawMessageStreamEvent)
            snapshot = accumulate_event(event=read, current_snapshot=snapshot, json_bufs={})
    content = [block.model_dump(mode="json", exclude_unset=True, warnings=False) for block in snapshot.content]
    assert [block["type"] for block in content] == ["thinking", "text", "tool_use", "thinking"]
    assert [content[0], content[3]] == [_whole("anthropic")["content"][at] for at in (0, 3)]


def test_openai_responses() -> None:
    """``ResponseStreamState`` of the openai package makes the output that the last event repeats."""
    pytest.importorskip("openai", reason="the openai SDK is not installed")
    from openai import Omit
    from openai._models import construct_type
    from openai.lib.streaming.responses._responses import ResponseStreamState
    from openai.types.responses import ResponseStreamEvent

    state: Any = ResponseStreamState(input_tools=Omit(), text_format=Omit())
    *events, last = _events("responses")
    for event in events:
        state.handle_event(construct_type(value=event, type_=ResponseStreamEvent))
    output = state._ResponseStreamState__current_snapshot.output
    marks = [item.model_dump(mode="json", exclude_unset=True) for item in output if item.type == "reasoning"]
    assert marks == [item for item in last["response"]["output"] if item["type"] == "reasoning"]
    assert [mark["withheld"]["length"] for mark in marks] == _LENGTHS


def test_pydantic_ai() -> None:
    """PydanticAI's own events and messages take the marks, which it would refuse as parts of another kind."""
    pytest.importorskip("pydantic_ai", reason="pydantic-ai-slim is not installed")
    from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponseStreamEvent

    adapter: TypeAdapter[Any] = TypeAdapter(ModelResponseStreamEvent)
    read = [adapter.validate_python(event) for event in _events("pydantic-ai")]
    parts = [event.part for event in read if event.event_kind == "part_end"]
    (response,) = ModelMessagesTypeAdapter.validate_python([_whole("pydantic-ai")])
    assert parts == list(response.parts)
    assert [part.part_kind for part in parts] == ["text", "text", "text"]


def test_ag_ui() -> None:
    """The models of ag-ui-protocol take the events of a stream with marks, and the messages of the whole."""
    pytest.importorskip("ag_ui", reason="ag-ui-protocol is not installed")
    from ag_ui.core import Event, Message

    events: TypeAdapter[Any] = TypeAdapter(Event)
    messages: TypeAdapter[Any] = TypeAdapter(Message)
    read = [events.validate_python(event) for event in _events("ag-ui")]
    shown = [event for event in read if event.type == "ACTIVITY_SNAPSHOT"]
    whole = [messages.validate_python(message) for message in _whole("ag-ui")["messages"]]
    kept = [message for message in whole if message.role == "activity"]
    assert [(event.message_id, event.content) for event in shown] == [(one.id, one.content) for one in kept]
    assert len(kept) == len(_LENGTHS)


def test_google_genai() -> None:
    """The models of google-genai, which refuse members they do not know, take chunks with marks."""
    pytest.importorskip("google.genai", reason="google-genai is not installed")
    from google.genai import types

    read = [types.GenerateContentResponse.model_validate(event) for event in _events("gemini")]
    parts = [
        part for event in read for one in event.candidates or () if one.content for part in one.content.parts or ()
    ]
    told = [part.part_metadata["withheld"]["length"] for part in parts if part.part_metadata]
    assert told == _LENGTHS
    assert "".join(event.text or "" for event in read) == "Visible one."


def test_botocore() -> None:
    """Botocore, which refuses a block with two members, parses events and a message with marks."""
    pytest.importorskip("botocore", reason="botocore is not installed")
    loaders: Any = import_module("botocore.loaders")
    parsers: Any = import_module("botocore.parsers")

    service = import_module("botocore.model").ServiceModel(
        loaders.Loader().load_service_model("bedrock-runtime", "service-2")
    )
    stream = service.shape_for("ConverseStreamOutput")
    parser = parsers.EventStreamJSONParser()
    read = [
        parser.parse(
            {
                "headers": {":event-type": name, ":message-type": "event"},
                "body": orjson.dumps(body),
                "status_code": 200,
            },
            stream,
        )
        for event in _events("bedrock")
        for name, body in event.items()
    ]
    starts = [event["contentBlockStart"]["start"] for event in read if "contentBlockStart" in event]
    assert [next(iter(start)) for start in starts] == ["SDK_UNKNOWN_MEMBER", "toolUse", "SDK_UNKNOWN_MEMBER"]
    body = orjson.dumps(_WHOLE.value({"output": {"message": {"role": "assistant", "content": [_BEDROCK]}}}))
    shape = service.operation_model("Converse").output_shape
    message = parsers.RestJSONParser().parse({"headers": {}, "body": body, "status_code": 200}, shape)["output"][
        "message"
    ]
    assert [next(iter(block)) for block in message["content"]] == ["SDK_UNKNOWN_MEMBER"]


_BEDROCK = {"reasoningContent": {"reasoningText": {"text": _CANARY}}}


@pytest.mark.parametrize("name", ["mistral-chat", "mistral-conversations"])
def test_mistral(name: str) -> None:
    """The models of mistralai take a mark for a chunk of no text."""
    pytest.importorskip("mistralai", reason="the mistralai SDK is not installed")
    from mistralai.client.models import CompletionChunk, MessageOutputEvent

    contents: list[Any] = []
    for event in _events(name):
        if name == "mistral-chat":
            contents.append(CompletionChunk.model_validate(event).choices[0].delta.content)
        elif event["type"] == "message.output.delta":
            contents.append(MessageOutputEvent.model_validate({**event, "role": "assistant"}).content)
    assert str(contents).count("TextChunk(text=''") == len(_LENGTHS)


def test_langchain() -> None:
    """Chunks of langchain-core add up to the stripped message, marks in their places."""
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    from langchain_core.messages import AIMessageChunk

    first, *rest = [AIMessageChunk.model_validate(event) for event in _events("langchain")]
    added: Any = first
    for chunk in rest:
        added += chunk
    assert [block for block in added.content if "withheld" in block] == [
        block for block in _whole("langchain")["content"] if "withheld" in block
    ]


def test_llama_index() -> None:
    """A message of LlamaIndex takes a mark among its blocks."""
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    from llama_index.core.llms import ChatMessage

    blocks = [{"block_type": "thinking", "content": _CANARY}, {"block_type": "text", "text": "Visible."}]
    shown = _WHOLE.value({"role": "assistant", "blocks": blocks})
    message = ChatMessage.model_validate(shown)
    assert [block.block_type for block in message.blocks] == ["text", "text"]
    assert shown["blocks"][0]["withheld"] == {"type": "thinking", "count": 1, "length": len(_CANARY)}


def test_cohere() -> None:
    """The events of the cohere package, read as its client reads them, keep a mark where the block was."""
    pytest.importorskip("cohere", reason="the cohere SDK is not installed")
    from cohere.core.unchecked_base_model import construct_type
    from cohere.v2.types import V2ChatStreamResponse

    read: list[Any] = [
        construct_type(type_=cast("Any", V2ChatStreamResponse), object_=event) for event in _events("cohere")
    ]
    starts = [event for event in read if event.type == "content-start"]
    assert [event.index for event in starts] == [0, 1, 2]
    assert [event.delta.message.content.type for event in starts] == ["thinking", "text", "thinking"]
