"""Streams whose reasoning is one canary, as servers send them to people."""

from __future__ import annotations

import json
from typing import Any

from tests.integrations.reasoning import VISIBLE


def sse(*events: Any, named: bool = False) -> bytes:
    """Server-sent events with these payloads."""
    out: list[str] = []
    for event in events:
        name = f"event: {event['type']}\n" if named else ""
        out.append(f"{name}data: {event if isinstance(event, str) else json.dumps(event)}\n\n")
    return "".join(out).encode()


def anthropic(canary: str) -> bytes:
    """A stream of the Anthropic API with one thinking block: https://platform.claude.com/docs/en/build-with-claude/streaming."""
    return sse(
        {"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "content": [], "model": "claude-x"}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": f"{canary} a"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": f"{canary}s"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": VISIBLE}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_stop"},
        named=True,
    )


def ai_sdk(canary: str) -> bytes:
    """The UI message stream of the AI SDK: https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol."""
    return sse(
        {"type": "start", "messageId": "m1"},
        {"type": "reasoning-start", "id": "r1"},
        {"type": "reasoning-delta", "id": "r1", "delta": f"{canary} b"},
        {"type": "reasoning-end", "id": "r1"},
        {"type": "text-start", "id": "t1"},
        {"type": "text-delta", "id": "t1", "delta": VISIBLE},
        {"type": "text-end", "id": "t1"},
        {"type": "finish"},
        "[DONE]",
    )


def ag_ui(canary: str) -> bytes:
    """Events of AG-UI: https://docs.ag-ui.com/concepts/events."""
    return sse(
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "REASONING_MESSAGE_START", "messageId": "q", "role": "reasoning"},
        {"type": "REASONING_MESSAGE_CONTENT", "messageId": "q", "delta": f"{canary} c"},
        {"type": "REASONING_MESSAGE_END", "messageId": "q"},
        {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": VISIBLE},
        {"type": "TEXT_MESSAGE_END", "messageId": "m"},
        {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
    )


def lines(canary: str) -> bytes:
    """JSON lines of Ollama's chat: https://docs.ollama.com/api/chat."""
    return b"".join(
        json.dumps({"model": "m", "message": {"role": "assistant", **told}, "done": False}).encode() + b"\n"
        for told in ({"content": "", "thinking": f"{canary} d"}, {"content": VISIBLE})
    )


def tagged(canary: str) -> bytes:
    """What a model with inline tags writes."""
    return f"<think>{canary} e</think>\n{VISIBLE}".encode()


STREAMS = {
    "anthropic": (anthropic, "text/event-stream"),
    "ai-sdk": (ai_sdk, "text/event-stream; charset=utf-8"),
    "ag-ui": (ag_ui, "text/event-stream"),
    "jsonl": (lines, "application/x-ndjson"),
    "text": (tagged, "text/plain; charset=utf-8"),
}


def pieces(data: bytes, size: int) -> list[bytes]:
    """``data`` in chunks of ``size`` bytes."""
    return [data[at : at + size] for at in range(0, len(data), size)]
