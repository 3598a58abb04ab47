"""Anthropic messages in few words, for tests of single rules."""

from __future__ import annotations

from typing import Any

KEEP_ALL = "anthropic-keep-all"


def asked(text: str) -> dict[str, Any]:
    """A user message."""
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def said(text: str, **more: Any) -> dict[str, Any]:
    """An assistant message that ends its task."""
    return {"role": "assistant", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", **more}


def used(name: str, tool: str = "q") -> dict[str, Any]:
    """An assistant message that calls a tool, after a thought."""
    block = {"type": "tool_use", "id": name, "name": tool, "input": {}}
    thought = {"type": "thinking", "thinking": "PRIV", "signature": "s"}
    return {"role": "assistant", "content": [thought, block], "stop_reason": "tool_use"}


def answered(name: str, body: Any, *more: dict[str, Any]) -> dict[str, Any]:
    """A tool result, and what came with it."""
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": body}, *more]}


def worked(body: Any, *more: dict[str, Any]) -> list[dict[str, Any]]:
    """A settled task of one step, and the next request."""
    return [asked("order 7?"), used("c1"), answered("c1", body, *more), said("It is 4921."), asked("and 8?")]
