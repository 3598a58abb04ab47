"""The agent loop: ask, show, log, trace; stop when a tool needs a person's approval."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import structlog
from opentelemetry import trace

log = structlog.get_logger()
tracer = trace.get_tracer("chat")

MODEL = "claude-sonnet-9"
REFUND = {
    "name": "refund",
    "description": "Refund an order. A colleague has to approve it.",
    "input_schema": {"type": "object", "properties": {"order": {"type": "integer"}}, "required": ["order"]},
}
WIRE = frozenset(
    (
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    )
)


async def answer(client: Any, history: list[Any]) -> AsyncIterator[bytes]:
    """Ask the model to go on from ``history``, which gets its answer; what it streams, as server-sent events."""
    with tracer.start_as_current_span("chat") as span:
        async with client.messages.stream(
            model=MODEL,
            max_tokens=4096,
            thinking={"type": "enabled", "budget_tokens": 2048},
            tools=[REFUND],
            messages=history,
        ) as stream:
            async for event in stream:
                if event.type in WIRE:
                    yield frame(event)
            reply = await stream.get_final_message()
        span.set_attribute("gen_ai.response.model", reply.model)
        span.set_attribute("gen_ai.output.messages", json.dumps([message(reply)]))
    log.info("model answered", reply=message(reply), tokens=reply.usage.output_tokens)
    history.append(message(reply))


def frame(event: Any) -> bytes:
    """One event as it goes over the wire."""
    return f"event: {event.type}\ndata: {event.to_json(indent=None)}\n\n".encode()


def message(reply: Any) -> dict[str, Any]:
    """An answer as the next request repeats it."""
    return {"role": "assistant", "content": [block.to_dict() for block in reply.content]}


def open_call(history: list[Any]) -> str | None:
    """The id of the call that waits for a person, None when there is none."""
    blocks = history[-1]["content"]
    return next((block["id"] for block in blocks if block["type"] == "tool_use"), None)


def approved(call: str) -> dict[str, Any]:
    """The result of a call that a person approved."""
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": "approved"}]}
