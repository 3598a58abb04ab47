"""What an operation is given: the settled part of a history, as a view that holds nothing of the live one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reticent.history.changes import Action, Change, edited, handle_of, size_at, size_of
from reticent.history.entries import Entry, Part, PartKind, Path, Role
from reticent.history.legality import LEAST_CONFIDENCE, Refusal
from reticent.history.shapes import Shape, value_at

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reticent.history.boundary import Analysis
    from reticent.history.facts import Profile
    from reticent.history.turns import Confidence
    from reticent.history.units import Unit

Guard = Callable[[str, int, int], "str | None"]
"""``guard(op, start, end)`` names what forbids an operation on a span (an unflushed fact, a goal), or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What one operation would change, and what it will not."""

    changes: tuple[Change, ...] = ()
    refused: tuple[Refusal, ...] = ()
    pins: tuple[tuple[str, bytes], ...] = field(default=(), repr=False)
    """Originals to pin before any of it is carried out: handle and bytes."""

    @property
    def gain(self) -> int:
        """Bytes that would go, less what would come."""
        return sum(change.size - (size_of(change.value) if change.value is not None else 0) for change in self.changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Entries before the boundary with their units, and what holds for them."""

    entries: Sequence[Entry]
    units: tuple[Unit, ...]
    analysis: Analysis
    profile: Profile
    guard: Guard | None = None
    least: Mapping[str, Confidence] | None = None

    @property
    def shape(self) -> Shape:
        """The transcript's shape."""
        return self.analysis.shape

    def of(self, unit: Unit) -> Sequence[Entry]:
        """The entries of a unit's tasks, in order; standing text of the harness between them is not among them."""
        return [self.entries[pos] for pos in sorted(pos for task in unit.tasks for pos in task.positions)]

    def has(self, unit: Unit, kind: PartKind) -> bool:
        """Whether any entry in the unit's span holds a part of ``kind``."""
        return any(entry.has(kind) for entry in self.entries[unit.start : unit.end])

    def least_for(self, op: str) -> Confidence:
        """How sure the end of a unit has to be for ``op``: as the caller says, else as usual."""
        return (self.least or LEAST_CONFIDENCE).get(op, LEAST_CONFIDENCE[op])

    def refuses(self, op: str, unit: Unit) -> Refusal | None:
        """What forbids ``op`` on ``unit``, whatever the profile says."""
        least = self.least_for(op)
        reason = detail = None
        if unit.confidence < least:
            reason, detail = "confidence", f"its end is known by {unit.confidence.word}, {op} needs {least.word}"
        elif op in {"strip", "clear", "truncate"} and self.abandoned(unit):
            reason, detail = "abandoned-call", "a call in it has no result; reduce, drop or repair it"
        elif self.guard is not None:
            reason = self.guard(op, unit.start, unit.end)
        if reason is None:
            return None
        return Refusal(op=op, reason=reason, detail=detail or "", start=unit.start, end=unit.end)

    def abandoned(self, unit: Unit) -> list[Part]:
        """Calls of the unit that were given up."""
        return [call.part for task in unit.tasks for turn in task.turns for call in turn.calls if call.abandoned]

    # --- making changes -----------------------------------------------------------------------------------------

    def without(self, entry: Entry, parts: Sequence[Part], *, op: str, rule: str) -> list[Change]:
        """Take ``parts`` out of ``entry``; the entry goes with them when nothing is left."""
        if not parts:
            return []
        going = set(map(id, parts))
        left = [part for part in entry.parts if id(part) not in going]
        if not left:
            kinds = "+".join(sorted({part.kind.value for part in parts}))
            return [self.dropped(entry, op=op, rule=rule, kind=kinds)]
        places = self.shape.settle_paths(entry.raw, [part.path for part in parts])
        named = {part.path: part.kind.value for part in parts}
        return [self._removal(entry, path, named.get(path, "member"), op, rule) for path in places]

    def _removal(self, entry: Entry, path: Path, kind: str, op: str, rule: str) -> Change:
        kept = None if kind == PartKind.REASONING.value else value_at(entry.raw, path)
        return Change(
            position=entry.pos,
            action=Action.REMOVE,
            path=path,
            op=op,
            rule=rule,
            kind=kind,
            size=size_at(entry.raw, path),
            handle="" if kept is None else handle_of(kept),
            original=kept,
        )

    def dropped(self, entry: Entry, *, op: str, rule: str, kind: str) -> Change:
        """The entry goes as a whole."""
        kept = without_reasoning(entry)
        return Change(
            position=entry.pos,
            action=Action.DROP,
            op=op,
            rule=rule,
            kind=kind,
            size=size_of(entry.raw),
            handle="" if kept is None else handle_of(kept),
            original=kept,
        )

    def replaced(self, entry: Entry, path: Path, value: Any, *, op: str, rule: str, kind: str) -> Change:
        """``value`` stands where something else stood."""
        original = value_at(entry.raw, path)
        return Change(
            position=entry.pos,
            action=Action.REPLACE,
            path=path,
            op=op,
            rule=rule,
            kind=kind,
            size=size_of(original),
            handle=handle_of(original),
            value=value,
            original=original,
        )


def without_reasoning(entry: Entry) -> Any:
    """The entry as it may be kept elsewhere; None when it held nothing but reasoning."""
    reasoning = [part for part in entry.parts if part.kind is PartKind.REASONING]
    if reasoning and len(reasoning) == len(entry.parts) and entry.role is Role.ASSISTANT:
        return None
    marks = [Change(position=0, action=Action.REMOVE, op="", rule="", kind="") for _ in reasoning]
    edits = [(part.path, mark) for part, mark in zip(reasoning, marks, strict=True)]
    return edited(entry.raw, edits) if edits else entry.raw
