"""Frameworks with a block or an event of their own, most of it data (``kinds.yaml``).

What is code: a part of Genkit is told by its only key, so that a part of reasoning goes when that key does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.edits import DROP, Children, Edit

_GENKIT: Final = frozenset({"reasoning", "metadata", "custom"})


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return value.get("kind") in ("ActionEvent", "MessageEvent", "ObservationEvent") or "reasoning_steps" in value


def drop_part(_walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """A part that held reasoning and what belongs to it."""
    if position == Position.ASSISTANT and edits.get("reasoning") is DROP and _GENKIT.issuperset(node):
        return DROP
    return None


DIALECT = Dialect("frameworks", kinds("frameworks"), recognise=_recognise, hooks={"reasoning": (drop_part,)})
