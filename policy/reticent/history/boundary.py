"""Where the live task begins.

Entries before the boundary belong to tasks that have settled; the others are live, and no operation may touch them.
The boundary is the largest cut behind a settling turn that crosses no obligation and splits no task. Whatever is
ambiguous is live. One pass to pair calls, one to form tasks, one to search: linear in the entries.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from reticent.history.anomalies import Anomaly, AnomalyCode
from reticent.history.cuts import Cuts
from reticent.history.entries import Context, Entry, Part, PartKind, Role, StopClass
from reticent.history.lanes import Lane
from reticent.history.pairing import FOREVER, Pairing
from reticent.history.report import BoundaryReport, Span
from reticent.history.shapes import Shape, looks_like_reasoning, recognise, shape_of
from reticent.history.shapes import value_at as part_value
from reticent.history.units import Unit, units_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reticent.history.turns import Task

_NAME = re.compile(r"^[\w.:/-]{1,64}$")
_LABEL = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The report together with what it was made from; operations read this, callers read the report."""

    report: BoundaryReport
    shape: Shape
    context: Context
    entries: Sequence[Entry]
    units: tuple[Unit, ...]
    """The settled entries as spans that only go or stay together, in order."""


def boundary_report(
    history: Sequence[Any],
    *,
    dialect: str | None = None,
    context: Context | None = None,
    previous: BoundaryReport | None = None,
) -> BoundaryReport:
    """Find the boundary of ``history``, a list of messages or items as the provider's API has them.

    ``dialect`` is recognised when it is not given. ``context`` says what only the harness knows (task states, stop
    conventions); without it the transcript speaks for itself. With ``previous``, a report on a shorter history, the new
    one says when work was taken back (``reopened``).

    Raises:
        UnsupportedType: an entry is no object.
        UnknownDialect: no such dialect.
    """
    report = analyse(history, dialect=dialect, context=context).report
    if previous is not None and report.boundary < previous.boundary:
        return replace(report, reopened=True)
    return report


def analyse(history: Sequence[Any], *, dialect: str | None = None, context: Context | None = None) -> Analysis:
    """The boundary with everything it was found from."""
    shape = shape_of(dialect or recognise(history))
    known = context or Context()
    entries = [shape.read(pos, value, known) for pos, value in enumerate(history)]
    return Search(shape, known).run(entries)


class Search:
    """One search over entries in normal form."""

    def __init__(self, shape: Shape, context: Context) -> None:
        self.shape = shape
        self.context = context

    def run(self, entries: Sequence[Entry]) -> Analysis:
        """Pair, group, and take the highest admissible cut."""
        pairing = Pairing(self.context)
        pairing.feed(entries)
        lanes = self._lanes(entries, pairing)
        tasks = [task for lane in lanes for task in lane.tasks]
        anomalies = sorted(
            {
                *pairing.anomalies,
                *(anomaly for lane in lanes for anomaly in lane.anomalies),
                *self._order(entries),
                *self._structure(entries),
            }
        )
        cuts = Cuts(len(entries), tasks, pairing, anomalies)
        boundary = cuts.highest()
        settled = tuple(sorted((t for t in tasks if t.last < boundary), key=lambda task: task.first))
        report = self._report(entries, tasks, pairing, anomalies, cuts, boundary)
        units = units_of(settled)
        report = replace(report, units=tuple(Span(unit.start, unit.end, unit.confidence.word) for unit in units))
        return Analysis(report=report, shape=self.shape, context=self.context, entries=entries, units=units)

    def _lanes(self, entries: Sequence[Entry], pairing: Pairing) -> list[Lane]:
        lanes: dict[str | None, Lane] = {}
        for entry in entries:
            if entry.role is Role.SYSTEM and entry.task_id is None:
                if None in lanes:
                    lanes[None].control()
                continue
            lane = lanes.get(entry.task_id)
            if lane is None:
                lane = lanes[entry.task_id] = Lane(entry.task_id, self.context, self.shape.facts, pairing)
            lane.feed(entry)
        for lane in lanes.values():
            lane.close()
        return list(lanes.values())

    def _order(self, entries: Sequence[Entry]) -> list[Anomaly]:
        """Doubts about the order of the entries; each leaves nothing settled."""
        found: list[Anomaly] = []
        if not self.context.ordered:
            found.append(Anomaly(0, 0, AnomalyCode.ORDER_UNTRUSTED))
        numbers = [entry.seq for entry in entries]
        given = [number for number in numbers if number is not None]
        if given and (len(given) < len(numbers) or any(a >= b for a, b in pairwise(given))):
            found.append(Anomaly(0, 0, AnomalyCode.ORDER_NOT_MONOTONE))
        if self.context.concurrency > 1:
            missing = (e.pos for e in entries if e.task_id is None and e.role is not Role.SYSTEM)
            found += [Anomaly(0, pos, AnomalyCode.TASK_ID_MISSING) for pos in list(missing)[:1]]
        return found

    def _structure(self, entries: Sequence[Entry]) -> list[Anomaly]:
        found = [Anomaly(entry.pos, entry.pos, AnomalyCode.UNKNOWN_ROLE) for entry in entries if _is_strange(entry)]
        first = next((entry for entry in entries if entry.role is not Role.SYSTEM), None)
        if first is not None and first.role is Role.ASSISTANT and self.shape.facts.user_first:
            opens = first.has(PartKind.CHECKPOINT)
            found += [] if opens else [Anomaly(first.pos, first.pos, AnomalyCode.ROLE_GAP)]
        found += [Anomaly(0, entry.pos, AnomalyCode.OPAQUE) for entry in entries if entry.has(PartKind.OPAQUE)][:1]
        return found + self._checkpoints(entries, first)

    def _checkpoints(self, entries: Sequence[Entry], first: Entry | None) -> list[Anomaly]:
        found: list[Anomaly] = []
        seen = 0
        for entry in entries:
            for index, part in enumerate(entry.parts):
                if part.kind is not PartKind.CHECKPOINT:
                    continue
                seen += 1
                stray = part.signed and (seen > 1 or index > 0 or entry is not first)
                if stray:
                    found.append(Anomaly(0, entry.pos, AnomalyCode.STRAY_CHECKPOINT))
                if self._is_foreign(entry, part):
                    found.append(Anomaly(0, entry.pos, AnomalyCode.FOREIGN_CHECKPOINT))
        return found

    def _is_foreign(self, entry: Entry, part: Part) -> bool:
        known = self.context.checkpoints
        return known is not None and checkpoint_digest(part_value(entry.raw, part.path)) not in known

    def _report(
        self,
        entries: Sequence[Entry],
        tasks: list[Task],
        pairing: Pairing,
        anomalies: list[Anomaly],
        cuts: Cuts,
        boundary: int,
    ) -> BoundaryReport:
        live = entries[boundary:]
        closed_off = self.context.server_state or any(a.code is AnomalyCode.OPAQUE for a in anomalies)
        unknown = _unknown(entries)
        return BoundaryReport(
            dialect=self.shape.name,
            length=len(entries),
            boundary=boundary,
            editable=0 if closed_off else boundary,
            confidence=cuts.confidence(boundary).word,
            at_rest=not any(entry.role is Role.ASSISTANT or entry.has(PartKind.RESULT) for entry in live),
            live_reasoning=any(entry.has(PartKind.REASONING) for entry in live),
            steered_reasoning=_is_steered(live),
            anomalies=tuple(anomalies),
            open=tuple(call.label[:_LABEL] for call in pairing.open()),
            obligations=tuple(_obligations(pairing, tasks)),
            live_tasks=tuple(task.task_id[:_LABEL] for task in tasks if task.end is None and task.task_id is not None),
            live_steps=sum(1 for task in tasks for turn in task.turns if turn.first >= boundary and turn.calls),
            sparse=tuple(_sparse(tasks, boundary, self.context, anomalies)),
            units=(),
            checkpoints=tuple(entry.pos for entry in entries if entry.has(PartKind.CHECKPOINT)),
            unknown=unknown,
            lookalikes=tuple(name for name in unknown if looks_like_reasoning(name)),
            next_cut=cuts.next_above(boundary),
        )


def checkpoint_digest(value: Any) -> str:
    """The digest by which a caller remembers a checkpoint that the provider issued in this conversation."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _is_strange(entry: Entry) -> bool:
    return entry.role is Role.UNKNOWN


def _is_steered(live: Sequence[Entry]) -> bool:
    """Whether user text stands behind reasoning in the live span."""
    seen = False
    for entry in live:
        speaks = entry.role is Role.USER and any(part.kind is not PartKind.RESULT for part in entry.parts)
        if speaks and seen:
            return True
        seen = seen or entry.has(PartKind.REASONING)
    return False


def _obligations(pairing: Pairing, tasks: list[Task]) -> Iterable[tuple[str, int]]:
    found = {("server" if call.server else "call", call.pos) for call in pairing.open()}
    found |= {("interim", call.pos) for call in pairing.open() if call.interim}
    for task in tasks:
        if task.end is None and task.turns:
            found |= _turn_obligations(task)
    return sorted(found, key=lambda item: (item[1], item[0]))


def _turn_obligations(task: Task) -> set[tuple[str, int]]:
    last = task.turns[-1]
    waits = last.stop in {StopClass.CONTINUE, StopClass.UNSURE}
    held = {("reasoning", turn.first) for turn in task.turns if turn.calls}
    return held | ({("turn", last.first)} if waits else set())


def _sparse(tasks: list[Task], boundary: int, context: Context, anomalies: list[Anomaly]) -> list[int]:
    limit = min((anomaly.limit for anomaly in anomalies), default=FOREVER)
    ended = [task for task in tasks if task.end is not None and context.state_of(task.task_id) == "terminal"]
    found = (pos for task in ended if task.task_id is not None for pos in task.positions)
    return sorted(pos for pos in found if boundary <= pos < limit)


def _unknown(entries: Sequence[Entry]) -> tuple[str, ...]:
    names = {part.name or "?" for entry in entries for part in entry.parts if part.kind is PartKind.UNKNOWN}
    # A type name is chosen by whoever wrote the message; only what looks like a name is repeated.
    return tuple(sorted({name if _NAME.match(name) else "?" for name in names}))
