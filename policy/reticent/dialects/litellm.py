"""LiteLLM: the same reasoning in up to four places of one message, and a signature inside tool ids.

Copies under ``provider_specific_fields`` are found by the rules that find the originals. What is code: LiteLLM appends
a Gemini signature to the id of a call (``call_1__thought__U0lH``) and splits it off again on replay. The id is cut in
the call and in its result alike, so that the pair still matches.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.edits import Children, Cut, Edit

_KINDS = kinds("litellm")
_SEPARATOR: Final[str] = _KINDS.data["separator"]
_IDS = ("id", "tool_call_id", "tool_use_id", "call_id", "toolCallId", "toolUseId")
_NEIGHBOURS = ("function", "input", "args", "arguments", "response", *_IDS[1:])


def _recognise(value: Any) -> bool:
    choices = value.get("choices") if isinstance(value, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = (first.get("message") or first.get("delta")) if isinstance(first, dict) else None
    return isinstance(message, dict) and not {"thinking_blocks", "provider_specific_fields"}.isdisjoint(message)


def cut_ids(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """Cut the signature off the ids of a call or a result."""
    if position == Position.DATA or not walker.withholds("opaque"):
        return None
    for name in _IDS:
        value = node.get(name)
        if isinstance(value, str) and _SEPARATOR in value and name not in edits:
            start = value.index(_SEPARATOR)
            walker.withhold("litellm/thought-id", value[start:])
            edits[name] = Cut(((start, len(value), "" if start else "call"),))
    return None


DIALECT = Dialect(
    "litellm",
    _KINDS,
    recognise=_recognise,
    hooks=dict.fromkeys(_NEIGHBOURS, (cut_ids,)),
    signs=dict.fromkeys(_NEIGHBOURS, (_SEPARATOR,)),
)
