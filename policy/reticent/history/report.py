"""What the boundary search found, as one value: for the compactor, the strategy checker, the task store and people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reticent.history.anomalies import MEANING, Anomaly, AnomalyCode


@dataclass(frozen=True, slots=True)
class Span:
    """Settled entries ``start`` to ``end`` (exclusive) that only go or stay together, and how sure their end is."""

    start: int
    end: int
    confidence: str

    def to_json(self) -> dict[str, Any]:
        """Positions and confidence."""
        return {"start": self.start, "end": self.end, "confidence": self.confidence}


@dataclass(frozen=True, slots=True)
class Failed:
    """The next place above the boundary where a task might have ended, and why it did not."""

    cut: int
    reason: str

    def to_json(self) -> dict[str, Any]:
        """Position and reason."""
        return {"cut": self.cut, "reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryReport:
    """Where settled history ends and live work begins. Entries before ``boundary`` are settled.

    ``editable`` is the boundary for operations: 0 where an item cannot be looked into or the server holds the state.
    Counts are of entries unless a name says otherwise. Nothing here is content: positions, ids, type names.
    """

    dialect: str
    length: int
    boundary: int
    editable: int
    confidence: str
    at_rest: bool
    live_reasoning: bool
    steered_reasoning: bool
    """Live reasoning stands before the latest user text; some providers count it with that of earlier turns."""
    anomalies: tuple[Anomaly, ...]
    open: tuple[str, ...]
    obligations: tuple[tuple[str, int], ...]
    """Kind and position of what holds the live span: ``call``, ``server``, ``interim``, ``turn``, ``reasoning``."""
    live_tasks: tuple[str, ...]
    live_steps: int
    """Assistant turns with calls behind the boundary."""
    sparse: tuple[int, ...]
    """Entries behind the boundary whose task the registry has ended."""
    units: tuple[Span, ...]
    checkpoints: tuple[int, ...]
    unknown: tuple[str, ...]
    """Types that no table lists; carried, and worth a look."""
    lookalikes: tuple[str, ...]
    """Those of them whose name suggests reasoning."""
    next_cut: Failed | None
    reopened: bool = False
    """The boundary stands before an earlier report's: the registry, an id or an entry took work back."""

    @property
    def live(self) -> int:
        """Entries that no operation may touch."""
        return self.length - self.boundary

    def to_json(self) -> dict[str, Any]:
        """A JSON object, ready for a program or a log: no content in it."""
        return {
            "dialect": self.dialect,
            "length": self.length,
            "boundary": self.boundary,
            "editable": self.editable,
            "confidence": self.confidence,
            "at_rest": self.at_rest,
            "live": {"entries": self.live, "steps": self.live_steps, "reasoning": self.live_reasoning},
            "anomalies": [anomaly.to_json() for anomaly in self.anomalies],
            "open": list(self.open),
            "obligations": [{"kind": kind, "position": pos} for kind, pos in self.obligations],
            "live_tasks": list(self.live_tasks),
            "sparse": list(self.sparse),
            "units": [unit.to_json() for unit in self.units],
            "checkpoints": list(self.checkpoints),
            "unknown": list(self.unknown),
            "lookalikes": list(self.lookalikes),
            "next_cut": None if self.next_cut is None else self.next_cut.to_json(),
            "reopened": self.reopened,
        }

    def render(self) -> str:
        """The report for a person: where, how sure, and why not further."""
        return "\n".join(_lines(self))


def _lines(report: BoundaryReport) -> list[str]:
    units = len(report.units)
    lines = [
        f"{report.length} entries, {report.dialect}",
        f"settled: {report.boundary} in {units} unit{'' if units == 1 else 's'}, confidence {report.confidence}",
        f"live:    {report.live} in {report.live_steps} step{'' if report.live_steps == 1 else 's'}"
        + ("; at rest" if report.at_rest else ""),
    ]
    if report.next_cut is not None:
        lines.append(f"why not {report.next_cut.cut}: {report.next_cut.reason}")
    lines += _anomaly_lines(report.anomalies)
    if report.open:
        more = f" and {len(report.open) - _SHOWN} more" if len(report.open) > _SHOWN else ""
        lines.append(f"open calls: {', '.join(report.open[:_SHOWN])}{more}")
    if report.editable < report.boundary and not any(a.code is AnomalyCode.OPAQUE for a in report.anomalies):
        lines.append("the server holds the history: nothing may be edited here")
    if report.unknown:
        lines.append(f"unlisted types, carried: {', '.join(report.unknown)}")
    if report.reopened:
        lines.append("REOPENED: an earlier report had put the boundary further on")
    return lines


_SHOWN = 8


def _anomaly_lines(anomalies: tuple[Anomaly, ...]) -> list[str]:
    """One line for each kind; the first of it, and how many there are."""
    first: dict[AnomalyCode, Anomaly] = {}
    counts: dict[AnomalyCode, int] = {}
    for anomaly in anomalies:
        first.setdefault(anomaly.code, anomaly)
        counts[anomaly.code] = counts.get(anomaly.code, 0) + 1
    return [
        f"{code.value} at {found.pos}: {MEANING[code]}; live from {found.limit}"
        + (f" ({counts[code]} times)" if counts[code] > 1 else "")
        for code, found in first.items()
    ]
