"""Gemini behind the OpenAI-compatible endpoint: the signature rides in ``extra_content.google``.

The member rule of ``gemini`` takes the signature wherever it stands. What is code here: the two objects around it go
when they held nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._rules import kinds
from reticent.edits import DROP, Children, Edit

_EXTRA = "extra_content"


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("choices"), list):
        return False
    return str(value.get("model")).removeprefix("models/").startswith("gemini")


def drop_empty_extras(_walker: Walker, node: Mapping[str, Any], edits: Children, _position: int) -> Edit | None:
    """An ``extra_content`` that held a signature and nothing else goes with it."""
    if isinstance(node[_EXTRA], dict) and _is_emptied(node[_EXTRA], edits.get(_EXTRA)):
        edits[_EXTRA] = DROP
    return None


def _is_emptied(value: Mapping[str, Any], edit: Edit | None) -> bool:
    """Whether ``edit`` leaves nothing in ``value`` but objects that it emptied."""
    if not isinstance(edit, dict):
        return False
    return all(
        edit.get(name) is DROP or (isinstance(below, dict) and _is_emptied(below, edit.get(name)))
        for name, below in value.items()
    )


DIALECT = Dialect(
    "gemini-openai",
    kinds("gemini-openai"),
    recognise=_recognise,
    hooks={_EXTRA: (drop_empty_extras,)},
    signs={_EXTRA: ()},
)
