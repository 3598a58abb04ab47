"""The official anthropic accumulators rebuild from a stripped stream exactly the stripped whole message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reticent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

pytest.importorskip("anthropic", reason="the anthropic SDK is not installed")

_CANARY = "CANARY-7c20f1"
_TEXT = {"type": "text", "text": "Visible words."}
_CALL = {"type": "tool_use", "id": "toolu_1", "name": "lookup", "input": {"thinking": "mine"}}
_BLOCKS: tuple[dict[str, Any], ...] = (
    {"type": "thinking", "thinking": _CANARY, "signature": _CANARY},
    {"type": "thinking", "thinking": "", "signature": _CANARY},
    {"type": "redacted_thinking", "data": _CANARY},
    {"type": "text", "text": f"<thinking>{_CANARY}</thinking>\nSeen."},
    _TEXT,
    _CALL,
)


def _events(content: Sequence[dict[str, Any]], size: int) -> Iterator[dict[str, Any]]:
    """The stream that makes ``content``, with texts in pieces of ``size`` characters."""
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x", "content": []}
    usage = {"input_tokens": 3, "output_tokens": 1}
    yield {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage}}
    for index, block in enumerate(content):
        yield from _block_events(index, block, size)
    delta = {"stop_reason": "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 40}}
    yield {"type": "message_stop"}


def _block_events(index: int, block: dict[str, Any], size: int) -> Iterator[dict[str, Any]]:
    start, deltas = _parts(block, size)
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _parts(block: dict[str, Any], size: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] == "text":
        return {"type": "text", "text": ""}, [{"type": "text_delta", "text": t} for t in _pieces(block["text"], size)]
    if block["type"] == "tool_use":
        raw = orjson.dumps(block["input"]).decode()
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": t} for t in _pieces(raw, size)]
    if block["type"] == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": t} for t in _pieces(block["thinking"], size)]
        start = {"type": "thinking", "thinking": "", "signature": ""}
        return start, [*deltas, {"type": "signature_delta", "signature": block["signature"]}]
    return block, []


def _pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _filtered(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    raw = b"".join(b"event: %s\ndata: %s\n\n" % (event["type"].encode(), orjson.dumps(event)) for event in events)
    stream = reticent.load_plan().stream("browser_stream", wire="sse")
    body = b"".join(stream.feed(raw[at : at + 64]) for at in range(0, len(raw), 64)) + stream.flush()
    assert _CANARY.encode() not in body
    return [orjson.loads(line[6:]) for line in body.splitlines() if line.startswith(b"data: ")]


def _rebuilt(events: Sequence[dict[str, Any]], *, beta: bool) -> list[Any]:
    """The content that the SDK ends with."""
    from anthropic.lib.streaming import _beta_messages, _messages

    module: Any = _beta_messages if beta else _messages
    more: dict[str, Any] = {"json_bufs": {}, **({"request_headers": {}} if beta else {})}
    snapshot: Any = None
    for event in events:
        snapshot = module.accumulate_event(event=event, current_snapshot=snapshot, **more)
    content: list[Any] = snapshot.model_dump(mode="json", exclude_unset=True)["content"]
    return [{name: value for name, value in block.items() if value is not None} for block in content]


def _whole(content: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": list(content), "stop_reason": "end_turn"}


@pytest.mark.parametrize("beta", [False, True])
@settings(max_examples=25)
@given(content=st.lists(st.sampled_from(_BLOCKS), max_size=6), size=st.sampled_from([1, 2, 7, 64]))
def test_rebuilt_message_is_the_stripped_one(content: list[dict[str, Any]], size: int, *, beta: bool) -> None:
    """Whatever blocks come in whatever order and pieces, the SDK ends with the content of the stripped message."""
    wanted = reticent.load_plan().serializer("browser_stream").value(_whole(content))["content"]
    assert _rebuilt(_filtered(list(_events(content, size))), beta=beta) == wanted


def test_sdk_event_objects_are_accepted() -> None:
    """The SDK's own event objects, helper events among them, are stripped like their JSON."""
    serializer = reticent.load_plan().serializer("browser_stream")
    from anthropic.lib.streaming._types import ThinkingEvent

    event = ThinkingEvent(type="thinking", thinking=_CANARY, snapshot=_CANARY)
    assert serializer(event) == b"null"


def test_sdk_message_object_is_accepted() -> None:
    """A message as the SDK parsed it loses its thinking."""
    from anthropic.types import Message

    usage = {"input_tokens": 1, "output_tokens": 1}
    raw = {**_whole([_BLOCKS[0], _BLOCKS[2], _TEXT]), "id": "m", "model": "x", "usage": usage, "stop_sequence": None}
    message = Message.model_validate(raw)
    assert orjson.loads(reticent.load_plan().serializer("browser_stream")(message))["content"] == [_TEXT]
