"""Repair: an abandoned call gets a result that says so, in the one place where the provider looks for it.

Never done on the quiet: the caller names the calls it has given up, and the record names each repair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reticent.history.changes import Action, Change, size_of
from reticent.history.entries import Entry, Part, Role
from reticent.history.operations import marks
from reticent.history.settled import Proposal, Settled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reticent.history.legality import Refusal
    from reticent.history.turns import Turn
    from reticent.history.units import Unit

NAME = "repair"
RULE = "abandoned-call-answered"


def propose(settled: Settled, units: Sequence[Unit]) -> Proposal:
    """Answer every abandoned call of ``units`` with an error result."""
    changes: list[Change] = []
    refused: list[Refusal] = []
    for unit in units:
        if not settled.abandoned(unit):
            continue
        refusal = settled.refuses(NAME, unit)
        if refusal is not None:
            refused.append(refusal)
            continue
        for task in unit.tasks:
            for turn in task.turns:
                changes += _repair(settled, turn, unit.end)
    return Proposal(changes=tuple(changes), refused=tuple(refused))


def _repair(settled: Settled, turn: Turn, end: int) -> list[Change]:
    parts = [call.part for call in turn.calls if call.abandoned]
    if not parts:
        return []
    place = turn.last + 1
    results = [settled.shape.error_result(part, marks.ABANDONED) for part in parts]
    if settled.shape.own_result_entries():
        return [_insert(place, result) for result in results]
    following = settled.entries[place] if place < end else None
    if following is None or following.role is not Role.USER:
        return [_insert(place, {"role": "user", settled.shape.content: results})]
    return [_prefix(settled, following, parts)]


def _insert(place: int, value: object) -> Change:
    return Change(position=place, action=Action.INSERT, op=NAME, rule=RULE, kind="result", value=value)


def _prefix(settled: Settled, entry: Entry, parts: list[Part]) -> Change:
    results = [settled.shape.error_result(part, marks.ABANDONED) for part in parts]
    return Change(
        position=entry.pos,
        action=Action.REPLACE,
        path=(settled.shape.content,),
        op=NAME,
        rule=RULE,
        kind="result",
        size=size_of(entry.raw[settled.shape.content]),
        value=settled.shape.prefixed(entry.raw, results),
    )
