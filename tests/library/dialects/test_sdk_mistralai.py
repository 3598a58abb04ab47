"""The mistralai models read a stripped stream, and its parts make the stripped whole."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

import reticent

pytest.importorskip("mistralai", reason="the mistralai SDK is not installed")

_CANARY = "CANARY-90c4e1"
_PLAN = reticent.load_plan()
_THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": _CANARY}]}


def _filtered(events: list[Any]) -> list[Any]:
    stream = _PLAN.stream("browser_stream", wire="jsonl")
    out = stream.feed(b"".join(orjson.dumps(event) + b"\n" for event in events)) + stream.flush()
    assert _CANARY.encode() not in out
    return [orjson.loads(line) for line in out.splitlines()]


def test_conversation_stream_rebuilds_the_stripped_entry() -> None:
    """The SDK's own reconstruction of a message gives what stripping the entry gives."""
    from mistralai.client.models import MessageOutputEvent
    from mistralai.extra.run.result import reconstitute_message_content

    contents: list[Any] = [_THINKING, _THINKING, "For", {"type": "text", "text": "ty-two"}, "."]
    events = [
        {"type": "message.output.delta", "id": "m1", "output_index": 0, "content_index": at, "content": content}
        for at, content in zip([0, 0, 1, 1, 1], contents, strict=True)
    ]
    read = [MessageOutputEvent.model_validate({**event, "role": "assistant"}) for event in _filtered(events)]
    rebuilt = reconstitute_message_content([event.content for event in read])

    whole = {"role": "assistant", "content": [_THINKING, {"type": "text", "text": "Forty-two."}]}
    (text,) = _PLAN.serializer("browser_stream").value(whole)["content"]
    assert [0, 0, 0] == [event.content_index for event in read]
    parts: list[Any] = [rebuilt] if isinstance(rebuilt, str) else list(rebuilt)
    assert text["text"] == "".join(part if isinstance(part, str) else part.text for part in parts)


def test_chat_chunks_stay_valid() -> None:
    """A delta whose list lost everything is still a delta to the SDK."""
    from mistralai.client.models import CompletionChunk

    def chunk(content: Any) -> dict[str, Any]:
        choice = {"index": 0, "delta": {"content": content}, "finish_reason": None}
        return {"id": "c", "object": "chat.completion.chunk", "model": "m", "created": 1, "choices": [choice]}

    read = [CompletionChunk.model_validate(item) for item in _filtered([chunk([_THINKING]), chunk("42")])]
    assert ["", "42"] == [item.choices[0].delta.content for item in read]


def test_sdk_objects_are_stripped_like_their_json() -> None:
    """A message object loses its thinking chunk, and the object itself is not changed."""
    from mistralai.client.models import AssistantMessage

    message = AssistantMessage.model_validate(
        {"role": "assistant", "content": [_THINKING, {"type": "text", "text": "42"}]}
    )
    stripped = orjson.loads(_PLAN.serializer("logs")(message))
    assert [{"type": "text", "text": "42"}] == stripped["content"]
    assert 2 == len(message.content or ())
