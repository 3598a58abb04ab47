"""Gateways that give Chat Completions a second body: Portkey, the Braintrust proxy, Vercel AI Gateway.

Portkey repeats a message as Anthropic blocks in ``content_blocks`` and takes the type off the deltas, so that only the
name of the one field is left to tell. Braintrust's list under ``reasoning`` holds the signature as ``id``: the list
goes as a whole, by the rules of ``openai-chat``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.edits import DROP, Children, Edit

_KINDS = kinds("gateways")
_BLOCKS = "content_blocks"
_FIELDS: Mapping[str, str] = _KINDS.data["fields"]
_SHELL = frozenset({*_FIELDS, "index", "id"})


def _recognise(value: Any) -> bool:
    choices = value.get("choices") if isinstance(value, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = (first.get("message") or first.get("delta")) if isinstance(first, dict) else None
    return isinstance(message, dict) and _BLOCKS in message


def drop_untyped(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """Drop blocks and deltas that have no type but a field of a thinking block."""
    blocks = node[_BLOCKS]
    if position == Position.DATA or not isinstance(blocks, list):
        return None
    found = edits.get(_BLOCKS)
    mine: Children = dict(found) if isinstance(found, dict) else {}
    for at, block in enumerate(blocks):
        if mine.get(at) is not DROP and isinstance(block, dict) and _is_reasoning(walker, block):
            walker.withhold("gateways/content_blocks", block)
            mine[at] = DROP
            edits[_BLOCKS] = mine
    return None


def _is_reasoning(walker: Walker, block: Mapping[str, Any]) -> bool:
    inner = block.get("delta", block)
    if not isinstance(inner, dict) or "type" in inner or "text" in inner:
        return False
    if "thinking" not in inner and "signature" not in inner and not _SHELL.issuperset(inner):
        return False
    return any(isinstance(inner.get(name), str) and walker.withholds(kind) for name, kind in _FIELDS.items())


DIALECT = Dialect("gateways", _KINDS, recognise=_recognise, hooks={_BLOCKS: (drop_untyped,)})
