"""What a call removed: counts and lengths by rule, never a character of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_NO_DIALECTS = frozenset({"inline-tag", "harmony", "json", "log-text", "refused", "table", "unknown-type"})
"""Rules that belong to no dialect."""


@dataclass(slots=True)
class Removal:
    """How often one rule fired and how many characters went with it."""

    count: int = 0
    length: int = 0


def _no_removals() -> dict[str, Removal]:
    return {}  # calling dict[str, Removal] makes the same, at ten times the price


def _no_counts() -> dict[str, int]:
    return {}


@dataclass(slots=True)
class Report:
    """The removals of one call or one stream.

    ``removals`` maps rule names (``anthropic-messages/thinking``) to counts; ``unknown_types`` counts block types that
    no vocabulary knows and that were withheld (or carried).
    """

    removals: dict[str, Removal] = field(default_factory=_no_removals)
    unknown_types: dict[str, int] = field(default_factory=_no_counts)

    def add(self, rule: str, length: int, *, count: int = 1) -> None:
        """Count one removal, or ``count``, of ``length`` characters altogether under ``rule``."""
        removal = self.removals.get(rule)
        if removal is None:
            removal = self.removals[rule] = Removal()
        removal.count += count
        removal.length += length

    @property
    def dialects(self) -> list[str]:
        """Ids of the dialects whose rules removed something, sorted."""
        return sorted({rule.partition("/")[0] for rule in self.removals} - _NO_DIALECTS)

    @property
    def total(self) -> int:
        """Number of removals."""
        return sum(removal.count for removal in self.removals.values())

    def to_dict(self) -> dict[str, object]:
        """The report as JSON values, sorted by rule."""
        return {
            "removals": {
                rule: {"count": removal.count, "length": removal.length}
                for rule, removal in sorted(self.removals.items())
            },
            "dialects": self.dialects,
            "unknown_types": dict(sorted(self.unknown_types.items())),
        }

    def counts(self) -> tuple[dict[str, tuple[int, int]], int]:
        """Where the counters stand now, to ask ``counted_since`` later."""
        removals = {rule: (removal.count, removal.length) for rule, removal in self.removals.items()}
        return removals, sum(self.unknown_types.values())

    def counted_since(self, counts: tuple[dict[str, tuple[int, int]], int]) -> tuple[tuple[str, int], ...] | None:
        """``(rule, length)`` of what one rule each removed since then; None when more than that was counted."""
        earlier, unknown = counts
        if sum(self.unknown_types.values()) != unknown:
            return None
        found: list[tuple[str, int]] = []
        for rule, removal in self.removals.items():
            count, length = earlier.get(rule, (0, 0))
            if removal.count > count + 1:
                return None
            if removal.count > count:
                found.append((rule, removal.length - length))
        return tuple(found)

    def clear(self) -> None:
        """Forget everything, for a call that has to look again."""
        self.removals.clear()
        self.unknown_types.clear()

    def merge(self, other: Report) -> None:
        """Add everything that ``other`` counted."""
        for rule, removal in other.removals.items():
            mine = self.removals.setdefault(rule, Removal())
            mine.count += removal.count
            mine.length += removal.length
        for name, count in other.unknown_types.items():
            self.unknown_types[name] = self.unknown_types.get(name, 0) + count


def measure(value: Any) -> int:
    """Characters of all strings in ``value``: the length that a report or a mark may state."""
    kind = value.__class__
    if kind is str:
        return len(value)
    if kind is dict:
        return sum(map(measure, value.values()))
    if kind is list:
        return sum(map(measure, value))
    return 0
