"""A producer that answers with signed blocks and counts the requests that reach it."""

from __future__ import annotations

import json
from typing import Any

from tests.integrations.wires import sse


class Producer:
    """Answers requests of either API, whole or streamed; ``bodies`` are the requests that arrived."""

    def __init__(self, secret: str) -> None:
        """Sign with ``secret``."""
        self.secret = secret
        self.bodies: list[Any] = []

    def answer(self, path: str, content: bytes) -> tuple[bytes, str]:
        """Body and content type of the answer to one request."""
        body = json.loads(content)
        self.bodies.append(body)
        told = self.anthropic() if path.endswith("/messages") else self.openai()
        if not body.get("stream"):
            return json.dumps(told).encode(), "application/json"
        stream = self.anthropic_stream() if path.endswith("/messages") else self.openai_stream()
        return stream, "text/event-stream"

    def blocks(self) -> list[dict[str, Any]]:
        """The content of an answer of the Anthropic API."""
        return [
            {"type": "thinking", "thinking": f"{self.secret} first", "signature": f"{self.secret}+sig/=="},
            {"type": "redacted_thinking", "data": f"{self.secret}+data/=="},
            {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {}},
        ]

    def anthropic(self) -> dict[str, Any]:
        """An answer of the Anthropic API."""
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-9",
            "content": self.blocks(),
            "stop_reason": "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }

    def anthropic_stream(self) -> bytes:
        """The same as a stream."""
        message = {**self.anthropic(), "content": [], "stop_reason": None}
        deltas: list[dict[str, Any]] = [
            {"type": "thinking_delta", "thinking": f"{self.secret} first"},
            {"type": "signature_delta", "signature": self.blocks()[0]["signature"]},
        ]
        start = {"type": "thinking", "thinking": "", "signature": ""}
        return sse(
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": start},
            *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
            {"type": "content_block_stop", "index": 0},
            {"type": "content_block_start", "index": 1, "content_block": self.blocks()[1]},
            {"type": "content_block_stop", "index": 1},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
            named=True,
        )

    def items(self) -> list[dict[str, Any]]:
        """The output of an answer of the Responses API."""
        return [
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": f"{self.secret}+enc/=="},
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": "hi", "annotations": []}],
            },
        ]

    def openai(self) -> dict[str, Any]:
        """An answer of the Responses API."""
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 1,
            "model": "gpt-5.2",
            "status": "completed",
            "output": self.items(),
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }

    def openai_stream(self) -> bytes:
        """The same as a stream."""
        started = {**self.openai(), "output": [], "status": "in_progress"}
        done = [
            {"type": "response.output_item.done", "sequence_number": at, "output_index": at, "item": item}
            for at, item in enumerate(self.items())
        ]
        return sse(
            {"type": "response.created", "sequence_number": 0, "response": started},
            *done,
            {"type": "response.completed", "sequence_number": 9, "response": self.openai()},
            named=True,
        )
