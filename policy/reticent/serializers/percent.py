"""JSON in a part of an address or of a form body, percent-encoded: ``payload=%7B%22role%22%3A…``.

https://url.spec.whatwg.org/#application/x-www-form-urlencoded (read 2026-11-30)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, quote_plus, unquote, unquote_plus

from reticent.dialects._positions import Position
from reticent.edits import DROP, Cut
from reticent.serializers import literals

if TYPE_CHECKING:
    from collections.abc import Callable

    from reticent.edits import Edit
    from reticent.serializers.walk import Walk

    Judge = Callable[[Walk, str, int, int], "tuple[Edit | None] | None"]

_PART: Final = re.compile(r"%(?:7B|5B)[^\s&'\"<>`\\]*+", re.IGNORECASE)


def may_hold(text: str) -> bool:
    """Whether some part may be one: it opens like an object or an array, and has a quoted name."""
    return "%22" in text and ("%7" in text or "%5" in text)


def cut(walk: Walk, text: str, depth: int, nested: Judge) -> str:
    """``text`` without what ``nested`` or the search for literals takes out of its encoded parts."""
    return _PART.sub(lambda part: _judged(walk, part[0], depth, nested), text)


def _judged(walk: Walk, part: str, depth: int, nested: Judge) -> str:
    plus = "+" in part and "%20" not in part
    inner = unquote_plus(part) if plus else unquote(part)
    judged = nested(walk, inner, Position.OPEN, depth + 1)
    edit = literals.edit(walk, inner, depth + 1) if judged is None else judged[0]
    if edit is DROP:
        return quote(literals.PLACEHOLDER)
    if not isinstance(edit, Cut):
        return part
    return quote_plus(edit.apply(inner)) if plus else quote(edit.apply(inner), safe="")
