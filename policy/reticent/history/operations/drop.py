"""Drop: whole settled units go. The unit that states the goal never does; standing text of the harness stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reticent.history.legality import Refusal
from reticent.history.operations.reduce import refuses as refuses_reduce
from reticent.history.settled import Proposal, Settled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reticent.history.changes import Change
    from reticent.history.units import Unit

NAME = "drop"
RUNG = "drop"
ADDRESSES = frozenset({"call", "result", "reasoning", "text"})
RULE = "settled-unit-dropped"


def propose(settled: Settled, units: Sequence[Unit]) -> Proposal:
    """Drop each unit but the first; what only it states would be lost, so callers ask for this by name."""
    changes: list[Change] = []
    refused: list[Refusal] = []
    for unit in units:
        refusal = _refuses(settled, unit)
        if refusal is not None:
            refused.append(refusal)
            continue
        changes += [settled.dropped(entry, op=NAME, rule=RULE, kind="unit") for entry in settled.of(unit)]
    return Proposal(changes=tuple(changes), refused=tuple(refused))


def _refuses(settled: Settled, unit: Unit) -> Refusal | None:
    if unit is settled.units[0]:
        detail = "the first unit states the goal"
        return Refusal(op=NAME, reason="goal", detail=detail, start=unit.start, end=unit.end)
    blocked = refuses_reduce(settled, unit)
    if blocked is not None and blocked.reason in {"checkpoint-in-unit", "control-in-unit"}:
        return Refusal(op=NAME, reason=blocked.reason, detail=blocked.detail, start=unit.start, end=unit.end)
    return settled.refuses(NAME, unit)
