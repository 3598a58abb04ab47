"""JSON in a field of a CSV line, whose quotation marks are doubled: ``1,"{""role"":""assistant"", …}"``.

RFC 4180, section 2: a quotation mark inside a quoted field is written twice.
https://www.rfc-editor.org/rfc/rfc4180#section-2
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from reticent.dialects._positions import Position
from reticent.edits import DROP, Cut
from reticent.serializers import literals

if TYPE_CHECKING:
    from collections.abc import Callable

    from reticent.edits import Edit
    from reticent.serializers.walk import Walk

    Judge = Callable[[Walk, str, int, int], "tuple[Edit | None] | None"]

_FIELD: Final = re.compile(r'(?<![^,;\t|\n])"(?=[\[{])((?:[^"]|"")*+)(?:"(?=[,;\t|\r\n]|\Z)|\Z)')


def may_hold(text: str) -> bool:
    """Whether some field may be one."""
    return '""' in text and _FIELD.search(text) is not None


def cut(walk: Walk, text: str, depth: int, nested: Judge) -> str:
    """``text`` without what ``nested`` or the search for literals takes out of its fields."""
    return _FIELD.sub(lambda field: _judged(walk, field, depth, nested), text)


def _judged(walk: Walk, field: re.Match[str], depth: int, nested: Judge) -> str:
    inner = field[1].replace('""', '"')
    judged = nested(walk, inner, Position.OPEN, depth + 1)
    edit = literals.edit(walk, inner, depth + 1) if judged is None else judged[0]
    if edit is DROP:
        return f'"{literals.PLACEHOLDER}"'
    if not isinstance(edit, Cut):
        return field[0]
    shown = edit.apply(inner).replace('"', '""')
    return field[0][:1] + shown + field[0][1 + len(field[1]) :]
