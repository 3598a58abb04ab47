"""Changes: what an operation wants done, as data. One function carries them out, and it cannot touch the live span.

Replaying the changes of a compaction on its input gives its output; so the record is complete, and a removal without
a rule cannot exist.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, cast

import orjson

from reticent.errors import CyclicInput, InputTooDeep, LiveSpanTouched, UnsupportedType
from reticent.history.entries import Path
from reticent.history.shapes import value_at
from reticent.history.shapes._shape import plain

Edits = Sequence[tuple[Path, "Change"]]


class Action(StrEnum):
    """What is done at a place."""

    REMOVE = "remove"
    REPLACE = "replace"
    DROP = "drop"
    """The entry goes as a whole."""
    INSERT = "insert"
    """An entry of ours comes in front of the position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change: where, by which operation, under which rule.

    ``position`` counts entries of the input, ``path`` leads on from there. ``size`` is the length in bytes of the JSON
    that goes. ``handle`` names what went, so that it can be kept elsewhere; reasoning is never kept, so it has none.
    """

    position: int
    action: Action
    op: str
    rule: str
    kind: str
    path: Path = ()
    size: int = 0
    handle: str = ""
    value: Any = field(default=None, repr=False)
    """What is put in its place or in front of it."""
    original: Any = field(default=None, repr=False)
    """What went, without reasoning; None when nothing else did."""

    def to_json(self) -> dict[str, Any]:
        """Place, rule and size; never content."""
        return {
            "position": self.position,
            "path": "/".join(str(key) for key in self.path),
            "action": self.action.value,
            "op": self.op,
            "rule": self.rule,
            "kind": self.kind,
            "bytes": self.size,
            "handle": self.handle,
        }


def apply(history: Sequence[Any], changes: Sequence[Change], *, boundary: int) -> list[Any]:
    """``history`` with ``changes`` carried out on the entries before ``boundary``.

    Entries without a change are the same objects; others are copied along the changed path. The input is not altered.

    Raises:
        LiveSpanTouched: a change stands behind the boundary.
    """
    for change in changes:
        last = boundary if change.action is Action.INSERT else boundary - 1
        if not 0 <= change.position <= last:
            raise LiveSpanTouched(f"{change.op} asked for entry {change.position}; the live span begins at {boundary}")
    at = by_position(changes)
    done: list[Any] = []
    for pos in range(boundary):
        done += _at(history[pos], at.get(pos, ()))
    done += [change.value for change in at.get(boundary, ()) if change.action is Action.INSERT]
    done += history[boundary:]
    return done


def by_position(changes: Sequence[Change]) -> dict[int, list[Change]]:
    """The changes of each position, in their order."""
    at: dict[int, list[Change]] = {}
    for change in changes:
        at.setdefault(change.position, []).append(change)
    return at


def _at(entry: Any, changes: Sequence[Change]) -> list[Any]:
    before = [change.value for change in changes if change.action is Action.INSERT]
    if any(change.action is Action.DROP for change in changes):
        return before
    edits = [(change.path, change) for change in changes if change.action is not Action.INSERT]
    return [*before, edited(entry, edits) if edits else entry]


def edited(value: Any, edits: Edits) -> Any:
    """``value`` with the edits below it carried out; what no edit reaches is the same object."""
    whole = next((change for path, change in edits if not path), None)
    if whole is not None:
        return whole.value
    below: dict[str | int, list[tuple[Path, Change]]] = {}
    for path, change in edits:
        below.setdefault(path[0], []).append((path[1:], change))
    if isinstance(value, list | tuple):
        items = enumerate(cast("Sequence[Any]", value))
        return [_item(item, below.get(index, ())) for index, item in items if not _goes(below.get(index, ()))]
    fields = plain(value) or {}
    return {key: _item(item, below.get(key, ())) for key, item in fields.items() if not _goes(below.get(key, ()))}


def _goes(edits: Edits) -> bool:
    return any(not path and change.action is Action.REMOVE for path, change in edits)


def _item(item: Any, edits: Edits) -> Any:
    return edited(item, edits) if edits else item


def encode(value: Any) -> bytes:
    """Compact JSON of ``value``; SDK objects dump themselves.

    Raises:
        CyclicInput, InputTooDeep, UnsupportedType: ``value`` has no JSON form.
    """
    try:
        return orjson.dumps(value, default=_dumped)
    except orjson.JSONEncodeError:
        # Whole numbers past 64 bits and unpaired surrogates are JSON too, and transcripts hold both.
        return _encode_slowly(value)


def _encode_slowly(value: Any) -> bytes:
    try:
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=_dumped)
    except RecursionError:
        raise InputTooDeep("the history nests deeper than the interpreter can walk") from None
    except ValueError:
        raise CyclicInput("an entry of the history contains itself") from None
    except TypeError:
        raise UnsupportedType("an entry of the history holds a value that has no JSON form") from None
    return text.encode("utf-8", "surrogatepass")


def size_of(value: Any) -> int:
    """Bytes of the compact JSON of ``value``."""
    return len(encode(value))


def handle_of(value: Any) -> str:
    """A name for ``value`` by its content, equal wherever it is computed."""
    return "sha256:" + hashlib.sha256(encode(value)).hexdigest()[:32]


def size_at(raw: Mapping[str, Any], path: Path) -> int:
    """Bytes of the JSON that stands at ``path``."""
    return size_of(value_at(raw, path))


def _dumped(value: Any) -> Any:
    fields = plain(value)
    if fields is None:
        raise TypeError(type(value).__name__)
    return fields
