"""Asks the engine again with one fact of a table changed; nothing about the outcome is guessed."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from reticent.compiler.answer import decisions_from, split_answer

if TYPE_CHECKING:
    from reticent.compiler.decision import Decision
    from reticent.compiler.engine import Engine
    from reticent.compiler.plan import Plan

SUPPOSED = "supposed"
"""The name of a condition that a table does not have, while it is tried out."""


@dataclass(frozen=True, slots=True)
class Change:
    """One fact to change: ``kind`` is drop-, cut-, bound-, add-, end- or show-something, as in ``drop-condition``.

    ``surface`` is the row it is made in, ``subject`` the condition, target or day, ``text`` a sentence for people.
    """

    kind: str
    surface: str
    subject: str
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the rules answer for one surface when ``changes`` are made together."""

    changes: tuple[Change, ...]
    decision: Decision


class WhatIf:
    """Tries changes on one table, for one surface."""

    def __init__(self, plan: Plan, engine: Engine, surface: str, day: date) -> None:
        """Keep what is asked about; ``day`` is the date it is asked for."""
        self._table, self._engine, self._surface = plan.table, engine, surface
        self._beside: dict[str, Any] = {"today": day.isoformat()}
        if plan.evidence is not None:
            self._beside["evidence"] = {**plan.evidence, "now": plan.moment}

    def ask(self, *changes: Change, signed: str | None = None) -> Outcome:
        """The decision with ``changes`` made, and the row signed with the verdict ``signed`` if given."""
        table = copy.deepcopy(dict(self._table))
        for change in changes:
            _make(table, change)
        if signed:
            table["surfaces"][self._surface]["verdict"] = signed
        plan, _ = split_answer(self._engine.decide({**table, **self._beside}))
        return Outcome(changes, decisions_from(table, plan)[self._surface])

    def flips(self, candidates: Iterator[Change], wanted: str) -> Iterator[Outcome]:
        """The candidates that alone bring the verdict to ``wanted``."""
        for change in candidates:
            outcome = self.ask(change, signed="pass")
            if outcome.decision.verdict == wanted:
                yield outcome


def losses(decision: Decision) -> Iterator[Change]:
    """Conditions that keep somebody out, as if they no longer held."""
    for condition in decision.conditions:
        if condition.keeps_out:
            text = f"if {condition.surface}.{condition.name} no longer held"
            yield Change("drop-condition", condition.surface, condition.name, text)


def leaks(plan: Plan, surface: str) -> Iterator[Change]:
    """New arrows from the surface: one to a person, one to a foreign system, one to a lasting store."""
    for kind in ("person", "system", "store"):
        places: Mapping[str, Any] = plan.table["places"]
        found = [
            name
            for name in sorted(places)
            if plan.kind_of(name) == kind and places[name].get("lifetime") in (None, "durable")
        ]
        if found:
            yield Change("add-flow", surface, found[0], f"if {surface} also flowed to {found[0]}")


def repairs(plan: Plan, decision: Decision) -> Iterator[Change]:
    """Conditions that could be shown, copies that one could bound, arrows that one could cut (the surface's first)."""
    rows: Mapping[str, Any] = plan.table["surfaces"]
    for condition in decision.conditions:
        if condition.lost:
            text = f"if evidence showed that {condition.surface}.{condition.name} holds"
            yield Change("show-condition", condition.surface, condition.name, text)
    own_first = sorted(decision.arrows, key=lambda arrow: (arrow[0] != decision.surface, arrow))
    for reader in decision.readers:
        if reader.kind == "store" and reader.place in rows:
            yield Change(
                "bound-copy", reader.place, "task", f"if a condition bounded what {reader.place} keeps to the task"
            )
    for source, target in own_first:
        if source in rows:
            yield Change("cut-flow", source, target, f"if a condition cut {source} → {target}")


def _make(table: dict[str, Any], change: Change) -> None:
    row = table["surfaces"][change.surface]
    conditions = row.setdefault("conditions", {})
    if change.kind == "drop-condition":
        del conditions[change.subject]
    elif change.kind == "show-condition":
        conditions[change.subject].pop("evidence")
    elif change.kind == "add-flow":
        row["flows"] = [*row["flows"], change.subject]
    elif change.kind == "bound-copy":
        conditions[f"{SUPPOSED}-{change.subject}"] = {"cuts": [], "bounds": change.subject}
    elif change.kind == "cut-flow":
        conditions[f"{SUPPOSED}-{change.subject}"] = {"cuts": [change.subject]}
