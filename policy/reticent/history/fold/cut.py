"""Where a fold cuts: at the turn that issued the call of the Nth latest result, and never beyond the boundary.

A cut on the result itself would leave its call behind. A cut inside a unit would split a task. So the cut moves back to
the start of both, and more than N results may stay, never fewer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reticent.history.entries import Role
from reticent.history.exchanges import exchanges_in
from reticent.history.operations import marks

if TYPE_CHECKING:
    from reticent.history.settled import Settled
    from reticent.history.turns import Confidence
    from reticent.history.units import Unit

NAME = "fold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What would be folded: ``units``, the results in them, and those that stay; ``reason`` when there is nothing."""

    units: tuple[Unit, ...] = ()
    results: int = 0
    kept: int = 0
    reason: str = ""
    wanted: int = 0
    """Where the results alone would have put the cut."""


def find_cut(settled: Settled, keep: int) -> Cut:
    """The cut that leaves at least ``keep`` results."""
    places = _results(settled)
    if len(places) <= keep:
        return Cut(kept=len(places), reason="nothing-to-fold")
    wanted = places[-keep][1]
    report = settled.analysis.report
    units = tuple(unit for unit in settled.units if unit.end <= min(wanted, report.boundary))
    units = _sure(units, settled.least_for(NAME))
    results = sum(1 for position, _ in places if units and position < units[-1].end)
    kept = len(places) - results
    if results:
        return Cut(units=units, results=results, kept=kept, wanted=wanted)
    held = any(position < wanted and position >= report.boundary for position, _ in places)
    reason = ("live-reasoning" if report.live_reasoning else "live") if held else "nothing-to-fold"
    return Cut(kept=kept, reason=reason, wanted=wanted)


def _sure(units: tuple[Unit, ...], least: Confidence) -> tuple[Unit, ...]:
    """The units up to the first whose end is not sure enough."""
    for index, unit in enumerate(units):
        if unit.confidence < least:
            return units[:index]
    return units


def _results(settled: Settled) -> list[tuple[int, int]]:
    """Each result of a client's tool, by position, with where the assistant turn begins that asked for it."""
    analysis = settled.analysis
    found = exchanges_in(analysis.entries, analysis.shape, analysis.context)
    answered = [one for one in found if one.answered and one.tool != marks.TOOL]
    return sorted((one.position, _turn_start(settled, one.called)) for one in answered)


def _turn_start(settled: Settled, position: int) -> int:
    entries = settled.analysis.entries
    while position > 0 and entries[position - 1].role is Role.ASSISTANT:
        position -= 1
    return position
