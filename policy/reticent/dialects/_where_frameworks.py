"""Conditions on the place of a carrier that know the record of some framework; ``_where`` has the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from reticent.dialects._positions import Position

_SUBJECT: Final = frozenset({"subject", "description"})
_STEP: Final = frozenset({"title", "action", "result", "reasoning", "next_action", "confidence"})


def react_step(node: Mapping[str, Any], _value: Any, position: int, _parent: Any) -> bool:
    """The key sits on one step of a reason-and-act loop, not on an application's own record."""
    return position != Position.DATA and (
        {"action", "action_input"} <= node.keys() or {"response", "is_streaming"} <= node.keys()
    )


def agent_action(node: Mapping[str, Any], value: Any, position: int, _parent: Any) -> bool:
    """The key sits on what a LangChain agent decided to do, and holds the thought that led to it."""
    return position != Position.DATA and "tool" in node and "Thought:" in value


def subjects(_node: Mapping[str, Any], value: Any, position: int, _parent: Any) -> bool:
    """The value is a list of thoughts with a subject or a description each."""
    return position != Position.DATA and all(isinstance(item, dict) and not _SUBJECT.isdisjoint(item) for item in value)


def reasoned_steps(_node: Mapping[str, Any], value: Any, position: int, _parent: Any) -> bool:
    """The value is a list of steps that each say how the model came to them."""
    return position != Position.DATA and all(isinstance(item, dict) and len(_STEP & item.keys()) > 1 for item in value)


def thought_steps(_node: Mapping[str, Any], value: Any, position: int, _parent: Any) -> bool:
    """The value is a list of steps with a thought each (Perplexity)."""
    return position != Position.DATA and all(isinstance(item, dict) and "thought" in item for item in value)


def created(node: Mapping[str, Any], _value: Any, position: int, _parent: Any) -> bool:
    """The key sits on what a model client of AutoGen returned, or on the message that is made of it."""
    made = {"finish_reason", "cached"} <= node.keys() or node.get("type") == "AssistantMessage"
    return position != Position.DATA and made and "content" in node


def variant(node: Mapping[str, Any], value: Any, position: int, _parent: Any) -> bool:
    """The key is the only one: the name of a variant, as Rust's serde writes them (Zed)."""
    return (
        position != Position.DATA and len(node) == 1 and (isinstance(value, str) or "text" in value or "data" in value)
    )


def answered(node: Mapping[str, Any], _value: Any, position: int, _parent: Any) -> bool:
    """The key is a column of a row that holds a prompt and what the model answered."""
    return position == Position.OPEN and {"prompt", "response"} <= node.keys()


def dify_step(node: Mapping[str, Any], _value: Any, position: int, _parent: Any) -> bool:
    """The key sits on a step of a Dify agent: in its stream, and in the ``agent_thoughts`` of a stored message."""
    if position == Position.DATA:
        return False
    return node.get("event") == "agent_thought" or {"tool_input", "observation"} <= node.keys()


def cline_message(node: Mapping[str, Any], _value: Any, position: int, _parent: Any) -> bool:
    """The key sits on a message of a Cline session."""
    return position != Position.DATA and "ts" in node and ("say" in node or "ask" in node)


def quotation(node: Mapping[str, Any], _value: Any, position: int, _parent: Any) -> bool:
    """The object is a citation: a text from a place of the answer."""
    return position != Position.DATA and ("content_index" in node or {"start", "sources"} <= node.keys())


_SAID: Final = (
    "text",
    "content",
    "delta",
    "data",
    "token",
    "chunk",
    "value",
    "message",
    "payload",
    "thought",
    "reasoning",
    "thinking",
)
_LAID_OUT: Final = frozenset({"summary", "encrypted_content"})


def says(node: Mapping[str, Any], _value: Any, position: int, _parent: Any) -> bool:
    """The object holds a text: under one of the names that events have for it, or one level below."""
    if position == Position.DATA or not _LAID_OUT.isdisjoint(node):
        return False  # an item of Responses, which another rule knows member by member
    return any(_holds_text(node.get(name)) for name in _SAID)


def _holds_text(value: Any) -> bool:
    if isinstance(value, dict):
        return any(isinstance(value.get(name), str) and value[name] for name in _SAID)
    return bool(value) and isinstance(value, (str, list))


def spelled_out(_node: Mapping[str, Any], value: Any, position: int, _parent: Any) -> bool:
    """The value is an object that holds the text of reasoning under its own name (Haystack)."""
    return position != Position.DATA and isinstance(value.get("reasoning_text"), str)
