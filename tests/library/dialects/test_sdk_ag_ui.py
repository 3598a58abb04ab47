"""AG-UI's own types accept every event of a stripped stream, and messages come out as the whole is stripped."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reticent

pytest.importorskip("ag_ui", reason="ag-ui-protocol is not installed")

from ag_ui.core import Event
from ag_ui.encoder import EventEncoder
from pydantic import TypeAdapter

_EVENTS: TypeAdapter[Event] = TypeAdapter(Event)
_CANARY = "CANARY-c30f44"
_TEXTS = ("Visible words.", f"<think>{_CANARY}</think>\nSeen < all.", f"<think>{_CANARY}")


def _reasoning(name: str) -> list[dict[str, Any]]:
    at = {"messageId": name}
    return [
        {"type": "REASONING_START", **at},
        {"type": "REASONING_MESSAGE_START", **at, "role": "reasoning"},
        {"type": "REASONING_MESSAGE_CONTENT", **at, "delta": _CANARY, "rawEvent": {"thinking": _CANARY}},
        {"type": "REASONING_MESSAGE_END", **at},
        {"type": "REASONING_ENCRYPTED_VALUE", "subtype": "message", "entityId": name, "encryptedValue": _CANARY},
        {"type": "REASONING_END", **at},
    ]


def _text(name: str, text: str, size: int) -> list[dict[str, Any]]:
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": name, "role": "assistant"},
        *({"type": "TEXT_MESSAGE_CONTENT", "messageId": name, "delta": piece} for piece in pieces),
        {"type": "TEXT_MESSAGE_END", "messageId": name},
    ]


def _sse(events: list[dict[str, Any]]) -> bytes:
    encoder = EventEncoder()
    return "".join(encoder.encode(_EVENTS.validate_python(event)) for event in events).encode()


def _messages(out: bytes) -> dict[str, str]:
    """The text of every message, in order, from events that the SDK accepts and that keep to the order of a client."""
    texts: dict[str, str] = {}
    open_now: set[str] = set()
    for block in out.decode().split("\n\n"):
        if not block.strip():
            continue
        event: Any = _EVENTS.validate_json(block.removeprefix("data: "))
        if event.type == "TEXT_MESSAGE_START":
            texts[event.message_id] = ""
            open_now.add(event.message_id)
        elif event.type == "TEXT_MESSAGE_CONTENT":
            assert event.message_id in open_now
            texts[event.message_id] += event.delta
        elif event.type == "TEXT_MESSAGE_END":
            open_now.remove(event.message_id)
    assert not open_now
    return texts


@given(st.lists(st.sampled_from(_TEXTS), min_size=1, max_size=3), st.integers(1, 20))
def test_stream_is_valid_and_equals_the_whole(texts: list[str], size: int) -> None:
    """Whatever the texts and the pieces, the messages of the stripped stream are the stripped messages."""
    events: list[dict[str, Any]] = [{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}]
    for number, text in enumerate(texts):
        events += [*_reasoning(f"r{number}"), *_text(f"m{number}", text, size)]
    plan = reticent.load_plan()
    shown = plan.stream("browser_stream", wire="sse")
    out = shown.feed(_sse([*events, {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}])) + shown.flush()
    whole = [{"id": f"m{number}", "role": "assistant", "content": text} for number, text in enumerate(texts)]
    kept = [plan.serializer("browser_stream").value(message)["content"] for message in whole]
    assert _CANARY.encode() not in out
    assert list(_messages(out).values()) == kept


def test_snapshot_objects_are_read_as_they_are() -> None:
    """A snapshot object goes in without being dumped first, by the names of its Python fields."""
    event = _EVENTS.validate_python(
        {
            "type": "MESSAGES_SNAPSHOT",
            "messages": [
                {"id": "r", "role": "reasoning", "content": _CANARY, "encryptedValue": _CANARY},
                {"id": "a", "role": "assistant", "content": "Seen.", "encryptedValue": _CANARY},
            ],
        }
    )
    stripped = reticent.load_plan().serializer("logs")(event)
    assert _CANARY.encode() not in stripped
    assert [message["content"] for message in orjson.loads(stripped)["messages"]] == ["Seen."]
