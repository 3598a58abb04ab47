"""Records without depth, as most log records are: proved clean without writing or walking them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from reticent.serializers.logtext import is_plain as is_plain_text

if TYPE_CHECKING:
    from reticent.serializers.program import Program

_SCALARS: Final = frozenset({int, bool, type(None)})


def is_plain(record: dict[Any, Any], program: Program) -> bool:
    """Whether ``record`` holds scalars and plain texts only, under names that no rule knows.

    Then the walk would find nothing: no rule, role or hook has an opinion on the object, and no reader of strings, in
    whatever position, on a plain text. ``False`` means that it has to look.
    """
    shape = program.shape(tuple(record))
    if shape.ruled or "type" in record or "role" in record:
        return False
    for value in record.values():
        kind = value.__class__
        if kind is str:
            if not is_plain_text(value):
                return False
        elif kind not in _SCALARS and not (kind is float and value - value == 0.0):
            return False
    return True
