"""Messages whose text holds the reasoning: the tag rule (``streams.tags``) at work on message shapes.

There is no vocabulary here: where assistant text stands is said by roles and positions, what a tag is by the rule.
"""

from __future__ import annotations

from typing import Any

from reticent.dialects._dialect import Dialect
from reticent.dialects._positions import ROLES, Position
from reticent.dialects._rules import kinds
from reticent.streams.tags import may_hold_reasoning


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict) or ROLES.get(str(value.get("role"))) is not Position.ASSISTANT:
        return False
    content = value.get("content")
    return isinstance(content, str) and may_hold_reasoning(content)


DIALECT = Dialect("inline-tags", kinds("inline-tags"), recognise=_recognise)
