"""The ladder: which operations, on which units, in which order, until the target is met.

Cheapest first, and never wider than needed: each rung proposes on all units it may touch, oldest first, and the climb
stops once enough is freed. What a later rung does to a unit replaces what earlier ones proposed for it. Then come the
couplings a profile demands, and nothing is done at all when one of them cannot be met.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter as Tally
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reticent.history.changes import Action, Change, size_at, size_of
from reticent.history.entries import PartKind
from reticent.history.legality import Refusal, refused_by_profile
from reticent.history.operations import ADDRESSES, LADDER, RUNGS, strip

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reticent.history.settled import Proposal, Settled
    from reticent.history.units import Unit

LEAST_SHARE = 0.05
"""An operation that frees less than this share of the dominant kind of part is the wrong one."""


_REACH = {"reduce": 1, "drop": 2, "summarise": 3, "fold": 3}
"""Operations that put something else in a unit's place, by how much they take; the others trim and add up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """How much of the settled history stays as it is, at least; it never reaches into the live span.

    Each number is a floor and is rounded up to whole units, so that no call is parted from its result.
    """

    tasks: int = 0
    turns: int = 0
    entries: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One rung that was tried: the bytes it would free in all, and what it refused."""

    op: str
    rung: str
    gain: int
    used: bool

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {"op": self.op, "rung": self.rung, "gain_bytes": self.gain, "used": self.used}


@dataclass(slots=True)
class Draft:
    """What has been chosen so far: changes by unit index."""

    settled: Settled
    by_unit: dict[int, list[Change]] = field(default_factory=dict[int, list[Change]])
    steps: list[Step] = field(default_factory=list[Step])
    refused: list[Refusal] = field(default_factory=list[Refusal])
    pins: list[tuple[str, bytes]] = field(default_factory=list[tuple[str, bytes]])
    """Originals that are pinned before anything is handed out."""

    def changes(self) -> list[Change]:
        """All chosen changes, in order of position."""
        found = [change for changes in self.by_unit.values() for change in changes]
        return sorted(found, key=lambda change: change.position)

    @property
    def gain(self) -> int:
        """Bytes freed by what is chosen."""
        return gain_of(self.changes())


def kept_from(settled: Settled, floor: Floor) -> int:
    """The first settled entry that ``floor`` protects."""
    boundary = settled.analysis.report.boundary
    units = settled.units
    kept = len(units)
    counts = {"tasks": 0, "turns": 0, "entries": 0}
    while kept > 0 and _short(counts, floor):
        unit = units[kept - 1]
        kept -= 1
        counts["tasks"] += len(unit.tasks)
        counts["turns"] += sum(len(task.turns) for task in unit.tasks)
        counts["entries"] += unit.end - unit.start
    return units[kept].start if kept < len(units) else boundary


def _short(counts: dict[str, int], floor: Floor) -> bool:
    return counts["tasks"] < floor.tasks or counts["turns"] < floor.turns or counts["entries"] < floor.entries


def climb(settled: Settled, *, ops: Sequence[str], floor: Floor, need: int | None) -> Draft:
    """Choose changes that free ``need`` bytes; None takes every unit down to its opener and answer, or strips it."""
    draft = Draft(settled)
    start = kept_from(settled, floor)
    units = [unit for unit in settled.units if unit.end <= start]
    for op in ops:
        if need is not None and draft.gain >= need:
            break
        _try(draft, op, units, need)
    couple(draft)
    return draft


def _try(draft: Draft, op: str, units: Sequence[Unit], need: int | None) -> None:
    settled = draft.settled
    refusal = refused_by_profile(op, settled.profile, settled.analysis.report)
    if refusal is not None or not units:
        draft.refused += [refusal] if refusal is not None else []
        return
    proposal = LADDER[op](settled, units)
    draft.refused += proposal.refused
    useful = need is None or _is_useful(settled, op, units, proposal)
    if proposal.changes and not useful:
        detail = "it hardly touches what fills the window"
        draft.refused.append(Refusal(op=op, reason="gain-too-small", detail=detail, end=units[-1].end))
    used = bool(proposal.changes) and useful
    draft.steps.append(Step(op=op, rung=RUNGS[op], gain=proposal.gain, used=used))
    if used:
        take(draft, proposal)


def _is_useful(settled: Settled, op: str, units: Sequence[Unit], proposal: Proposal) -> bool:
    weights = breakdown(settled, units)
    if not weights:
        return False
    kind, weight = max(weights.items(), key=lambda item: item[1])
    return kind in ADDRESSES[op] and proposal.gain >= LEAST_SHARE * weight


def breakdown(settled: Settled, units: Iterable[Unit]) -> dict[str, int]:
    """Bytes by kind of part, over ``units``: what fills the window."""
    tally: Tally[str] = Tally()
    for unit in units:
        for entry in settled.of(unit):
            for part in entry.parts:
                tally[part.kind.value] += size_at(entry.raw, part.path)
    return dict(tally)


def take(draft: Draft, proposal: Proposal) -> None:
    """Add a proposal; on each unit, what replaces the whole unit supersedes what only trimmed it."""
    draft.pins += proposal.pins
    fresh: dict[int, list[Change]] = {}
    starts = [unit.start for unit in draft.settled.units]
    for change in proposal.changes:
        fresh.setdefault(_unit_of(starts, change), []).append(change)
    for index, changes in fresh.items():
        draft.by_unit[index] = _merged(draft.by_unit.get(index, []), changes)


def _merged(old: list[Change], new: list[Change]) -> list[Change]:
    """Changes of one unit: what takes more of it wins, and trims add up."""
    if not old or _reach(new) > _reach(old):
        return new
    if _reach(old) > _reach(new) or _reach(new) > 0:
        return old
    places = {(change.position, change.path) for change in new}
    return [change for change in old if (change.position, change.path) not in places] + new


def _reach(changes: list[Change]) -> int:
    """How much of a unit its changes take: trims leave all entries, a summary leaves none."""
    return max((_REACH.get(change.op, 0) for change in changes), default=0)


def _unit_of(starts: list[int], change: Change) -> int:
    return bisect_right(starts, change.position) - 1


def couple(draft: Draft) -> None:
    """Strip along what must go along: everything settled, or all that is older than what went."""
    settled = draft.settled
    touched = sorted(index for index, changes in draft.by_unit.items() if changes)
    losing = [index for index in touched if any(_takes_reasoning(settled, c) for c in draft.by_unit[index])]
    if not touched or (not losing and not settled.profile.coupled):
        return
    last = len(settled.units) if settled.profile.together else losing[-1]
    for index, unit in enumerate(settled.units[: last + 1]):
        if index in losing or not settled.has(unit, PartKind.REASONING):
            continue
        refusal = strip.refuses(settled, unit)
        if refusal is None:
            draft.by_unit[index] = _merged(draft.by_unit.get(index, []), strip.strip_unit(settled, unit))
        elif settled.profile.reasoning != "owed-with-calls":
            draft.refused.append(refusal)
            draft.by_unit.clear()
            return


def _takes_reasoning(settled: Settled, change: Change) -> bool:
    if change.action is Action.DROP:
        return settled.entries[change.position].has(PartKind.REASONING)
    return change.kind == PartKind.REASONING.value


def gain_of(changes: Iterable[Change]) -> int:
    """Bytes that ``changes`` free, less what they put in."""
    return sum(change.size - (size_of(change.value) if change.value is not None else 0) for change in changes)
