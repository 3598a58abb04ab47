"""A provider's whole answer around the entries of one turn, and the entries of a request's history."""

from __future__ import annotations

from typing import Any

Entry = dict[str, Any]

MODELS = {
    "anthropic-messages": "claude-opus-5-1",
    "openai-responses": "gpt-5.2",
    "openai-chat": "deepseek-v4",
    "gemini": "gemini-3-pro",
}
"""A model of each dialect, whose family demands the most."""

PROFILES = {
    "anthropic-messages": "anthropic-prefix-bound",
    "openai-responses": "openai-responses",
    "openai-chat": "deepseek-v4",
    "gemini": "gemini-3.5",
}
"""What the simulator demands in each dialect."""

_HISTORIES = {
    "anthropic-messages": "messages",
    "openai-responses": "input",
    "openai-chat": "messages",
    "gemini": "contents",
}


def history_of(dialect: str, body: Entry) -> list[Entry]:
    """The entries that a request sends."""
    told = body[_HISTORIES[dialect]]
    assert isinstance(told, list)
    return told


def answer_of(dialect: str, entries: list[Entry], *, number: int, calls: bool) -> Entry:
    """A whole response that says ``entries``; ``number`` makes its id."""
    return _ANSWERS[dialect](entries, number, calls)


def entries_of(dialect: str, answer: Entry) -> list[Entry]:
    """What of a response goes into the next request's history."""
    if dialect == "anthropic-messages":
        return [{"role": "assistant", "content": answer["content"]}]
    if dialect == "openai-responses":
        return list(answer["output"])
    if dialect == "openai-chat":
        return [answer["choices"][0]["message"]]
    return [answer["candidates"][0]["content"]]


def _anthropic(entries: list[Entry], number: int, calls: bool) -> Entry:
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": MODELS["anthropic-messages"],
        "content": entries[0]["content"],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 90},
    }


def _responses(entries: list[Entry], number: int, _calls: bool) -> Entry:
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1764374400,
        "status": "completed",
        "model": MODELS["openai-responses"],
        "output": entries,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "reasoning": {"effort": "medium", "summary": "auto"},
        "usage": {
            "input_tokens": 10,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 80,
            "output_tokens_details": {"reasoning_tokens": 64},
            "total_tokens": 90,
        },
    }


def _chat(entries: list[Entry], number: int, calls: bool) -> Entry:
    choice = {"index": 0, "message": entries[0], "logprobs": None, "finish_reason": "tool_calls" if calls else "stop"}
    return {
        "id": f"chatcmpl-{number}",
        "created": 1764374400,
        "model": MODELS["openai-chat"],
        "object": "chat.completion",
        "choices": [choice],
        "usage": {"prompt_tokens": 10, "completion_tokens": 80, "total_tokens": 90},
    }


def _gemini(entries: list[Entry], number: int, _calls: bool) -> Entry:
    return {
        "candidates": [{"content": entries[0], "index": 0, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 12, "thoughtsTokenCount": 64},
        "modelVersion": MODELS["gemini"],
        "responseId": f"r{number}",
    }


_ANSWERS = {
    "anthropic-messages": _anthropic,
    "openai-responses": _responses,
    "openai-chat": _chat,
    "gemini": _gemini,
}
