"""The google-genai SDK reads stripped responses and events, and its own objects are stripped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest

import reticent

if TYPE_CHECKING:
    from collections.abc import Sequence

pytest.importorskip("google.genai", reason="google-genai is not installed")

_CANARY = "CANARY-4f8d23"
_SIGNATURE = b"CANARY-4f8d23 signature"


def _filtered(events: Sequence[Any]) -> list[Any]:
    stream = reticent.load_plan().stream("browser_stream", wire="jsonl")
    body = stream.feed(b"".join(orjson.dumps(event) + b"\n" for event in events)) + stream.flush()
    assert _CANARY.encode() not in body
    return [orjson.loads(line) for line in body.splitlines()]


def _response() -> Any:
    from google.genai import types

    parts = [
        types.Part(text=_CANARY, thought=True),
        types.Part(function_call=types.FunctionCall(name="f", args={"thought": True}), thought_signature=_SIGNATURE),
        types.Part(text="42", thought_signature=_SIGNATURE),
    ]
    content = types.Content(role="model", parts=parts)
    return types.GenerateContentResponse(candidates=[types.Candidate(content=content)])


def test_response_object_is_stripped() -> None:
    """A response as the SDK holds it, signatures as bytes, loses thoughts and keeps the signed call."""
    from google.genai import types

    shown = orjson.loads(reticent.load_plan().serializer("browser_stream")(_response()))
    response = types.GenerateContentResponse.model_validate(shown)
    assert response.text == "42"
    assert [call.args for call in response.function_calls or []] == [{"thought": True}]
    assert "ignature" not in str(shown)


def test_dumped_response_is_stripped() -> None:
    """The JSON that the SDK dumps, with its URL-safe base64, loses the same."""
    raw = _response().model_dump_json(exclude_none=True).encode()
    shown = reticent.load_plan().serializer("browser_stream")(raw)
    assert b"signature" not in shown
    assert _CANARY.encode() not in shown


def _interaction(index: int) -> list[dict[str, Any]]:
    thought = {"type": "thought_summary", "content": {"type": "text", "text": _CANARY}}
    return [
        {"event_type": "step.start", "index": 0, "step": {"type": "thought"}},
        {"event_type": "step.delta", "index": 0, "delta": thought},
        {"event_type": "step.delta", "index": 0, "delta": {"type": "thought_signature", "signature": _CANARY}},
        {"event_type": "step.stop", "index": 0},
        *_output(index),
    ]


def _output(index: int) -> list[dict[str, Any]]:
    return [
        {"event_type": "step.start", "index": index, "step": {"type": "model_output"}},
        {"event_type": "step.delta", "index": index, "delta": {"type": "text", "text": "42"}},
        {"event_type": "step.stop", "index": index},
    ]


def test_interaction_events_are_read() -> None:
    """Stripped events of an interaction are events of the SDK, counted from zero."""
    from google.genai._gaos.types.interactions.interactionssestreamevent import InteractionSSEStreamEvent
    from pydantic import TypeAdapter

    shown = _filtered(_interaction(1))
    assert shown == _output(0)
    for event in shown:
        read = TypeAdapter[Any](InteractionSSEStreamEvent).validate_python({"data": event})
        assert read.data.event_type == event["event_type"]


def test_interaction_is_read() -> None:
    """A stripped interaction is an interaction of the SDK, without its thought."""
    from google.genai._gaos.types.interactions.interaction import Interaction

    output = {"type": "model_output", "content": [{"type": "text", "text": "42"}]}
    thought = {"type": "thought", "summary": [{"type": "text", "text": _CANARY}], "signature": _CANARY}
    times = {"created": "2026-11-29T00:00:00Z", "updated": "2026-11-29T00:00:00Z"}
    raw = {
        "id": "v1",
        "object": "interaction",
        "status": "completed",
        "model": "g",
        **times,
        "steps": [thought, output],
    }
    shown = reticent.load_plan().serializer("browser_stream").value(raw)
    assert [step.type for step in Interaction.model_validate(shown).steps or []] == ["model_output"]
