"""The parser of the Claude Agent SDK reads stripped lines, and its own classes are stripped."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

import reticent

pytest.importorskip("claude_agent_sdk", reason="the Claude Agent SDK is not installed")

_CANARY = "CANARY-31aa90"
_THINKING = {"type": "thinking", "thinking": _CANARY, "signature": _CANARY}
_TEXT = {"type": "text", "text": "42"}


def _line(content: list[dict[str, Any]]) -> dict[str, Any]:
    message = {"id": "msg_1", "role": "assistant", "model": "claude-x", "content": content}
    return {"type": "assistant", "session_id": "s", "uuid": "u", "parent_tool_use_id": None, "message": message}


def _parsed(value: Any) -> Any:
    from claude_agent_sdk._internal.message_parser import parse_message

    return parse_message(value)


@pytest.mark.parametrize("content", [[_THINKING], [_THINKING, _TEXT], [{"type": "redacted_thinking", "data": _CANARY}]])
def test_stripped_line_parses(content: list[dict[str, Any]]) -> None:
    """A line without its reasoning is a line that the SDK reads."""
    shown = reticent.load_plan().serializer("logs").value(_line(content))
    assert len(_parsed(shown).content) == content.count(_TEXT)


def test_parsed_message_is_stripped() -> None:
    """The parsed message, whose blocks carry no type, loses its thinking."""
    message = _parsed(_line([_THINKING, _TEXT]))
    shown = reticent.load_plan().serializer("logs")(message)
    assert _CANARY.encode() not in shown
    assert orjson.loads(shown)["content"] == [{"text": "42"}]


def test_parsed_stream_event_is_stripped() -> None:
    """A parsed stream event of thinking leaves nothing."""
    delta = {"type": "thinking_delta", "thinking": _CANARY}
    event = {"type": "content_block_delta", "index": 0, "delta": delta}
    line = {"type": "stream_event", "uuid": "u", "session_id": "s", "event": event, "parent_tool_use_id": None}
    assert _CANARY.encode() not in reticent.load_plan().serializer("logs")(_parsed(line))
