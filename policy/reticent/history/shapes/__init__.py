"""Transcript shapes: one adapter per wire format, each a reader of entries and a writer of the few that are ours.

A name here is a dialect id; :func:`recognise` finds it from the entries themselves.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from reticent.errors import UnknownDialect
from reticent.history.facts import facts_of
from reticent.history.shapes._shape import METADATA, Shape, listed, looks_like_reasoning, plain, value_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reticent.history.entries import Raw

__all__ = ["BUILTIN", "METADATA", "Shape", "looks_like_reasoning", "recognise", "sendable", "shape_of", "value_at"]

BUILTIN = {
    "anthropic-messages": ("anthropic_messages", "AnthropicMessages"),
    "openai-responses": ("openai_responses", "OpenAIResponses"),
    "openai-chat": ("openai_chat", "OpenAIChat"),
    "gemini": ("gemini", "Gemini"),
    "bedrock-converse": ("bedrock_converse", "BedrockConverse"),
}
"""Dialect id → module and class; a shape is imported when it is asked for."""

_SAMPLE = 64
"""Entries that are looked at to recognise a transcript; tool traffic shows well before that."""

_CHAT_KEYS = frozenset({"tool_calls", "tool_call_id", "reasoning_content", "reasoning_details", "function_call"})
_ANTHROPIC_PARTS = frozenset({"text", "thinking", "redacted_thinking", "tool_use", "tool_result", "server_tool_use"})
_CHAT_PARTS = frozenset({"image_url", "input_audio"})


@cache
def shape_of(dialect: str) -> Shape:
    """The shape called ``dialect``.

    Raises:
        UnknownDialect: there is none.
    """
    if dialect not in BUILTIN:
        raise UnknownDialect(dialect, BUILTIN)
    module, name = BUILTIN[dialect]
    found = getattr(import_module(f"{__name__}.{module}"), name)
    return cast("Shape", found(facts_of(dialect)))


def recognise(entries: Iterable[Any]) -> str:
    """The dialect of a transcript, from its first entries.

    Plain text turns look alike in Chat Completions and Anthropic Messages, and mean the same to every caller; such a
    transcript counts as Chat Completions.
    """
    sample = [raw for value in islice(entries, _SAMPLE) if (raw := plain(value)) is not None]
    if any("parts" in raw for raw in sample):
        return "gemini"
    if any(_is_item(raw) for raw in sample):
        return "openai-responses"
    if any(_is_chat(raw) for raw in sample):
        return "openai-chat"
    blocks = [block for raw in sample for value in listed(raw.get("content")) if (block := plain(value)) is not None]
    if any("type" in block for block in blocks):
        return "openai-chat" if any(block.get("type") in _CHAT_PARTS for block in blocks) else "anthropic-messages"
    return "bedrock-converse" if blocks else "openai-chat"


def _is_item(raw: Raw) -> bool:
    """An item of the Responses API; an Anthropic response, stored whole, also calls itself a ``message``."""
    if not isinstance(raw.get("type"), str):
        return False
    if "role" not in raw:
        return True
    blocks = [block for value in listed(raw.get("content")) if (block := plain(value)) is not None]
    foreign = any(block.get("type") in _ANTHROPIC_PARTS for block in blocks)
    return raw["type"] == "message" and not foreign and "stop_reason" not in raw


def _is_chat(raw: Raw) -> bool:
    return raw.get("role") in {"tool", "function", "developer"} or not _CHAT_KEYS.isdisjoint(raw)


def sendable(history: Sequence[Any], *, dialect: str | None = None) -> list[Any]:
    """``history`` without the members that only the harness knows (stop words, task ids, sequence numbers).

    An entry that has none is the same object. ``phase`` stays: the Responses API wants it back.
    """
    phase = (dialect or recognise(history)) == "openai-responses"
    drop = METADATA if phase else METADATA | {"phase"}
    return [_without(value, drop) for value in history]


def _without(value: Any, drop: frozenset[str]) -> Any:
    raw = plain(value)
    if raw is None or drop.isdisjoint(raw):
        return value
    return {key: item for key, item in raw.items() if key not in drop}
