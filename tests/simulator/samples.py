"""One turn in each dialect, with every carrier of reasoning that it knows, and texts that are easily spoilt."""

from __future__ import annotations

from typing import Any

THOUGHT = "PRIV-5d1c café \u202e \U0001f600 <think> 9007199254740993\r\n because"
SIGNATURE = "U0lH+A/" + "x" * 40 + "=="
SAID = "It is 42."

_CALL = {"type": "function", "function": {"name": "lookup", "arguments": '{"q": 1.00, "thought": "mine"}'}}
_USE = {"type": "tool_use", "name": "lookup", "input": {"id": 7, "deep": [1, {"thinking": "mine"}]}}

ENTRIES: dict[str, list[dict[str, Any]]] = {
    "anthropic-messages": [
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": THOUGHT, "signature": SIGNATURE},
                {"type": "redacted_thinking", "data": SIGNATURE},
                {"type": "thinking", "thinking": "", "signature": SIGNATURE},
                {"type": "text", "text": SAID},
                {**_USE, "id": "toolu_1"},
                {**_USE, "id": "toolu_2", "input": {}},
            ],
        }
    ],
    "openai-responses": [
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": THOUGHT}],
            "encrypted_content": SIGNATURE,
        },
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": SAID, "annotations": []}],
        },
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "lookup", "arguments": "{}", "status": "x"},
    ],
    "openai-chat": [
        {
            "role": "assistant",
            "content": SAID,
            "reasoning_content": THOUGHT,
            "reasoning_text": THOUGHT,
            "reasoning_opaque": SIGNATURE,
            "reasoning_details": [
                {"type": "reasoning.text", "text": THOUGHT, "index": 0, "format": "x-v1", "signature": SIGNATURE},
                {"type": "reasoning.encrypted", "data": SIGNATURE, "index": 1},
                {"type": "reasoning.summary", "summary": THOUGHT, "index": 1},
            ],
            "tool_calls": [
                {**_CALL, "index": 0, "id": "c1", "extra_content": {"google": {"thought_signature": SIGNATURE}}},
                {**_CALL, "index": 1, "id": "c2"},
            ],
        }
    ],
    "gemini": [
        {
            "role": "model",
            "parts": [
                {"text": THOUGHT, "thought": True},
                {"text": SAID},
                {"functionCall": {"name": "lookup", "args": {"id": 7}}, "thoughtSignature": SIGNATURE},
                {"functionCall": {"name": "lookup", "args": {"id": 8}}},
                {"text": "", "thoughtSignature": SIGNATURE},
            ],
        }
    ],
}
"""The entries of the turn, as a response has them."""
