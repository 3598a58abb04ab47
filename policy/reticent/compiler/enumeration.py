"""The whole space of a table: every surface and class, with every set of conditions held or lost.

Each verdict of the rules is held against a second proof, written down here in another way: a walk along the arrows that
are left. It decides nothing, and is used for nothing but this review. What passes by a signed exception is counted
apart: somebody signed it against the answer. Text that was derived from reasoning is carried by default, and is no
part of the proof.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reticent.compiler.answer import decisions_from, split_answer
from reticent.compiler.decision import CLASSES, ContentClass, Decision, Verdict
from reticent.errors import ConfigurationError, TableError

if TYPE_CHECKING:
    from reticent.compiler.engine import Engine

Name = tuple[str, str]
"""A condition: its surface and its own name."""

_BRIEF = ("request", "task")
_REASONING: tuple[ContentClass, ...] = ("text", "summary", "opaque")


@dataclass(frozen=True, slots=True)
class Cell:
    """The verdicts for one surface while some conditions are lost; ``readers`` are those in reach by the second proof.

    ``leak`` is true when a class of reasoning passes, with readers in reach, and no exception signs for it.
    """

    surface: str
    lost: tuple[str, ...]
    classes: Mapping[ContentClass, Verdict]
    readers: tuple[str, ...]
    excepted: tuple[str, ...]
    leak: bool


@dataclass(frozen=True, slots=True)
class Enumeration:
    """Every cell, and what they add up to."""

    surfaces: int
    conditions: int
    states: int
    cells: tuple[Cell, ...]

    @property
    def verdicts(self) -> int:
        """How many verdicts were looked at: one for each cell and class."""
        return len(self.cells) * len(CLASSES)

    @property
    def passing(self) -> int:
        """How many verdicts on reasoning were pass."""
        return sum(cell.classes[kind] == "pass" for cell in self.cells for kind in _REASONING)

    @property
    def excepted(self) -> int:
        """How many of those pass by a signed exception, with readers in reach."""
        return sum(kind in cell.excepted for cell in self.cells if cell.readers for kind in _REASONING)

    @property
    def leaks(self) -> tuple[Cell, ...]:
        """The cells in which reasoning passes though somebody is in reach; empty when the table is proved."""
        return tuple(cell for cell in self.cells if cell.leak)


def enumerate_table(
    source: str | Path | None = None, *, engine: Engine | None = None, today: date | None = None, most: int = 4096
) -> Enumeration:
    """Review the table at ``source`` (default: the one that ships).

    For each surface, the conditions that count are those on any of its ways, cut or not; every set of them is taken to
    be lost, and the others to hold, whatever evidence says. ``most`` bounds how many states the engine is asked about.

    Raises:
        TableError: the table has faults.
        ConfigurationError: it cannot be read, or has more states than ``most``.
        EngineError: the engine gave no usable answer.
    """
    from reticent.compiler.check import check_table
    from reticent.compiler.embedded import default_engine
    from reticent.surfaces import load_table

    asked, day = engine or default_engine(), today or date.today()  # noqa: DTZ011 - expiry is a civil date
    report = check_table(source, engine=asked, today=day)
    if report.faults:
        raise TableError(report.faults)
    table = load_table(source).taken_as_said().document(day)
    states = _states(table, most)
    cells = tuple(cell for lost, surfaces in states.items() for cell in _cells(table, lost, surfaces, asked))
    order = {name: at for at, name in enumerate(table["surfaces"])}
    return Enumeration(
        surfaces=len(order),
        conditions=sum(1 for _ in _conditions(table)),
        states=len(states),
        cells=tuple(sorted(cells, key=lambda cell: (order[cell.surface], len(cell.lost), cell.lost))),
    )


def _states(table: Mapping[str, Any], most: int) -> dict[frozenset[Name], list[str]]:
    """Each set of lost conditions, and the surfaces for which it is a state of their own."""
    found: dict[frozenset[Name], list[str]] = {}
    for surface in table["surfaces"]:
        ways = _walk(table, surface, cut=False)
        relevant = sorted(name for name, _ in _conditions(table) if name[0] in ways)
        if 2 ** len(relevant) > most:
            space = f"{len(relevant)} conditions on its ways, so {2 ** len(relevant)} states"
            raise ConfigurationError(f"{surface} has {space}; allow that many with --most")
        for count in range(len(relevant) + 1):
            for lost in combinations(relevant, count):
                found.setdefault(frozenset(lost), []).append(surface)
    return found


def _cells(table: Mapping[str, Any], lost: frozenset[Name], surfaces: Iterable[str], engine: Engine) -> Iterator[Cell]:
    document = copy.deepcopy(dict(table))
    for surface, name in lost:
        del document["surfaces"][surface]["conditions"][name]
    plan, _ = split_answer(engine.decide(document))
    decisions = decisions_from(document, plan)
    for surface in surfaces:
        yield _cell(document, decisions[surface], lost, date.fromisoformat(table["today"]))


def _cell(document: Mapping[str, Any], told: Decision, lost: frozenset[Name], day: date) -> Cell:
    reached = _walk(document, told.surface, cut=True)
    readers = tuple(sorted(node for node in reached if _reads(document, node)))
    excepted = {kind for signed in told.exceptions if signed.in_force(day) for kind in signed.classes}
    passing = {kind for kind in _REASONING if told.classes[kind] == "pass"}
    return Cell(
        surface=told.surface,
        lost=tuple(sorted(".".join(name) for name in lost)),
        classes=dict(told.classes),
        readers=readers,
        excepted=tuple(sorted(excepted & passing)),
        leak=bool(readers and passing - excepted),
    )


def _conditions(table: Mapping[str, Any]) -> Iterator[tuple[Name, dict[str, Any]]]:
    for surface, row in table["surfaces"].items():
        for name, claim in row.get("conditions", {}).items():
            yield (surface, name), claim


def _walk(table: Mapping[str, Any], start: str, *, cut: bool) -> set[str]:
    """Everything that arrows lead to from ``start``, itself included; ``cut`` says whether conditions cut them."""
    seen, waiting = {start}, [start]
    while waiting:
        node = waiting.pop()
        row = table["surfaces"].get(node, {})
        stopped = {target for claim in row.get("conditions", {}).values() for target in claim.get("cuts", ()) if cut}
        drawn = {*row.get("flows", ()), *table.get("flows", {}).get(node, ())}
        waiting += drawn - stopped - seen
        seen |= drawn - stopped
    return seen


def _reads(table: Mapping[str, Any], node: str) -> bool:
    """Whether ``node`` is a person, a foreign system, or keeps what it gets beyond the work."""
    row = table["surfaces"].get(node)
    if row is not None:
        claims = row.get("conditions", {}).values()
        return row["holds"]["lifetime"] not in _BRIEF and not any(claim.get("bounds") in _BRIEF for claim in claims)
    place = table["places"][node]
    if place["kind"] == "system":
        return not place.get("producer", False)
    return place["kind"] != "store" or place.get("lifetime") not in _BRIEF


def to_text(told: Enumeration) -> str:
    """A line for each cell, and what they add up to."""
    width = max((len(cell.surface) for cell in told.cells), default=0)
    lines = [_line(cell, width) for cell in told.cells]
    proof = (
        "no row passes with a person, another system or an outliving store in reach"
        if not told.leaks
        else f"{len(told.leaks)} rows pass with somebody in reach"
    )
    signed = f", {told.excepted} of them by a signed exception" if told.excepted else ""
    space = f"{told.surfaces} surfaces, {told.conditions} conditions held or lost in {told.states} ways"
    counts = f"{told.verdicts} verdicts in {len(CLASSES)} classes, {told.passing} of them let reasoning pass{signed}"
    return "\n".join([*lines, "", f"{space}: {counts}; {proof}"]) + "\n"


def to_json(told: Enumeration) -> str:
    """The same for programs."""
    content = {
        "surfaces": told.surfaces,
        "conditions": told.conditions,
        "states": told.states,
        "verdicts": told.verdicts,
        "passing": told.passing,
        "excepted": told.excepted,
        "leaks": len(told.leaks),
        "cells": [
            {
                "surface": cell.surface,
                "lost": list(cell.lost),
                "classes": dict(cell.classes),
                "readers": list(cell.readers),
                "excepted": list(cell.excepted),
                "leak": cell.leak,
            }
            for cell in told.cells
        ],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _line(cell: Cell, width: int) -> str:
    passing = [kind for kind in _REASONING if cell.classes[kind] == "pass"]
    word = "LEAK " if cell.leak else "pass " if len(passing) == len(_REASONING) else "strip"
    some = f" but {', '.join(passing)}" if passing and word == "strip" else ""
    lost = f"  lost: {', '.join(cell.lost)}" if cell.lost else "  all held"
    readers = f"  reaches: {', '.join(cell.readers)}" if cell.readers else ""
    return f"{cell.surface.ljust(width)}  {word}{some}{lost}{readers}"
