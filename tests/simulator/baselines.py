"""Compactors and boundary rules as they are commonly written, to show what they break.

The first two are the sample compactors of the documents this work started from, built anew from what they are
described to do; the others are modelled on faults that were shipped.
"""

from __future__ import annotations

from typing import Any

KEPT_TYPES = frozenset({"text", "tool_use", "tool_result"})
REASONING_TYPES = frozenset({"thinking", "redacted_thinking"})

History = list[dict[str, Any]]


def by_window(history: History, *, window: int = 10) -> History:
    """Sample one: the last ``window`` messages stay as they are, older ones keep the block types on a list."""
    old, recent = history[:-window], history[-window:]
    return [_only(message, KEPT_TYPES) for message in old] + recent


def by_last_answer(history: History, *, keep: int = 10) -> History:
    """Sample two: everything up to the last text-only assistant turn is settled; its last ``keep`` messages stay."""
    cut = last_answer(history)
    settled = [_less(message, REASONING_TYPES) for message in history[:cut]]
    return settled[-keep:] + history[cut:]


def last_answer(history: History) -> int:
    """The cut behind the last assistant turn that has text and no call."""
    for position in range(len(history) - 1, -1, -1):
        message = history[position]
        types = {block["type"] for block in message["content"]}
        if message["role"] == "assistant" and "text" in types and "tool_use" not in types:
            return position + 1
    return 0


def strip_all_but_last_turns(history: History, *, turns: int = 1) -> History:
    """Reasoning stays in the last ``turns`` assistant messages only."""
    kept = [i for i, message in enumerate(history) if message["role"] == "assistant"][-turns:]
    return [m if i in kept else _less(m, REASONING_TYPES) for i, m in enumerate(history)]


def strip_before_last_message(history: History) -> History:
    """Reasoning stays in the very last message only, whoever wrote it."""
    return [_less(message, REASONING_TYPES) for message in history[:-1]] + history[-1:]


def _only(message: dict[str, Any], types: frozenset[str]) -> dict[str, Any]:
    return {**message, "content": [block for block in message["content"] if block["type"] in types]}


def _less(message: dict[str, Any], types: frozenset[str]) -> dict[str, Any]:
    return {**message, "content": [block for block in message["content"] if block["type"] not in types]}
