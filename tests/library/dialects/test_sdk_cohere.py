"""The cohere models read a stripped stream, and a reader that appends by index gets the stripped whole."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

import reticent

pytest.importorskip("cohere", reason="the cohere SDK is not installed")

_CANARY = "CANARY-3b8f20"
_PLAN = reticent.load_plan()


def _event(kind: str, index: int, content: Any = None) -> dict[str, Any]:
    event: dict[str, Any] = {"type": kind, "index": index}
    return event if content is None else {**event, "delta": {"message": content}}


def _citation(text: str, index: int, kind: str) -> dict[str, Any]:
    return {"start": 0, "end": 2, "text": text, "sources": [], "content_index": index, "type": kind}


_EVENTS = [
    _event("content-start", 0, {"content": {"type": "thinking", "thinking": ""}}),
    _event("content-delta", 0, {"content": {"thinking": _CANARY}}),
    _event("content-end", 0),
    _event("content-start", 1, {"content": {"type": "text", "text": ""}}),
    _event("citation-start", 0, {"citations": _citation(_CANARY, 0, "THINKING_CONTENT")}),
    _event("citation-end", 0),
    _event("content-delta", 1, {"content": {"text": "<think>" + _CANARY}}),
    _event("content-delta", 1, {"content": {"text": "</think>42"}}),
    _event("citation-start", 1, {"citations": _citation("42", 1, "TEXT_CONTENT")}),
    _event("citation-end", 1),
    _event("content-end", 1),
]
_WHOLE = {
    "role": "assistant",
    "content": [{"type": "thinking", "thinking": _CANARY}, {"type": "text", "text": f"<think>{_CANARY}</think>42"}],
    "citations": [_citation(_CANARY, 0, "THINKING_CONTENT"), _citation("42", 1, "TEXT_CONTENT")],
}


def _filtered() -> list[Any]:
    from cohere.core.unchecked_base_model import construct_type
    from cohere.v2.types import V2ChatStreamResponse

    stream = _PLAN.stream("browser_stream", wire="jsonl")
    out = stream.feed(b"".join(orjson.dumps(event) + b"\n" for event in _EVENTS)) + stream.flush()
    assert _CANARY.encode() not in out
    union: Any = V2ChatStreamResponse
    return [construct_type(type_=union, object_=orjson.loads(line)) for line in out.splitlines()]


def _rebuilt(events: list[Any]) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    citations: list[dict[str, Any]] = []
    for event in events:
        if event.type == "content-start":
            assert len(content) == event.index
            content.append({"type": event.delta.message.content.type, "text": event.delta.message.content.text})
        elif event.type == "content-delta":
            content[event.index]["text"] += event.delta.message.content.text
        elif event.type == "citation-start":
            assert len(citations) == event.index
            citations.append(event.delta.message.citations.model_dump(exclude_unset=True, mode="json"))
    return {"role": "assistant", "content": content, "citations": citations}


def test_stream_rebuilds_the_stripped_message() -> None:
    """Blocks and citations close up together."""
    assert _PLAN.serializer("browser_stream").value(_WHOLE) == _rebuilt(_filtered())
