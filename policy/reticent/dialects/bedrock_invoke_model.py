"""Bedrock InvokeModel: the native body of the model, and in the stream base64 of its native events.

The stream is data (``wraps``): the event inside goes to its own protocol's handler and comes back in base64. What is
code here: an event that no protocol claims, or one that stands alone in a log, is opened and judged by itself.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

import orjson

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.edits import DROP, Children, Edit, Put, apply

_BESIDE = frozenset({"bytes", "p", "attribution"})


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    chunk = value.get("chunk", value)
    return isinstance(chunk, dict) and isinstance(chunk.get("bytes"), str) and _BESIDE.issuperset(chunk)


def open_bytes(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """What base64 of JSON or of text hides."""
    text = _decoded(node["bytes"]) if _BESIDE.issuperset(node) and position != Position.DATA else None
    if text is None:
        return None
    value, place = _content(text)
    edit = walker.value(value, place, "text", 0)
    if edit is DROP:
        return DROP
    if edit is not None:
        shown = apply(value, edit)
        raw = shown.encode() if isinstance(shown, str) else orjson.dumps(shown)
        edits["bytes"] = Put(base64.b64encode(raw).decode())
    return None


def drop_chunk(_walker: Walker, node: Mapping[str, Any], edits: Children, _position: int) -> Edit | None:
    """The event around a chunk that is gone."""
    return DROP if edits.get("chunk") is DROP and len(node) == 1 else None


def _decoded(value: Any) -> str | None:
    """The text that base64 stands for; None for images and everything else that is no text."""
    if not isinstance(value, str):
        return None
    try:
        return base64.b64decode(value, validate=True).decode()
    except (binascii.Error, ValueError):
        return None


def _content(text: str) -> tuple[Any, int]:
    try:
        value = orjson.loads(text)
    except ValueError:
        return text, Position.ASSISTANT
    return (value, Position.OPEN) if isinstance(value, (dict, list)) else (text, Position.ASSISTANT)


DIALECT = Dialect(
    "bedrock-invoke-model",
    kinds("bedrock-invoke-model"),
    recognise=_recognise,
    hooks={"bytes": (open_bytes,), "chunk": (drop_chunk,)},
    signs={"chunk": ()},
)
