"""Strip: all reasoning of a settled unit goes, whole, oldest unit first.

Removal in whole is permitted where the profile says so; reasoning is never edited, and what was removed never comes
back. An item that was issued together with a reasoning item loses its ``id`` with it, or the provider would ask for
the reasoning: https://platform.openai.com/docs/guides/reasoning
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reticent.history.changes import Action, Change, size_at
from reticent.history.entries import Entry, PartKind
from reticent.history.legality import Refusal
from reticent.history.settled import Proposal, Settled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reticent.history.turns import Turn
    from reticent.history.units import Unit

NAME = "strip"
RUNG = "drop"
ADDRESSES = frozenset({"reasoning"})
RULE = "settled-reasoning"
ID_RULE = "id-without-its-reasoning"


def propose(settled: Settled, units: Sequence[Unit]) -> Proposal:
    """Take the reasoning out of ``units``, as far as the profile and each unit permit."""
    changes: list[Change] = []
    for unit in units:
        refusal = refuses(settled, unit)
        if refusal is not None:
            # Going on would take reasoning from the middle.
            kept = () if settled.profile.together else tuple(changes)
            return Proposal(changes=kept, refused=(refusal,))
        changes += strip_unit(settled, unit)
    return Proposal(changes=tuple(changes))


def refuses(settled: Settled, unit: Unit) -> Refusal | None:
    """What forbids to strip this unit; nothing does when it holds no reasoning."""
    if not settled.has(unit, PartKind.REASONING):
        return None

    def no(reason: str, detail: str) -> Refusal:
        return Refusal(op=NAME, reason=reason, detail=detail, start=unit.start, end=unit.end)

    if settled.profile.reasoning == "untouched":
        return no("profile", f"under {settled.profile.name} reasoning neither stays nor goes in part")
    owed = settled.profile.reasoning == "owed-with-calls"
    if owed and any(turn.calls for task in unit.tasks for turn in task.turns):
        return no("owed-with-calls", "its turns keep their calls, so they keep their reasoning")
    if any(_is_bound(settled, turn) for task in unit.tasks for turn in task.turns):
        return no("sibling-id-required", "an item issued with the reasoning cannot lose its id")
    return settled.refuses(NAME, unit)


def strip_unit(settled: Settled, unit: Unit) -> list[Change]:
    """The changes that strip one unit; empty when it holds no reasoning."""
    changes: list[Change] = []
    for task in unit.tasks:
        for turn in task.turns:
            changes += strip_turn(settled, turn)
    return changes


def strip_turn(settled: Settled, turn: Turn) -> list[Change]:
    """The reasoning of one turn, and the ids that go with it."""
    entries = _entries(settled, turn)
    found = [part for entry in entries for part in entry.parts if part.kind is PartKind.REASONING]
    if not found:
        return []
    changes: list[Change] = []
    for entry in entries:
        parts = [part for part in entry.parts if part.kind is PartKind.REASONING]
        changes += settled.without(entry, parts, op=NAME, rule=RULE)
        if not parts:
            changes += drop_id(settled, entry, op=NAME)
    return changes


def drop_id(settled: Settled, entry: Entry, *, op: str) -> list[Change]:
    """Remove the ``id`` of an item that was issued with reasoning."""
    if not settled.shape.facts.id_optional or "id" not in entry.raw:
        return []
    size = size_at(entry.raw, ("id",))
    return [Change(position=entry.pos, action=Action.REMOVE, path=("id",), op=op, rule=ID_RULE, kind="id", size=size)]


def _is_bound(settled: Settled, turn: Turn) -> bool:
    """Whether an item that needs its id was issued with reasoning that would go."""
    optional = settled.shape.facts.id_optional
    if not optional:
        return False
    entries = _entries(settled, turn)
    if not any(entry.has(PartKind.REASONING) for entry in entries):
        return False
    return any("id" in entry.raw and _type(entry) not in optional | {"reasoning"} for entry in entries)


def _type(entry: Entry) -> str:
    return str(entry.raw.get("type", "message"))


def _entries(settled: Settled, turn: Turn) -> list[Entry]:
    return [settled.entries[pos] for pos in turn.positions]
