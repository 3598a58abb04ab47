"""PydanticAI's own types read a stripped stream and rebuild from it exactly the stripped whole response."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reticent

pytest.importorskip("pydantic_ai", reason="pydantic-ai-slim is not installed")

from pydantic import TypeAdapter
from pydantic_ai.messages import (
    ModelMessagesTypeAdapter,
    ModelResponse,
    ModelResponsePart,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
)

_EVENTS: TypeAdapter[ModelResponseStreamEvent] = TypeAdapter(ModelResponseStreamEvent)
_CANARY = "CANARY-58d0a1"
_PARTS: tuple[ModelResponsePart, ...] = (
    ThinkingPart(content=_CANARY, signature=_CANARY, provider_name="anthropic"),
    ThinkingPart(content="", id="redacted_thinking", signature=_CANARY, provider_name="anthropic"),
    TextPart(content="Visible words."),
    TextPart(content=f"<think>\n{_CANARY}\n</think>\n\nSeen < all."),
    ToolCallPart(tool_name="lookup", args={"thinking": "mine"}, tool_call_id="c1"),
)


def _stream(parts: list[ModelResponsePart], size: int) -> list[Any]:
    """The events that make ``parts``, with texts in pieces of ``size`` characters."""
    events: list[Any] = []
    for index, part in enumerate(parts):
        after = parts[index + 1].part_kind if index + 1 < len(parts) else None
        before = parts[index - 1].part_kind if index else None
        events += _part_events(index, part, size, before)
        events.append(PartEndEvent(index=index, part=part, next_part_kind=after))
    return events


def _part_events(index: int, part: Any, size: int, before: Any) -> list[Any]:
    if isinstance(part, ToolCallPart) or not part.content:
        return [PartStartEvent(index=index, part=part, previous_part_kind=before)]
    pieces = [part.content[at : at + size] for at in range(0, len(part.content), size)]
    is_text = isinstance(part, TextPart)
    first: Any = TextPart(content=pieces[0]) if is_text else ThinkingPart(content=pieces[0], signature=part.signature)
    kind: Any = TextPartDelta if is_text else ThinkingPartDelta
    deltas = [PartDeltaEvent(index=index, delta=kind(content_delta=piece)) for piece in pieces[1:]]
    return [PartStartEvent(index=index, part=first, previous_part_kind=before), *deltas]


def _rebuilt(lines: bytes) -> list[Any]:
    """The parts that the events in ``lines`` make, and a check that each end repeats its part."""
    parts: list[Any] = []
    for line in lines.splitlines():
        event = _EVENTS.validate_json(line)
        if isinstance(event, PartStartEvent):
            assert event.index == len(parts)
            parts.append(event.part)
        elif isinstance(event, PartDeltaEvent):
            delta: Any = event.delta
            parts[event.index] = delta.apply(parts[event.index])
        elif isinstance(event, PartEndEvent) and isinstance(event.part, TextPart):
            assert parts[event.index].content == event.part.content
    return parts


@given(st.lists(st.sampled_from(_PARTS), min_size=1, max_size=5), st.integers(1, 20))
def test_stream_rebuilds_the_stripped_response(parts: list[ModelResponsePart], size: int) -> None:
    """Whatever the parts and the pieces, the parts that the stripped events make are the stripped parts."""
    plan = reticent.load_plan()
    lines = b"".join(_EVENTS.dump_json(event) + b"\n" for event in _stream(parts, size))
    shown = plan.stream("browser_stream", wire="jsonl")
    out = shown.feed(lines) + shown.flush()
    whole = orjson.loads(ModelMessagesTypeAdapter.dump_json([ModelResponse(parts=parts)]))
    stripped = ModelMessagesTypeAdapter.validate_python(plan.serializer("browser_stream").value(whole))
    assert _CANARY.encode() not in out
    assert [_told(part) for part in _rebuilt(out)] == [_told(part) for part in stripped[0].parts]


def _told(part: Any) -> Any:
    return (part.part_kind, getattr(part, "content", None), getattr(part, "args", None))


def test_objects_are_read_as_they_are() -> None:
    """A response object goes in without being dumped first."""
    stripped = reticent.load_plan().serializer("logs").value(ModelResponse(parts=list(_PARTS[:3])))
    assert [part.part_kind for part in stripped.parts] == ["text"]
