"""Lines that are rows: an export of a table as JSON lines, with whole bodies and streams in its members.

Such a line is judged as the row it is (``_rows``), so that a stream in a string is judged as a stream, and a model's
raw text as that, whatever its member is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reticent.edits import DROP, Children, Cut
from reticent.scan._rows import Nested, RowJudge, is_stream_like
from reticent.scan.findings import Where, pointer
from reticent.scan.judge import Hit, Judged
from reticent.serializers import jsonbytes
from reticent.streams.tags import may_hold_reasoning

if TYPE_CHECKING:
    from reticent.scan._rows import Cell
    from reticent.scan.judge import Judge


def is_record(value: Any) -> bool:
    """Whether a line is an object with a stream or a model's raw text in one of its members."""
    return value.__class__ is dict and any(
        cell.__class__ is str and (is_stream_like(cell) or may_hold_reasoning(cell)) for cell in value.values()
    )


def record(judge: Judge, line: bytes, value: dict[str, Any]) -> Judged | None:
    """The line without its reasoning; None when it has to be judged as any other document.

    Raises:
        EgressRefused: it cannot be judged.
    """
    if jsonbytes.without_superseded(line, value)[2]:
        return None  # a key occurs twice
    judged = members(judge, value)
    if judged is None:
        return None
    hits, edits = judged
    return Judged(jsonbytes.splice(line, edits) if edits else line, tuple(_at(column, hit) for column, hit in hits))


def members(judge: Judge, value: dict[str, Any]) -> tuple[list[tuple[str, Hit]], Children] | None:
    """What is found in an object as in a row, by member, and the edits that take it out; None when it is no row.

    Raises:
        EgressRefused: it cannot be judged.
    """
    found = RowJudge(judge, value).judged(value)
    hits = [(column, hit) for column, hit in found.hits if column is not None]
    if found.whole or len(hits) < len(found.hits):
        return None
    return hits, {name: _edit(value[name], cell) for name, cell in found.changes.items()}


def _edit(old: Cell, new: Cell) -> Any:
    """The edit of one member; of a text only the piece that differs is written again."""
    if isinstance(new, Nested):
        return new.edit
    if new is None:
        return DROP
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    return Cut(((start, len(old) - end, new[start : len(new) - end]),))


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common from their beginning on."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _at(column: str, hit: Hit) -> Hit:
    return Hit(hit.rule, hit.reasoning_class, hit.count, hit.length, Where(pointer=pointer((column,))))
