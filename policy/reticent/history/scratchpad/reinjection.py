"""Putting the scratchpad back into a history that lost something: behind the summary, as one block of data.

An older block goes when a newer one comes. Where no summary was written, the block stands behind the first request at
or after the first change, so the provider's cache in front of that stays whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reticent.history.changes import Action, Change, edited
from reticent.history.entries import Entry, PartKind, Role
from reticent.history.scratchpad.block import OPENS, without_block
from reticent.history.shapes._shape import listed, plain

if TYPE_CHECKING:
    from reticent.history.settled import Settled
    from reticent.history.shapes import Shape

RULE = "scratchpad-put-back"
OP = "reinject"

_LOSES_NOTHING = frozenset({"strip", "repair"})


def put_back(settled: Settled, changes: Sequence[Change], block: str) -> list[Change]:
    """``changes``, and what puts ``block`` behind the summary or the first request they reach."""
    found = _without_older(settled, changes)
    loses = any(change.op not in _LOSES_NOTHING for change in changes)
    summarised = any(change.kind == "summary" for change in changes)
    if not block or not loses or summarised:
        return found
    target = _target(settled, found)
    if target is None:
        return found
    shape = settled.shape
    own = {change.path: change for change in found if change.position == target.pos}
    now = edited(target.raw, list(own.items())) if own else target.raw
    value = shape.extended(now, [shape.text_part(block)])
    rest = [change for change in found if change.position != target.pos or change.action is Action.INSERT]
    return sorted([*rest, _content(target, shape, value)], key=lambda change: change.position)


def _target(settled: Settled, changes: Sequence[Change]) -> Entry | None:
    gone = {change.position for change in changes if change.action is Action.DROP}
    speaks = [
        entry
        for entry in settled.entries
        if entry.role is Role.USER
        and entry.pos not in gone
        and not (entry.nudge or entry.text_output or entry.has(PartKind.RESULT))
    ]
    first = min((change.position for change in changes), default=0)
    behind = [entry for entry in speaks if entry.pos >= first]
    return behind[0] if behind else (speaks[-1] if speaks else None)


def _without_older(settled: Settled, changes: Sequence[Change]) -> list[Change]:
    """Take older blocks out of the entries that stay."""
    found = list(changes)
    for entry in settled.entries:
        if entry.role is not Role.USER or not any(OPENS in text for text in settled.shape.texts(entry.raw)):
            continue
        own = [change for change in found if change.position == entry.pos and change.action is not Action.INSERT]
        if any(change.action is Action.DROP for change in own):
            continue
        now: Any = edited(entry.raw, [(change.path, change) for change in own]) if own else entry.raw
        clean = _cleaned(now[settled.shape.content], settled.shape)
        found = [change for change in found if change not in own]
        found.append(_content(entry, settled.shape, clean))
    return sorted(found, key=lambda change: change.position)


def _cleaned(content: Any, shape: Shape) -> Any:
    if isinstance(content, str):
        return without_block(content)
    kept: list[Any] = []
    for part in listed(content):
        fields = plain(part)
        text = None if fields is None else fields.get("text")
        if fields is None or not isinstance(text, str) or OPENS not in text:
            kept.append(part)
        elif without_block(text):
            kept.append({**fields, "text": without_block(text)})
    return kept or [shape.text_part("-")]


def _content(entry: Entry, shape: Shape, value: Any) -> Change:
    from reticent.history.changes import size_of

    change = Change(position=entry.pos, action=Action.REPLACE, op=OP, rule=RULE, kind="text", path=(shape.content,))
    return replace(change, value=value, size=size_of(entry.raw[shape.content]))
