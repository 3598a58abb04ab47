"""What a provider's own strategies do to a history, for tests of the checker."""

from __future__ import annotations

from typing import Any

History = list[dict[str, Any]]


def uses(history: History) -> list[tuple[int, str]]:
    """Position and id of every tool use, in order."""
    return [
        (position, block["id"])
        for position, message in enumerate(history)
        for block in message["content"]
        if block.get("type") == "tool_use"
    ]


def clear_tool_uses(history: History, *, keep: int = 3, exclude: frozenset[str] = frozenset()) -> History:
    """The oldest results go, all but those of the last ``keep`` uses."""
    names = {b["id"]: b["name"] for m in history for b in m["content"] if b.get("type") == "tool_use"}
    ids = [name for _, name in uses(history) if names[name] not in exclude]
    cleared = set(ids[: max(0, len(ids) - keep)])

    def image(block: dict[str, Any]) -> dict[str, Any]:
        return {**block, "content": "[cleared]"} if block.get("tool_use_id") in cleared else block

    return [{**message, "content": [image(block) for block in message["content"]]} for message in history]


def clear_thinking(history: History, *, keep: int) -> History:
    """Thinking stays in the last ``keep`` assistant messages: the stricter reading of a turn."""
    kept = [i for i, message in enumerate(history) if message["role"] == "assistant"][-keep:]
    return [
        message if i in kept else {**message, "content": [b for b in message["content"] if b.get("type") != "thinking"]}
        for i, message in enumerate(history)
    ]


def compact_all(history: History) -> History:
    """Everything becomes a summary of the provider's."""
    return [{"role": "assistant", "content": [{"type": "compaction", "content": f"{len(history)} entries"}]}]
