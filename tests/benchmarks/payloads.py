"""Payloads to measure on: histories of 1, 20 and 400 KB, with about 30 % reasoning and with none.

They are as dense as recorded ones: about 36 strings (keys counted) in the 1 KB of one response, 11 to 14 in a KB of a
history, where most bytes sit in long texts.
"""

from __future__ import annotations

import random
from typing import Any

_WORDS = (
    "order",
    "parcel",
    "refund",
    "customer",
    "address",
    "delivery",
    "warehouse",
    "status",
    "invoice",
    "carrier",
    "tracking",
    "number",
    "total",
    "amount",
    "please",
    "found",
    "checked",
    "updated",
    "confirmed",
    "thanks",
    "tomorrow",
    "morning",
    "label",
    "damaged",
    "replacement",
    "policy",
    "account",
)


def history(size: int, *, reasoning: bool, seed: int = 7) -> dict[str, Any]:
    """A request in the shape of the Anthropic API of about ``size`` bytes: tool turns with results."""
    rng = random.Random(seed)  # noqa: S311 - made-up prose
    messages: list[dict[str, Any]] = []
    length = 0
    while length < size:
        turn = _turn(rng, len(messages), reasoning=reasoning, small=size < 4_000)
        messages += turn
        length += sum(len(str(message)) for message in turn)
    return {"model": "claude-sonnet", "max_tokens": 1024, "messages": messages}


def response(*, reasoning: bool) -> dict[str, Any]:
    """One answer of about 1 KB with the members a real one has."""
    rng = random.Random(3)  # noqa: S311 - made-up prose
    content: list[dict[str, Any]] = [
        {"type": "text", "text": _prose(rng, 20 if reasoning else 60)},
        {
            "type": "tool_use",
            "id": "toolu_01AbCd",
            "name": "lookup_order",
            "input": {"order_id": 4921, "carrier": "dhl"},
        },
    ]
    if reasoning:
        content.insert(0, {"type": "thinking", "thinking": _prose(rng, 30), "signature": _opaque(rng, 80)})
    return {
        "id": "msg_01XyZ",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet",
        "content": content,
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 412,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 96,
            "service_tier": "standard",
        },
    }


def _turn(rng: random.Random, number: int, *, reasoning: bool, small: bool) -> list[dict[str, Any]]:
    words = 12 if small else 240
    content: list[dict[str, Any]] = [{"type": "text", "text": _prose(rng, words)}]
    results: list[dict[str, Any]] = []
    for call in (f"toolu_{number:04d}a", f"toolu_{number:04d}b"):
        arguments = {
            "order_id": rng.randrange(9999),
            "fields": ["status", "carrier"],
            "language": "en",
            "verbose": False,
        }
        content.append({"type": "tool_use", "id": call, "name": "lookup_order", "input": arguments})
        text = {"type": "text", "text": f"status: shipped; {_prose(rng, words // 2)}"}
        results.append({"type": "tool_result", "tool_use_id": call, "content": [text], "is_error": False})
    if reasoning:
        content.insert(0, {"type": "thinking", "thinking": _prose(rng, words), "signature": _opaque(rng, words * 2)})
    return [{"role": "assistant", "content": content}, {"role": "user", "content": results}]


def _prose(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(_WORDS) for _ in range(words)).capitalize() + "."


def _opaque(rng: random.Random, length: int) -> str:
    return "".join(rng.choice("ABCDEFGHabcdefgh0123456789+/") for _ in range(length)) + "=="
