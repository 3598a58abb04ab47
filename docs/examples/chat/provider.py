"""A provider that needs no network: it replays recorded streams and takes back only what it issued.

What it insists on is what the API of Anthropic insists on: while a tool loop is open, the blocks of the last answer
come back complete, in order and byte for byte.
https://platform.claude.com/docs/en/build-with-claude/extended-thinking
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import httpx2

RECORDINGS = Path(__file__).with_name("recordings")


@dataclass
class Said:
    """What the provider says: four pieces of reasoning, and one that is meant to be read."""

    thought: str = "The customer has asked for this twice; maybe they are lying about the parcel."
    signature: str = "EqQBCgIYAhIM+first/=="
    redacted: str = "EmwKAhgBEgy+redacted/=="
    second: str = "EqQBCgIYAhIM+second/=="
    visible: str = "I will ask a colleague to approve your refund."


class Provider(httpx2.AsyncBaseTransport):
    """The other end of the client's connection; ``said`` is what its answers are made of."""

    def __init__(self, said: Said | None = None) -> None:
        """Say ``said``, which may be exchanged between conversations."""
        self.said = said or Said()
        self.bodies: list[Any] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one request."""
        body = json.loads(await request.aread())
        self.bodies.append(body)
        asked = body["messages"][-1]["content"]
        if not isinstance(asked, list) or all(block["type"] != "tool_result" for block in asked):
            return self._stream("refund.sse")
        if body["messages"][-2]["content"][:3] != self.issued():
            return _refusal("messages: `thinking` blocks of the latest assistant message cannot be modified")
        return self._stream("done.sse")

    def issued(self) -> list[dict[str, Any]]:
        """The blocks that have to come back while the loop is open."""
        return [
            {"type": "thinking", "thinking": self.said.thought, "signature": self.said.signature},
            {"type": "redacted_thinking", "data": self.said.redacted},
            {"type": "thinking", "thinking": "", "signature": self.said.second},
        ]

    def _stream(self, recording: str) -> httpx2.Response:
        text = (RECORDINGS / recording).read_text(encoding="utf-8")
        for field in fields(self.said):
            text = text.replace(f"@{field.name.upper()}@", json.dumps(getattr(self.said, field.name))[1:-1])
        headers = {"content-type": "text/event-stream"}
        return httpx2.Response(200, headers=headers, stream=_Pieces(text.encode()))


class _Pieces(httpx2.AsyncByteStream):
    """A body in pieces that respect no boundary, as networks send them."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    async def __aiter__(self) -> Any:
        for start in range(0, len(self._data), 97):
            yield self._data[start : start + 97]


def _refusal(message: str) -> httpx2.Response:
    told = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
    return httpx2.Response(400, json=told)
