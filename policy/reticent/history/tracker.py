"""The boundary of a history that grows: what has settled is not looked at again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reticent.history.anomalies import Anomaly
from reticent.history.boundary import Search
from reticent.history.entries import Context, Entry, PartKind, Role
from reticent.history.report import BoundaryReport, Failed, Span
from reticent.history.shapes import looks_like_reasoning, shape_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reticent.history.boundary import Analysis
    from reticent.history.turns import Confidence


class Tracker:
    """Feeds on new entries and reports as :func:`boundary_report` would on all of them.

    The cost of a report is that of the live span. Whatever may take settled work back (another registry, an id that is
    used again, an order that proves wrong, a checkpoint) makes it look at everything once more.
    """

    def __init__(self, dialect: str, *, context: Context | None = None) -> None:
        self._shape = shape_of(dialect)
        self._context = context or Context()
        self._entries: list[Entry] = []
        self._highest = 0
        self._forget()

    def _forget(self) -> None:
        self._base = 0
        self._units: list[tuple[Span, Confidence, bool]] = []
        self._spans: tuple[Span, ...] = ()
        self._ids: set[str] = set()
        self._unknown: set[str] = set()
        self._whole = bool(self._context.abandoned) or self._context.concurrency > 1 or not self._context.ordered

    def append(self, values: Iterable[Any]) -> None:
        """Take entries that were added to the end of the history."""
        for value in values:
            entry = self._shape.read(len(self._entries), value, self._context)
            last = self._entries[-1] if self._entries else None
            self._entries.append(entry)
            self._whole = self._whole or self._needs_all(entry, last)

    def update(self, context: Context) -> None:
        """Replace what the harness knows, such as the states of tasks."""
        raws = [entry.raw for entry in self._entries]
        self._context, self._entries = context, []
        self._forget()
        self.append(raws)

    def report(self) -> BoundaryReport:
        """The boundary now. ``reopened`` says that an earlier report had put it further on."""
        if self._base and not self._whole and not self._opens_well():
            self._whole = True
        report = self._of_all() if self._whole else self._of_rest()
        self._highest = max(self._highest, report.boundary)
        return replace(report, reopened=True) if report.boundary < self._highest else report

    def _needs_all(self, entry: Entry, last: Entry | None) -> bool:
        if entry.has(PartKind.CHECKPOINT) or entry.has(PartKind.OPAQUE) or entry.task_id in self._ids:
            return True
        if last is None:
            return False
        return (last.seq is None) != (entry.seq is None) or (
            last.seq is not None and entry.seq is not None and last.seq >= entry.seq
        )

    def _opens_well(self) -> bool:
        """Whether what follows the settled part is a request: then nothing before it matters any more."""
        rest = [entry for entry in self._entries[self._base :] if entry.role is not Role.SYSTEM]
        plain = next((entry for entry in rest if entry.task_id is None), None)
        return all(entry is None or _is_request(entry) for entry in (plain, rest[0] if rest else None))

    def _of_all(self) -> BoundaryReport:
        return Search(self._shape, self._context).run(self._entries).report

    def _of_rest(self) -> BoundaryReport:
        base = self._base
        rest = [entry._replace(pos=entry.pos - base) for entry in self._entries[base:]]
        analysis = Search(self._shape, self._context).run(rest)
        report = _shifted(analysis.report, base)
        self._settle(analysis, report)
        self._unknown |= set(report.unknown)
        return replace(
            report,
            length=len(self._entries),
            confidence=report.confidence if report.boundary > base or not base else self._units[-1][0].confidence,
            units=self._spans,
            unknown=tuple(sorted(self._unknown)),
            lookalikes=_lookalikes(self._unknown),
        )

    def _settle(self, analysis: Analysis, report: BoundaryReport) -> None:
        """Move the base up to the boundary and remember the units before it."""
        for unit, span in zip(analysis.units, report.units, strict=True):
            plain = all(task.task_id is None for task in unit.tasks)
            self._ids |= {task.task_id for task in unit.tasks if task.task_id is not None}
            if plain:
                self._raise(unit.confidence)
            self._units.append((span, unit.confidence, plain))
        if report.units:
            self._spans = tuple(span for span, _, _ in self._units)
        self._base = report.boundary

    def _raise(self, confidence: Confidence) -> None:
        """What stands before a surer end is as sure."""
        for index in range(len(self._units) - 1, -1, -1):
            span, own, plain = self._units[index]
            if plain and own >= confidence:
                return
            if plain:
                self._units[index] = (replace(span, confidence=confidence.word), confidence, True)


def _is_request(entry: Entry) -> bool:
    return entry.role is Role.USER and not (entry.nudge or entry.text_output or entry.has(PartKind.RESULT))


def _lookalikes(names: set[str]) -> tuple[str, ...]:
    return tuple(sorted(name for name in names if looks_like_reasoning(name)))


def _shifted(report: BoundaryReport, base: int) -> BoundaryReport:
    """A report on the rest of a history, in positions of the whole."""
    cut = report.next_cut
    return replace(
        report,
        boundary=report.boundary + base,
        editable=report.editable + base if report.editable == report.boundary else 0,
        anomalies=tuple(Anomaly(a.limit + base, a.pos + base, a.code) for a in report.anomalies),
        obligations=tuple((kind, pos + base) for kind, pos in report.obligations),
        sparse=tuple(pos + base for pos in report.sparse),
        units=tuple(Span(unit.start + base, unit.end + base, unit.confidence) for unit in report.units),
        checkpoints=tuple(pos + base for pos in report.checkpoints),
        next_cut=None if cut is None else Failed(cut.cut + base, cut.reason),
    )
