"""Google ADK aggregates stripped chunks to what it makes of the visible ones, and reads stripped events."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import orjson
import pytest

import reticent

if TYPE_CHECKING:
    from collections.abc import Sequence

pytest.importorskip("google.adk", reason="google-adk is not installed")

_CANARY = "CANARY-90be4c"
_THOUGHT = {"text": _CANARY, "thought": True}
_CALL = {"functionCall": {"id": "c1", "name": "lookup", "args": {"thought": True}}}


def _chunk(parts: list[dict[str, Any]], finish: str | None = None) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
    return {"candidates": [{**candidate, **({"finishReason": finish} if finish else {})}]}


_SIGNED = "Q0FOQVJZLTkwYmU0Yw=="
_CHUNKS = [
    _chunk([_THOUGHT]),
    _chunk([_THOUGHT, {"text": "For"}]),
    _chunk([{"text": "ty"}]),
    _chunk([{**_CALL, "thoughtSignature": _SIGNED}]),
    _chunk([{"text": "", "thoughtSignature": _SIGNED}], "STOP"),
]
_VISIBLE = [_chunk([]), _chunk([{"text": "For"}]), _chunk([{"text": "ty"}]), _chunk([_CALL]), _chunk([], "STOP")]


async def _aggregated(chunks: Sequence[Any]) -> Any:
    from google.adk.utils.streaming_utils import StreamingResponseAggregator
    from google.genai import types

    aggregator: Any = StreamingResponseAggregator()
    for chunk in chunks:
        async for _ in aggregator.process_response(types.GenerateContentResponse.model_validate(chunk)):
            pass
    return aggregator.close()


def _filtered(events: Sequence[Any]) -> list[Any]:
    stream = reticent.load_plan().stream("browser_stream", wire="jsonl")
    body = stream.feed(b"".join(orjson.dumps(event) + b"\n" for event in events)) + stream.flush()
    assert _CANARY.encode() not in body
    assert _SIGNED.encode() not in body
    return [orjson.loads(line) for line in body.splitlines()]


def test_aggregated_response_is_the_visible_one() -> None:
    """Stripped chunks aggregate to the response that the visible parts alone make."""
    assert asyncio.run(_aggregated(_filtered(_CHUNKS))) == asyncio.run(_aggregated(_VISIBLE))


def test_event_objects_are_stripped() -> None:
    """An event as the SDK holds it loses thoughts and signatures, and what is left is an event."""
    from google.adk.events import Event
    from google.genai import types

    parts = [types.Part(text=_CANARY, thought=True), types.Part(text="ok", thought_signature=_CANARY.encode())]
    event = Event(author="agent", invocation_id="i", content=types.Content(role="model", parts=parts))
    shown = orjson.loads(reticent.load_plan().serializer("browser_stream")(event))
    content = Event.model_validate(shown).content
    assert content is not None
    assert content.parts == [types.Part(text="ok")]
