"""Turns of every dialect that can be replayed: as a model answers, and as the history has them afterwards."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any


def mark() -> str:
    """A canary: random, so that it is found in nothing but what it was put into."""
    return "cnry" + secrets.token_hex(12)


@dataclass(frozen=True)
class Case:
    """One answer, the entries it adds to a history, the member that lists them, and the canaries in its reasoning."""

    dialect: str
    answer: dict[str, Any]
    name: str
    entries: list[dict[str, Any]]
    canaries: list[str] = field(default_factory=list[str])


def _call(name: str) -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": "look_up", "arguments": '{"order": 7, "rate": 1.50}'}}


def anthropic(call: str = "toolu_1", model: str = "claude-opus-4-6") -> Case:
    """Thinking, redacted thinking, text, and thinking between two calls."""
    thought, signature, data, later = mark(), mark(), mark(), mark()
    content: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": thought, "signature": signature},
        {"type": "redacted_thinking", "data": data},
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": call, "name": "look_up", "input": {"order": 7, "rate": 1.5}},
        {"type": "thinking", "thinking": "", "signature": later},
        {"type": "tool_use", "id": f"{call}b", "name": "look_up", "input": {}},
    ]
    answer = {"id": f"msg_{call}", "type": "message", "role": "assistant", "model": model, "content": content}
    entry = {"role": "assistant", "content": content}
    return Case("anthropic-messages", answer, "messages", [entry], [thought, signature, data, later])


def responses(call: str = "call_1") -> Case:
    """Reasoning items in front of a message and of two parallel calls."""
    summary, first, second = mark(), mark(), mark()
    output: list[dict[str, Any]] = [
        {
            "type": "reasoning",
            "id": f"rs_{call}a",
            "summary": [{"type": "summary_text", "text": summary}],
            "encrypted_content": first,
        },
        {
            "type": "message",
            "id": f"msg_{call}",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Let me look.", "annotations": []}],
        },
        {"type": "reasoning", "id": f"rs_{call}b", "summary": [], "encrypted_content": second},
        {"type": "function_call", "id": f"fc_{call}a", "call_id": call, "name": "look_up", "arguments": '{"order":7}'},
        {"type": "function_call", "id": f"fc_{call}b", "call_id": f"{call}b", "name": "look_up", "arguments": "{}"},
    ]
    answer = {"id": f"resp_{call}", "object": "response", "model": "gpt-5.5", "output": output}
    return Case("openai-responses", answer, "input", output, [summary, first, second])


def _chat(model: str, message: dict[str, Any], *canaries: str) -> Case:
    answer = {"id": "c", "object": "chat.completion", "model": model, "choices": [{"index": 0, "message": message}]}
    return Case("openai-chat", answer, "messages", [message], list(canaries))


def deepseek(call: str = "call_1", model: str = "deepseek-v4") -> Case:
    """``reasoning_content`` beside calls."""
    thought = mark()
    message = {"role": "assistant", "reasoning_content": thought, "content": "", "tool_calls": [_call(call)]}
    return _chat(model, message, thought)


def openrouter(call: str = "call_1") -> Case:
    """``reasoning`` and ``reasoning_details``."""
    thought, data = mark(), mark()
    details = [{"type": "reasoning.encrypted", "data": data, "id": "rs", "format": "openai-responses-v1", "index": 0}]
    message = {
        "role": "assistant",
        "content": "Let me look.",
        "reasoning": thought,
        "reasoning_details": details,
        "tool_calls": [_call(call)],
    }
    return _chat("openai/gpt-5.5", message, thought, data)


def gemini(call: str = "f1") -> Case:
    """A thought, a signed call, a parallel call without a signature, and a signature in a part of its own."""
    thought, signature, last = mark(), mark(), mark()
    parts: list[dict[str, Any]] = [
        {"text": thought, "thought": True},
        {"text": "Let me look."},
        {
            "functionCall": {"id": call, "name": "look_up", "args": {"order": 7}},
            "thoughtSignature": signature,
        },
        {"functionCall": {"id": f"{call}b", "name": "look_up", "args": {}}},
        {"text": "", "thoughtSignature": last},
    ]
    content = {"role": "model", "parts": parts}
    answer = {"candidates": [{"content": content, "finishReason": "STOP"}], "modelVersion": "gemini-3-pro"}
    return Case("gemini", answer, "contents", [content], [thought, signature, last])


def gemini_openai(call: str = "f1") -> Case:
    """A signature deep inside a tool call."""
    signature = mark()
    signed = {**_call(call), "extra_content": {"google": {"thought_signature": signature}}}
    return _chat("gemini-3-pro", {"role": "assistant", "content": None, "tool_calls": [signed]}, signature)


def interactions(call: str = "f1") -> Case:
    """Thought steps, and a signature on a call."""
    signature, summary, on_call = mark(), mark(), mark()
    steps: list[dict[str, Any]] = [
        {"type": "thought", "signature": signature, "summary": [{"type": "text", "text": summary}]},
        {"type": "model_output", "content": [{"type": "text", "text": "Let me look."}]},
        {"type": "function_call", "id": call, "name": "look_up", "arguments": {}, "signature": on_call},
    ]
    answer = {"id": "i", "object": "interaction", "steps": steps}
    return Case("gemini-interactions", answer, "input", steps, [signature, summary, on_call])


def bedrock(call: str = "tooluse_1") -> Case:
    """Reasoning content in front of a call."""
    thought, signature = mark(), mark()
    message = {
        "role": "assistant",
        "content": [
            {"reasoningContent": {"reasoningText": {"text": thought, "signature": signature}}},
            {"text": "Let me look."},
            {"toolUse": {"toolUseId": call, "name": "look_up", "input": {"order": 7}}},
        ],
    }
    answer = {"output": {"message": message}, "stopReason": "tool_use"}
    return Case("bedrock-converse", answer, "messages", [message], [thought, signature])


def mistral(call: str = "call_1") -> Case:
    """A thinking chunk in a content list."""
    thought = mark()
    content = [
        {"type": "thinking", "thinking": [{"type": "text", "text": thought}], "closed": True},
        {"type": "text", "text": "Let me look."},
    ]
    message = {"role": "assistant", "content": content, "tool_calls": [_call(call)]}
    return _chat("magistral-medium", message, thought)


def cohere(call: str = "call_1") -> Case:
    """Thinking, and a tool plan beside the calls."""
    thought, plan = mark(), mark()
    message = {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": thought}, {"type": "text", "text": "Let me look."}],
        "tool_plan": plan,
        "tool_calls": [_call(call)],
    }
    return Case(
        "cohere", {"id": "c", "message": message, "finish_reason": "TOOL_CALL"}, "messages", [message], [thought, plan]
    )


def ollama(call: str = "call_1") -> Case:
    """``thinking`` beside calls that have no ids."""
    thought = mark()
    calls = [{"function": {"name": "look_up", "arguments": {"order": call}}}]
    message = {"role": "assistant", "content": "Let me look.", "thinking": thought, "tool_calls": calls}
    answer = {"model": "qwen3", "message": message, "done": True}
    return Case("ollama", answer, "messages", [message], [thought])


def minimax(call: str = "call_1") -> Case:
    """Tags in the text, which this provider wants to see again."""
    thought = mark()
    message = {
        "role": "assistant",
        "content": f"<think>\n{thought}\n</think>\n\nLet me look.",
        "tool_calls": [_call(call)],
    }
    return _chat("minimax-m2", message, thought)


MAKERS = (
    anthropic,
    responses,
    deepseek,
    openrouter,
    gemini,
    gemini_openai,
    interactions,
    bedrock,
    mistral,
    cohere,
    ollama,
    minimax,
)
