"""The client library of the Agent Client Protocol accepts what is left of a session."""

from __future__ import annotations

import orjson
import pytest

import reticent

pytest.importorskip("acp", reason="agent-client-protocol is not installed")

from acp.schema import SessionNotification

_CANARY = "CANARY-0d52ce"


def _notification(kind: str, text: str) -> bytes:
    update = {"sessionUpdate": kind, "content": {"type": "text", "text": text}}
    return orjson.dumps({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}})


def test_notifications_are_valid() -> None:
    """Every notification that goes on is one that the library reads, with the text of the answer in order."""
    shown = reticent.load_plan().stream("browser_stream", wire="jsonl")
    lines = [
        _notification("agent_thought_chunk", _CANARY),
        _notification("agent_message_chunk", f"<think>{_CANARY}"),
        _notification("agent_message_chunk", "</think>Seen <"),
    ]
    out = shown.feed(b"\n".join(lines) + b"\n") + shown.flush()
    read = [SessionNotification.model_validate(orjson.loads(line)["params"]) for line in out.splitlines()]
    assert _CANARY.encode() not in out
    assert "".join(notification.update.content.text for notification in read) == "Seen <"  # type: ignore[union-attr]


def test_objects_are_read_as_they_are() -> None:
    """A notification object with a thought leaves nothing."""
    body = orjson.loads(_notification("agent_thought_chunk", _CANARY))["params"]
    assert reticent.load_plan().serializer("logs").value(SessionNotification.model_validate(body)) is None
