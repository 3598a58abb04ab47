"""A range that a summary is to stand for: whole settled units with their originals, or why it may not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reticent.history.legality import Refusal
from reticent.history.operations.reduce import refuses as refuses_reduce
from reticent.history.summaries.asking import Demands, Summariser
from reticent.history.summaries.pins import pinned
from reticent.history.summaries.source import Originals, originals_of
from reticent.history.summaries.templates import SURVIVAL, Template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reticent.history.entries import Entry
    from reticent.history.settled import Settled
    from reticent.history.summaries.pins import Pins
    from reticent.history.units import Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """How a summary is written: by which model, to which template, and what holds for the answer.

    ``block`` is the scratchpad that goes back behind it. ``generations`` is how many models may stand between a summary
    and the originals; above 1 the operator accepts summaries of summaries where the originals are away. ``timeout``
    counts seconds.
    """

    model: Summariser = field(repr=False)
    template: Template | None = SURVIVAL
    literals: tuple[str, ...] = field(default=(), repr=False)
    instructions: str = field(default="", repr=False)
    block: str = field(default="", repr=False)
    pins: Pins | None = field(default=None, repr=False)
    tenant: str = ""
    generations: int = 1
    timeout: float | None = None
    room: int | None = None
    """Bytes that a prompt may have, when the summariser's window is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Whole units, their entries, what they were written from, and the pin that keeps it."""

    settled: Settled
    units: tuple[Unit, ...]
    entries: tuple[Entry, ...] = field(repr=False)
    originals: Originals
    handle: str
    data: bytes = field(repr=False)
    material: str = field(repr=False)

    @property
    def start(self) -> int:
        """The first entry."""
        return self.units[0].start

    @property
    def end(self) -> int:
        """Behind the last entry."""
        return self.units[-1].end

    def demands(self, writing: Writing) -> Demands:
        """What an answer for this range has to fulfil."""
        return Demands(
            template=writing.template,
            material=self.material,
            literals=writing.literals,
            instructions=writing.instructions,
        )

    def prompt(self, writing: Writing) -> str:
        """What the model is sent."""
        return self.material if writing.template is None else writing.template.prompt(self.material)

    def no(self, reason: str, detail: str = "", *, op: str) -> Refusal:
        """A refusal of this range."""
        return Refusal(op=op, reason=reason, detail=detail, start=self.start, end=self.end)


def range_of(settled: Settled, units: Sequence[Unit], writing: Writing, *, op: str) -> Range | Refusal:
    """The range of ``units``, which follow one another; a refusal when one may not go or its originals are away."""
    blocked = next((no for unit in units if (no := _refuses(settled, unit, op)) is not None), None)
    if blocked is not None:
        return blocked
    entries = tuple(entry for unit in units for entry in settled.of(unit))
    start, end = units[0].start, units[-1].end
    try:
        originals = originals_of(entries, settled.shape, writing.pins, writing.tenant)
    except Exception as error:  # noqa: BLE001 - the pins are the caller's; whatever they raise, nothing is written
        return Refusal(op=op, reason="pins-failed", detail=type(error).__name__, start=start, end=end)
    if originals.generation > writing.generations:
        detail = "the range holds a summary whose originals are away; summarise from the originals"
        return Refusal(op=op, reason="earlier-summary", detail=detail, start=start, end=end)
    handle, data = pinned(originals.entries)
    found = Range(
        settled=settled,
        units=tuple(units),
        entries=entries,
        originals=originals,
        handle=handle,
        data=data,
        material=originals.material(),
    )
    if writing.room is not None and len(found.prompt(writing).encode("utf-8", "surrogatepass")) > writing.room:
        return found.no("no-room-to-summarise", "the summariser's window does not hold the range", op=op)
    return found


def _refuses(settled: Settled, unit: Unit, op: str) -> Refusal | None:
    blocked = refuses_reduce(settled, unit)
    if blocked is not None and blocked.reason in {"checkpoint-in-unit", "control-in-unit"}:
        return Refusal(op=op, reason=blocked.reason, detail=blocked.detail, start=unit.start, end=unit.end)
    return settled.refuses(op, unit)


def head(entry: dict[str, Any], settled: Settled, parts: Sequence[Any]) -> dict[str, Any]:
    """A user entry of ours with further parts behind its own."""
    content = settled.shape.content
    return {**entry, content: settled.shape.extended(entry, parts)} if parts else entry


def labelled(new: Sequence[dict[str, Any]], old: Sequence[Entry]) -> list[dict[str, Any]]:
    """``new`` with the sequence numbers and the task id of what it replaces, where the harness keeps them."""
    numbers = [entry.seq for entry in old if entry.seq is not None]
    task = next((entry.task_id for entry in reversed(old) if entry.task_id is not None), None)
    found: list[dict[str, Any]] = []
    for index, entry in enumerate(new):
        seq = {"seq": numbers[index]} if len(numbers) >= len(new) else {}
        found.append({**entry, **seq, **({"task_id": task} if task is not None else {})})
    return found
