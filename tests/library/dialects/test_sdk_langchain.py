"""LangChain's own chunks and event stream rebuild from a stripped stream exactly the stripped whole message."""

from __future__ import annotations

from functools import reduce
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reticent

pytest.importorskip("langchain_core", reason="langchain-core is not installed")

from langchain_core.language_models.chat_model_stream import ChatModelStream
from langchain_core.messages import AIMessageChunk

_CANARY = "CANARY-91b7e2"
_BLOCKS: tuple[dict[str, Any], ...] = (
    {"type": "reasoning", "reasoning": _CANARY},
    {"type": "non_standard", "value": {"type": "redacted_thinking", "data": _CANARY}},
    {"type": "text", "text": "Visible words."},
    {"type": "text", "text": f"<think>{_CANARY}</think>\nSeen < all."},
)
_NATIVE: tuple[dict[str, Any], ...] = (
    {"type": "thinking", "thinking": _CANARY},
    {"type": "redacted_thinking", "data": _CANARY},
    {"type": "text", "text": "Visible words."},
    {"type": "text", "text": f"<think>{_CANARY}</think>\nSeen < all."},
)


def _filtered(events: list[Any]) -> list[Any]:
    shown = reticent.load_plan().stream("browser_stream", wire="jsonl")
    out = shown.feed(b"".join(orjson.dumps(event) + b"\n" for event in events)) + shown.flush()
    assert _CANARY.encode() not in out
    return [orjson.loads(line) for line in out.splitlines()]


def _pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _chunk(content: Any, **more: Any) -> dict[str, Any]:
    return AIMessageChunk(content=content, id="lc_1", **more).model_dump(mode="json")


def _chunks(blocks: list[dict[str, Any]], size: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for index, block in enumerate(blocks):
        key = next((name for name in ("thinking", "text") if name in block), None)
        if key is None:
            found.append(_chunk([{**block, "index": index}]))
            continue
        found += [_chunk([{"type": block["type"], key: piece, "index": index}]) for piece in _pieces(block[key], size)]
    return [*found, _chunk([], chunk_position="last")]


def _merged(chunks: list[dict[str, Any]]) -> Any:
    return reduce(lambda left, right: left + right, [AIMessageChunk(**chunk) for chunk in chunks])


@given(st.lists(st.sampled_from(_NATIVE), min_size=1, max_size=5), st.integers(1, 20))
def test_chunks_merge_to_the_stripped_message(blocks: list[dict[str, Any]], size: int) -> None:
    """Whatever the blocks and the pieces, stripped chunks merge to what the merged message is stripped to."""
    chunks = _chunks(blocks, size)
    whole = reticent.load_plan().serializer("browser_stream").value(_merged(chunks).model_dump(mode="json"))
    assert _merged(_filtered(chunks)).content == whole["content"]


def _events(blocks: list[dict[str, Any]], size: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"event": "message-start", "role": "ai", "id": "m"}]
    for index, block in enumerate(blocks):
        key = next((name for name in ("reasoning", "text") if name in block), None)
        start = block if key is None else {**block, key: ""}
        found.append({"event": "content-block-start", "index": index, "content": start})
        for piece in _pieces(block[key], size) if key else ():
            delta = {"type": f"{block['type']}-delta", key: piece}
            found.append({"event": "content-block-delta", "index": index, "delta": delta})
        found.append({"event": "content-block-finish", "index": index, "content": block})
    return [*found, {"event": "message-finish", "reason": "stop"}]


def _message(events: list[dict[str, Any]]) -> Any:
    stream = ChatModelStream()
    for event in events:
        stream.dispatch(event)
    return stream.output_message


@given(st.lists(st.sampled_from(_BLOCKS), min_size=1, max_size=5), st.integers(1, 20))
def test_events_rebuild_the_stripped_message(blocks: list[dict[str, Any]], size: int) -> None:
    """Whatever the blocks and the pieces, LangChain's stream reads the stripped events as the stripped message."""
    events = _events(blocks, size)
    whole = reticent.load_plan().serializer("browser_stream").value(_message(events).model_dump(mode="json"))
    assert [_told(block) for block in _message(_filtered(events)).content] == [
        _told(block) for block in whole["content"]
    ]


def _told(block: Any) -> Any:
    """A block without the number that its position in the stream gave it."""
    return {name: value for name, value in block.items() if name != "index"} if isinstance(block, dict) else block


def test_message_objects_are_read_as_they_are() -> None:
    """A message object goes in without being dumped first."""
    message = AIMessageChunk(content=[_NATIVE[0], _NATIVE[2]], additional_kwargs={"reasoning_content": _CANARY})
    stripped = reticent.load_plan().serializer("logs").value(message)
    assert _CANARY not in str(stripped)
    assert stripped.content == [_NATIVE[2]]
