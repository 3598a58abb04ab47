"""The event loop of Strands Agents rebuilds from stripped Converse events exactly the stripped message."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reticent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

pytest.importorskip("strands", reason="the Strands Agents SDK is not installed")

_CANARY = "CANARY-e02b77"
_BLOCKS: tuple[dict[str, Any], ...] = (
    {"reasoningContent": {"reasoningText": {"text": _CANARY, "signature": _CANARY}}},
    {"text": "Visible words."},
    {"text": f"<thinking>{_CANARY}</thinking>Seen."},
    {"toolUse": {"toolUseId": "t1", "name": "lookup", "input": {"reasoningText": "mine"}}},
)


def _events(content: Sequence[dict[str, Any]], size: int) -> Iterator[dict[str, Any]]:
    yield {"messageStart": {"role": "assistant"}}
    for index, block in enumerate(content):
        if "toolUse" in block:
            start = {name: block["toolUse"][name] for name in ("toolUseId", "name")}
            yield {"contentBlockStart": {"contentBlockIndex": index, "start": {"toolUse": start}}}
        for delta in _deltas(block, size):
            yield {"contentBlockDelta": {"contentBlockIndex": index, "delta": delta}}
        yield {"contentBlockStop": {"contentBlockIndex": index}}
    yield {"messageStop": {"stopReason": "end_turn"}}


def _deltas(block: dict[str, Any], size: int) -> Iterator[dict[str, Any]]:
    if "text" in block:
        yield from ({"text": block["text"][at : at + size]} for at in range(0, len(block["text"]), size))
    elif "toolUse" in block:
        yield {"toolUse": {"input": orjson.dumps(block["toolUse"]["input"]).decode()}}
    else:
        reasoning = block["reasoningContent"]["reasoningText"]
        yield {"reasoningContent": {"text": reasoning["text"]}}
        yield {"reasoningContent": {"signature": reasoning["signature"]}}


async def _processed(events: Sequence[Any]) -> tuple[list[Any], Any]:
    """What the loop tells its callers, and the message it ends with."""
    from strands.event_loop.streaming import process_stream

    async def chunks() -> AsyncIterator[Any]:
        for event in events:
            yield event

    told: list[Any] = [dict(event) async for event in process_stream(chunks())]
    return told, told[-1]["stop"][1]


def _filtered(events: Sequence[Any]) -> list[Any]:
    stream = reticent.load_plan().stream("browser_stream", wire="jsonl")
    raw = b"".join(orjson.dumps(event) + b"\n" for event in events)
    body = stream.feed(raw) + stream.flush()
    assert _CANARY.encode() not in body
    return [orjson.loads(line) for line in body.splitlines()]


@settings(max_examples=40)
@given(content=st.lists(st.sampled_from(_BLOCKS), min_size=1, max_size=5), size=st.sampled_from([1, 3, 50]))
def test_rebuilt_message_is_the_stripped_one(content: list[dict[str, Any]], size: int) -> None:
    """Whatever blocks come in whatever order, the loop ends with the content of the stripped message."""
    _, message = asyncio.run(_processed(_filtered(list(_events(content, size)))))
    whole = {"role": "assistant", "content": content}
    assert message["content"] == reticent.load_plan().serializer("browser_stream").value(whole)["content"]


def test_callback_events_lose_reasoning() -> None:
    """What the loop tells its callers about a message with reasoning holds none after the filter."""
    told, _ = asyncio.run(_processed(list(_events(_BLOCKS[:2], 3))))
    shown = _filtered([event for event in told if "stop" not in event])
    assert "".join(event["data"] for event in shown if "data" in event) == "Visible words."
