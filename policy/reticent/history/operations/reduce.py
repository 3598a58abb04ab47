"""Reduce: a settled unit becomes what was asked and what was answered.

No call, no result and no reasoning is left, so no provider is owed anything: this is what makes it safe to erase a
finished task's stored reasoning. The user's words stay verbatim; what was said along the way becomes further parts of
the opening entry. An answer that was cut off and continued is kept with its continuation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reticent.history.changes import Action, Change, size_of
from reticent.history.entries import Entry, Part, PartKind, Role, StopClass
from reticent.history.legality import Refusal
from reticent.history.operations.strip import drop_id
from reticent.history.settled import Proposal, Settled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reticent.history.turns import Task, Turn
    from reticent.history.units import Unit

NAME = "reduce"
RUNG = "drop"
ADDRESSES = frozenset({"call", "result", "reasoning", "text"})
RULE = "settled-unit-reduced"

_MOVABLE_CONTROL = frozenset({"cachePoint", "fallback", "container_upload"})
"""Control parts that put nothing in force for later turns."""

_WORK = frozenset({PartKind.REASONING, PartKind.CALL, PartKind.RESULT})


def propose(settled: Settled, units: Sequence[Unit]) -> Proposal:
    """Reduce each unit that permits it; under a profile that takes all or nothing, all of them or none."""
    changes: list[Change] = []
    refused: list[Refusal] = []
    for unit in units:
        found = reduce_unit(settled, unit)
        refusal = refuses(settled, unit) if found else None
        if refusal is None:
            changes += found
        else:
            refused.append(refusal)
    whole = settled.profile.at_rest == "reduce-only"
    if whole and (refused or len(units) < len(settled.units)):
        no = Refusal(op=NAME, reason="profile", detail=f"{settled.profile.name} takes everything settled, or nothing")
        return Proposal(refused=(*refused, no))
    return Proposal(changes=tuple(changes), refused=tuple(refused))


def refuses(settled: Settled, unit: Unit) -> Refusal | None:
    """What forbids to reduce this unit."""

    def no(reason: str, detail: str) -> Refusal:
        return Refusal(op=NAME, reason=reason, detail=detail, start=unit.start, end=unit.end)

    if settled.has(unit, PartKind.CHECKPOINT):
        return no("checkpoint-in-unit", "a provider's checkpoint stays where it is, byte for byte")
    if any(_binds(part) for entry in _closing(settled, unit) for part in entry.parts):
        return no("control-in-unit", "a part of it changes tools or instructions for what follows")
    alternates = settled.shape.facts.alternates
    if alternates and (len(unit.tasks) > 1 or any(_answer(settled, task) is None for task in unit.tasks)):
        return no("roles-alternate", "without an answer of its own, two user entries would meet")
    return settled.refuses(NAME, unit)


def _closing(settled: Settled, unit: Unit) -> list[Entry]:
    """Entries of a unit that do not stay as they are: all but those it opens with."""
    openers = {pos for task in unit.tasks for pos in _openers(settled, task)}
    return [entry for entry in settled.of(unit) if entry.pos not in openers]


def _binds(part: Part) -> bool:
    return part.kind is PartKind.CONTROL and part.name not in _MOVABLE_CONTROL


def reduce_unit(settled: Settled, unit: Unit) -> list[Change]:
    """The changes that reduce one unit; empty when it is reduced already."""
    return [change for task in unit.tasks for change in _reduce_task(settled, task)]


def _reduce_task(settled: Settled, task: Task) -> list[Change]:
    kept = _kept_turns(settled, task)
    pair = _terminal_pair(settled, task)
    answers = {pos for turn in kept for pos in turn.positions}
    openers = _openers(settled, task)
    between = _between(kept)
    changes: list[Change] = []
    moved: list[Any] = []
    for pos in task.positions:
        entry = settled.entries[pos]
        if pos in openers or pos in pair or (pos in between and _speaks(entry)):
            continue
        if pos in answers:
            changes += _answered(settled, entry, kept)
            continue
        moved += _words(settled, entry) if openers else []
        if not openers and _speaks(entry):
            continue
        changes.append(settled.dropped(entry, op=NAME, rule=RULE, kind=_kinds(entry)))
    changes += _pair_changes(settled, task, pair)
    if moved:
        changes.append(_gathered(settled, settled.entries[openers[-1]], moved))
    return changes


def _openers(settled: Settled, task: Task) -> list[int]:
    """The user entries the task begins with."""
    found: list[int] = []
    for pos in task.positions:
        if not _speaks(settled.entries[pos]):
            break
        found.append(pos)
    return found


def _speaks(entry: Entry) -> bool:
    """Whether a person speaks here, and nothing else does."""
    return entry.role is Role.USER and not (entry.nudge or entry.text_output or entry.has(PartKind.RESULT))


def _answer(settled: Settled, task: Task) -> Turn | None:
    """The turn that holds the answer: the settling one, or the last that shows anything."""
    del settled
    return next((turn for turn in reversed(task.turns) if turn.visible), None)


def _kept_turns(settled: Settled, task: Task) -> list[Turn]:
    """The answer, with the cut-off turns that it continues."""
    answer = _answer(settled, task)
    if answer is None:
        return []
    kept = [answer]
    for turn in reversed(task.turns[: task.turns.index(answer)]):
        middle = [settled.entries[pos] for pos in task.positions if turn.last < pos < kept[0].first]
        continued = turn.stop is StopClass.CONTINUE and turn.visible and not any(not call.server for call in turn.calls)
        if not continued or not all(_speaks(entry) for entry in middle):
            break
        kept.insert(0, turn)
    return kept


def _between(kept: list[Turn]) -> range:
    return range(kept[0].first, kept[-1].last) if kept else range(0)


def _terminal_pair(settled: Settled, task: Task) -> set[int]:
    """An answer that is a terminal tool's call is kept with its result."""
    tools = settled.analysis.context.terminal_tools
    if not task.turns or not any(call.part.name in tools for call in task.turns[-1].calls):
        return set()
    turn = task.turns[-1]
    return {*turn.positions, *(call.closed for call in turn.calls if not call.abandoned)}


def _pair_changes(settled: Settled, task: Task, pair: set[int]) -> list[Change]:
    """The kept pair loses its reasoning, unless its provider asks for it with the call."""
    if not pair or settled.profile.reasoning == "owed-with-calls":
        return []
    entries = [settled.entries[pos] for pos in task.turns[-1].positions]
    reasoned = any(entry.has(PartKind.REASONING) for entry in entries)
    changes: list[Change] = []
    for entry in entries:
        parts = [part for part in entry.parts if part.kind is PartKind.REASONING]
        changes += settled.without(entry, parts, op=NAME, rule=RULE)
        changes += drop_id(settled, entry, op=NAME) if reasoned and not parts else []
    return changes


def _answered(settled: Settled, entry: Entry, kept: list[Turn]) -> list[Change]:
    parts = [part for part in entry.parts if part.kind in _WORK]
    changes = settled.without(entry, parts, op=NAME, rule=RULE)
    turn = next(turn for turn in kept if entry.pos in turn.positions)
    reasoned = any(settled.entries[pos].has(PartKind.REASONING) for pos in turn.positions)
    gone = any(change.action is Action.DROP for change in changes)
    return changes + (drop_id(settled, entry, op=NAME) if reasoned and not gone else [])


def _words(settled: Settled, entry: Entry) -> list[Any]:
    """What a person put into an entry that goes: text, files and what nobody has listed."""
    if entry.role is not Role.USER or entry.nudge or entry.text_output:
        return []
    gone = {PartKind.RESULT, PartKind.CONTROL}
    parts = [p for p in entry.parts if (p.kind not in gone or p.name == "container_upload") and not p.blank]
    return settled.shape.moved(entry.raw, parts) if parts else []


def _gathered(settled: Settled, opener: Entry, moved: list[Any]) -> Change:
    path = (settled.shape.content,)
    value = settled.shape.extended(opener.raw, moved)
    return Change(
        position=opener.pos,
        action=Action.REPLACE,
        path=path,
        op=NAME,
        rule="steering-gathered",
        kind="text",
        size=size_of(opener.raw[settled.shape.content]),
        value=value,
    )


def _kinds(entry: Entry) -> str:
    return "+".join(sorted({part.kind.value for part in entry.parts})) or "empty"
