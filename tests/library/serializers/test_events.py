"""Iterators of SDK events: the same kind out, without reasoning, and the SDK's own accumulators agree."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

import reticent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence

_CANARY = "CANARY-e6a05b"
_PLAN = reticent.load_plan()
_USAGE = {"input_tokens": 3, "output_tokens": 1}
_SNEAKY = ["Seen <thi", "s>\n<thin", f"king>{_CANARY}</thi", "nking>\nmore <thin"]
_SHOWN = "Seen <this>\nmore <thin"


def _anthropic() -> list[Any]:
    types = pytest.importorskip("anthropic", reason="the anthropic SDK is not installed").types
    message = {"id": "m", "type": "message", "role": "assistant", "model": "claude-x", "content": []}
    empty = {**message, "stop_reason": None, "stop_sequence": None, "usage": _USAGE}
    made = [
        types.RawMessageStartEvent.model_validate({"type": "message_start", "message": empty}),
        *_block(types, 0, {"type": "thinking", "thinking": "", "signature": ""}, *_thinking()),
        *_block(types, 1, {"type": "redacted_thinking", "data": _CANARY}),
        *_block(types, 2, {"type": "text", "text": ""}, *({"type": "text_delta", "text": text} for text in _SNEAKY)),
    ]
    delta = {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": _USAGE}
    return [
        *made,
        types.RawMessageDeltaEvent.model_validate(delta),
        types.RawMessageStopEvent.model_validate({"type": "message_stop"}),
    ]


def _thinking() -> list[dict[str, str]]:
    return [{"type": "thinking_delta", "thinking": _CANARY}, {"type": "signature_delta", "signature": _CANARY}]


def _block(types: Any, index: int, block: dict[str, str], *deltas: dict[str, str]) -> list[Any]:
    start = {"type": "content_block_start", "index": index, "content_block": block}
    return [
        types.RawContentBlockStartEvent.model_validate(start),
        *(
            types.RawContentBlockDeltaEvent.model_validate({"type": "content_block_delta", "index": index, "delta": it})
            for it in deltas
        ),
        types.RawContentBlockStopEvent.model_validate({"type": "content_block_stop", "index": index}),
    ]


def _openai_chat() -> list[Any]:
    chat = pytest.importorskip("openai.types.chat", reason="the openai SDK is not installed")
    deltas = [
        {"role": "assistant", "content": ""},
        {"reasoning_content": _CANARY},
        *({"content": it} for it in _SNEAKY),
    ]
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    ends = [{"index": 0, "delta": {}, "finish_reason": "stop"}]
    bodies = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas] + [ends]
    return [chat.ChatCompletionChunk.model_validate({**head, "choices": choices}) for choices in bodies]


def _openai_responses() -> list[Any]:
    responses = pytest.importorskip("openai.types.responses", reason="the openai SDK is not installed")
    pydantic = pytest.importorskip("pydantic")
    adapter = pydantic.TypeAdapter(responses.ResponseStreamEvent)
    return [adapter.validate_python({**body, "sequence_number": n}) for n, body in enumerate(_response_events())]


def _response_events() -> list[dict[str, Any]]:
    text = "".join(_SNEAKY)
    thought = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": _CANARY}]}
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
    place = {"item_id": "msg_1", "output_index": 1, "content_index": 0}
    added = {"type": "response.output_item.added", "output_index": 1, "item": {**message, "content": []}}
    summary = {"item_id": "rs_1", "output_index": 0, "summary_index": 0}
    empty = {**part, "text": ""}
    return [
        {"type": "response.created", "response": _response([])},
        {"type": "response.output_item.added", "output_index": 0, "item": {**thought, "summary": []}},
        {"type": "response.reasoning_summary_text.delta", **summary, "delta": _CANARY},
        {"type": "response.reasoning_summary_text.done", **summary, "text": _CANARY},
        {"type": "response.output_item.done", "output_index": 0, "item": thought},
        added,
        {"type": "response.content_part.added", **place, "part": empty},
        *({"type": "response.output_text.delta", **place, "delta": it, "logprobs": []} for it in _SNEAKY),
        {"type": "response.output_text.done", **place, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **place, "part": part},
        {"type": "response.output_item.done", "output_index": 1, "item": message},
        {"type": "response.completed", "response": _response([thought, message])},
    ]


def _response(output: list[Any]) -> dict[str, Any]:
    head = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-x", "status": "completed"}
    return {**head, "output": output, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}


def _google() -> list[Any]:
    types = pytest.importorskip("google.genai.types", reason="the google-genai SDK is not installed")
    parts = [{"text": _CANARY, "thought": True}, *({"text": it} for it in _SNEAKY)]
    bodies: list[dict[str, Any]] = [{"content": {"role": "model", "parts": [part]}} for part in parts]
    bodies[-1]["finishReason"] = "STOP"
    return [types.GenerateContentResponse.model_validate({"candidates": [body]}) for body in bodies]


def _langchain() -> list[Any]:
    messages = pytest.importorskip("langchain_core.messages", reason="langchain-core is not installed")
    contents = [[{"type": "thinking", "thinking": _CANARY, "index": 0}], *([_text(it)] for it in _SNEAKY)]
    last = [False] * (len(contents) - 1) + [True]
    return [
        messages.AIMessageChunk(content, id="run-1", **({"chunk_position": "last"} if ends else {}))
        for content, ends in zip(contents, last, strict=True)
    ]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text, "index": 1}


_MADE: dict[str, Callable[[], list[Any]]] = {
    "anthropic": _anthropic,
    "openai chat": _openai_chat,
    "openai responses": _openai_responses,
    "google-genai": _google,
    "langchain": _langchain,
}


def _shown(events: Iterable[Any]) -> list[Any]:
    return list(_PLAN.stream("browser_stream").events(events))


@pytest.mark.parametrize("make", _MADE.values(), ids=_MADE)
def test_events_keep_their_classes(make: Callable[[], list[Any]]) -> None:
    """Every event that goes on, those made up for held text too, is of a class that the stream had."""
    events = make()
    before = repr(events)

    shown = _shown(events)

    assert {type(event) for event in shown} <= {type(event) for event in events}
    assert _CANARY not in repr(shown)
    assert 0 < len(shown)
    assert before == repr(events)


@pytest.mark.parametrize("make", _MADE.values(), ids=_MADE)
def test_pass_gives_the_same_events(make: Callable[[], list[Any]]) -> None:
    """On a pass surface the very same objects come back."""
    events = make()

    shown = list(_PLAN.stream("request_memory").events(events))

    assert [id(event) for event in events] == [id(event) for event in shown]


@pytest.mark.parametrize("make", _MADE.values(), ids=_MADE)
def test_asynchronous_source_gives_the_same(make: Callable[[], list[Any]]) -> None:
    """An asynchronous iterator is filtered as a plain one is."""

    async def source() -> AsyncIterator[Any]:
        for event in make():
            yield event

    async def gathered(surface: str) -> list[Any]:
        return [event async for event in _PLAN.stream(surface).aevents(source())]

    assert _shown(make()) == asyncio.run(gathered("browser_stream"))
    assert make() == asyncio.run(gathered("request_memory"))


@pytest.mark.parametrize("make", _MADE.values(), ids=_MADE)
def test_dicts_give_dicts(make: Callable[[], list[Any]]) -> None:
    """The events as parsed JSON are filtered alike, and stay dicts."""
    dicts = [event.model_dump(mode="json", by_alias=True, exclude_none=True) for event in make()]

    shown = _shown(dicts)

    assert {dict} == {type(event) for event in shown}
    assert _CANARY not in repr(shown)


def _anthropic_message(events: Sequence[Any]) -> Any:
    from anthropic.lib.streaming._messages import accumulate_event

    snapshot: Any = None
    for event in events:
        snapshot = accumulate_event(event=event, current_snapshot=snapshot, json_bufs={})
    return snapshot


def test_anthropic_accumulator_rebuilds_the_stripped_message() -> None:
    """What the SDK puts together from the events that went on is the stripped whole message."""
    shown = _anthropic_message(_shown(_anthropic()))

    assert [{"type": "text", "text": _SHOWN}] == [block.model_dump(include={"type", "text"}) for block in shown.content]
    assert "end_turn" == shown.stop_reason


def test_chat_accumulator_rebuilds_the_stripped_message() -> None:
    """What the SDK puts together from the chunks that went on holds the visible text alone."""
    from openai.lib.streaming.chat import ChatCompletionStreamState

    state: Any = ChatCompletionStreamState()
    for chunk in _shown(_openai_chat()):
        list(state.handle_chunk(chunk))
    message = state.get_final_completion().choices[0].message

    assert _SHOWN == message.content
    assert not hasattr(message, "reasoning_content")


def test_responses_accumulator_rebuilds_the_stripped_response() -> None:
    """Items and sequence numbers close up, and the response at the end is stripped as well."""
    from openai._types import omit
    from openai.lib.streaming.responses._responses import ResponseStreamState

    events = _shown(_openai_responses())
    state: Any = ResponseStreamState(text_format=omit, input_tools=omit)
    for event in events:
        state.handle_event(event)

    assert list(range(len(events))) == [event.sequence_number for event in events]
    assert [_SHOWN] == [item.content[0].text for item in events[-1].response.output]
    assert {0} == {event.output_index for event in events if hasattr(event, "output_index")}


def test_google_chunks_add_up_to_the_visible_text() -> None:
    """Responses that went on hold the visible text, and what was held back comes with the last."""
    texts = [part.text or "" for event in _shown(_google()) for part in event.candidates[0].content.parts or ()]

    assert _SHOWN == "".join(texts)


def test_langchain_chunks_add_up_to_the_visible_text() -> None:
    """Chunks that went on add up to a message with the visible text."""
    first, *rest = _shown(_langchain())
    for chunk in rest:
        first += chunk

    assert _SHOWN == "".join(block["text"] for block in first.content)


def test_pairs_of_langgraph_stay_pairs() -> None:
    """A chunk with its metadata stays a pair, and so does one that was made up."""
    metadata = {"langgraph_node": "model", "langgraph_step": 1}

    shown = _shown((chunk, metadata) for chunk in _langchain())

    assert {tuple} == {type(pair) for pair in shown}
    assert _CANARY not in repr(shown)
    assert _SHOWN == "".join(block["text"] for chunk, _ in shown for block in chunk.content)


def test_pieces_of_text_are_filtered_as_one_text() -> None:
    """A tag that is cut anywhere in an iterator of strings is found, and the rest comes at the end."""
    assert _SHOWN == "".join(_shown(_SNEAKY))


def test_report_counts_what_went() -> None:
    """The stream's report tells rules and lengths, as for bytes."""
    stream = _PLAN.stream("browser_stream")

    list(stream.events(_anthropic()))

    assert {"anthropic-messages/thinking", "anthropic-messages/redacted_thinking"} <= stream.report.removals.keys()
    assert _CANARY not in repr(stream.report)


def test_events_come_as_they_are_judged() -> None:
    """Nothing waits for the end of the source: an event that is clean goes on before the next is asked for."""
    asked: list[int] = []

    def source() -> Iterable[dict[str, Any]]:
        for number in range(3):
            asked.append(number)
            yield {"type": "ping", "number": number}

    shown = iter(_PLAN.stream("browser_stream").events(source()))

    assert {"type": "ping", "number": 0} == next(shown)
    assert [0] == asked
