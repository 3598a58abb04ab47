"""The official openai accumulators rebuild from a stripped stream exactly the stripped whole message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reticent
from reticent.dialects import all_dialects
from reticent.serializers.program import Options, compile_program
from reticent.serializers.serializer import StripSerializer
from reticent.serializers.stream import StripStream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

pytest.importorskip("openai", reason="the openai SDK is not installed")

_CANARY = "CANARY-5d1e07"
_PLAN = reticent.load_plan()


def _filtered(events: Sequence[Any], *, size: int = 1 << 20) -> list[Any]:
    raw = b"".join(orjson.dumps(event) + b"\n" for event in events)
    stream = _PLAN.stream("browser_stream", wire="jsonl")
    out = b"".join(stream.feed(raw[at : at + size]) for at in range(0, len(raw), size)) + stream.flush()
    assert _CANARY.encode() not in out
    return [orjson.loads(line) for line in out.splitlines()]


def _stripped(value: Any) -> Any:
    return _PLAN.serializer("browser_stream").value(value)


# --- Chat Completions


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def _completion(chunks: Sequence[Any]) -> dict[str, Any]:
    from openai.lib.streaming.chat import ChatCompletionStreamState
    from openai.types.chat import ChatCompletionChunk

    state: Any = ChatCompletionStreamState()
    for chunk in chunks:
        list(state.handle_chunk(ChatCompletionChunk.model_validate(chunk)))
    snapshot: dict[str, Any] = state.get_final_completion().model_dump(mode="json", exclude_unset=True)
    snapshot["choices"][0]["message"].pop("parsed", None)
    return snapshot


def _pieces(text: str, cuts: Sequence[int]) -> Iterator[str]:
    at = 0
    for cut in [*sorted({cut % (len(text) + 1) for cut in cuts}), len(text)]:
        if cut > at:
            yield text[at:cut]
            at = cut


_CUTS = st.lists(st.integers(0, 200), max_size=12)
_KEYS = st.sampled_from(["reasoning_content", "reasoning", "reasoning_text"])
_TEXTS = st.sampled_from(
    [
        f"<think>{_CANARY} and so</think>\n\nThe answer is 42.",
        f"The answer\n<thinking>{_CANARY}</thinking>\nis 42.",
        f"<think>{_CANARY}</think>a\n<think>{_CANARY}</think>b <b> c",
        "Nothing to hide: a < b, <thin> ice, [TH] and <!-- -->.",
    ]
)


@settings(max_examples=60, deadline=None)
@given(key=_KEYS, text=_TEXTS, cuts=_CUTS, size=st.sampled_from([7, 1 << 20]))
def test_chat_stream_equals_the_whole(key: str, text: str, cuts: list[int], size: int) -> None:
    """Wherever the deltas were cut, the rebuilt completion is the stripped completion."""
    chunks = [_chunk({"role": "assistant", "content": ""}), _chunk({key: f"{_CANARY} first "}), _chunk({key: _CANARY})]
    chunks += [_chunk({"content": piece}) for piece in _pieces(text, cuts)]
    chunks.append(_chunk({}, "stop"))
    assert _completion(_filtered(chunks, size=size)) == _stripped(_completion(chunks))


def test_calls_survive_between_reasoning() -> None:
    """Pieces of a tool call arrive whole although reasoning went before and behind them."""
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": ""}}
    chunks = [
        _chunk({"role": "assistant", "content": None, "reasoning_content": _CANARY}),
        _chunk({"tool_calls": [call]}),
        _chunk({"reasoning_content": _CANARY, "tool_calls": [{"index": 0, "function": {"arguments": '{"id": 7}'}}]}),
        _chunk({}, "tool_calls"),
    ]
    rebuilt = _completion(_filtered(chunks))
    assert rebuilt == _stripped(_completion(chunks))
    assert rebuilt["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] == '{"id": 7}'


# --- Responses


def _reasoning(at: int) -> dict[str, Any]:
    summary = [{"type": "summary_text", "text": f"{_CANARY} sum"}]
    return {"id": f"rs_{at}", "type": "reasoning", "summary": summary, "encrypted_content": _CANARY}


def _call(at: int) -> dict[str, Any]:
    call = {"type": "function_call", "call_id": f"c{at}", "name": "f", "arguments": "{}", "status": "completed"}
    return {"id": f"fc_{at}", **call}


def _message(text: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content, **more}


def _response(output: Sequence[Any]) -> dict[str, Any]:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "reasoning": {"effort": "low", "summary": "auto"},
    }


def _reasoning_events(at: int) -> Iterator[dict[str, Any]]:
    item = _reasoning(at)
    place = {"item_id": item["id"], "output_index": at, "summary_index": 0}
    yield {"type": "response.output_item.added", "output_index": at, "item": {**item, "summary": []}}
    yield {"type": "response.reasoning_summary_part.added", **place, "part": {"type": "summary_text", "text": ""}}
    yield {"type": "response.reasoning_summary_text.delta", **place, "delta": f"{_CANARY} sum"}
    yield {"type": "response.reasoning_summary_text.done", **place, "text": f"{_CANARY} sum"}
    yield {"type": "response.reasoning_summary_part.done", **place, "part": item["summary"][0]}
    yield {"type": "response.output_item.done", "output_index": at, "item": item}


def _call_events(at: int) -> Iterator[dict[str, Any]]:
    item = _call(at)
    place = {"item_id": item["id"], "output_index": at}
    yield {"type": "response.output_item.added", "output_index": at, "item": {**item, "arguments": ""}}
    yield {"type": "response.function_call_arguments.delta", **place, "delta": "{}"}
    yield {"type": "response.function_call_arguments.done", **place, "name": "f", "arguments": "{}"}
    yield {"type": "response.output_item.done", "output_index": at, "item": item}


def _message_events(at: int, text: str, cuts: Sequence[int]) -> Iterator[dict[str, Any]]:
    place = {"item_id": "msg_1", "output_index": at, "content_index": 0}
    part = {"type": "output_text", "text": "", "annotations": []}
    yield {"type": "response.output_item.added", "output_index": at, "item": _message("", content=[])}
    yield {"type": "response.content_part.added", **place, "part": part}
    for piece in _pieces(text, cuts):
        yield {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **place, "text": text, "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": {**part, "text": text}}
    yield {"type": "response.output_item.done", "output_index": at, "item": _message(text)}


def _rebuilt(events: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the SDK put together from the pieces, and the response that the last event brought."""
    from openai import omit
    from openai.lib.streaming.responses._responses import ResponseStreamState
    from openai.types.responses import ResponseStreamEvent
    from pydantic import TypeAdapter

    state: Any = ResponseStreamState(input_tools=omit, text_format=omit)
    adapter: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
    for event in events[:-1]:
        state.handle_event(adapter.validate_python(event))
    snapshot = state._ResponseStreamState__current_snapshot
    return snapshot.to_dict(warnings=False), events[-1]["response"]


_ITEMS = st.lists(st.sampled_from(["reasoning", "call"]), max_size=4)


def _numbered(items: Sequence[str], text: str, cuts: Sequence[int]) -> list[dict[str, Any]]:
    """The events of a response of reasoning items and calls, and one message behind them."""
    events: list[dict[str, Any]] = [{"type": "response.created", "response": _response([])}]
    for at, kind in enumerate(items):
        events += _reasoning_events(at) if kind == "reasoning" else _call_events(at)
    events += _message_events(len(items), text, cuts)
    events.append({"type": "response.completed", "response": _response(_output(items, text))})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def _output(items: Sequence[str], text: str) -> list[dict[str, Any]]:
    return [*(_reasoning(at) if kind == "reasoning" else _call(at) for at, kind in enumerate(items)), _message(text)]


@settings(max_examples=40, deadline=None)
@given(items=_ITEMS, text=_TEXTS, cuts=_CUTS, size=st.sampled_from([7, 1 << 20]))
def test_responses_stream_equals_the_whole(items: list[str], text: str, cuts: list[int], size: int) -> None:
    """Positions and sequence numbers close up so that both the pieces and the terminal copy are the stripped whole."""
    left = _filtered(_numbered(items, text, cuts), size=size)

    pieces, final = _rebuilt(left)
    assert final == _stripped(_response(_output(items, text)))
    assert [_bare(item) for item in pieces["output"]] == [_bare(item) for item in final["output"]]
    assert [event["sequence_number"] for event in left] == list(range(len(left)))


def test_a_surface_may_show_summaries_alone() -> None:
    """Where only summaries are let through, ciphertext and handles go, and the SDK still reads the item."""
    program = compile_program(all_dialects(), Options(withhold=frozenset({"text", "opaque"})))
    events = _numbered(["call", "reasoning"], "Fine.", [])
    stream = StripStream("shown", program, wire="jsonl", starts_inside=False)
    out = stream.feed(b"".join(orjson.dumps(event) + b"\n" for event in events)) + stream.flush()

    left = [orjson.loads(line) for line in out.splitlines()]
    pieces, final = _rebuilt(left)
    assert b"encrypted_content" not in out
    assert b"rs_" not in out
    assert ["fc_0", "reasoning_1", "msg_1"] == [item["id"] for item in pieces["output"]]
    told = [event for event in left if event.get("item_id") == "reasoning_1"]
    assert f"{_CANARY} sum" == "".join(event["delta"] for event in told if "delta" in event)
    assert f"{_CANARY} sum" == final["output"][1]["summary"][0]["text"]
    assert final == StripSerializer("shown", program).value(_response(_output(["call", "reasoning"], "Fine.")))


def _bare(item: dict[str, Any]) -> dict[str, Any]:
    """An item without what the SDK adds while it parses."""
    kept = {name: value for name, value in item.items() if name not in ("parsed_arguments", "parsed")}
    if isinstance(kept.get("content"), list):
        kept["content"] = [{name: part[name] for name in ("type", "text")} for part in kept["content"]]
    return kept
