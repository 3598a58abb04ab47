"""What a plan says about one surface: frozen values, with everything a reader needs to see why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

Verdict = Literal["pass", "strip"]
ContentClass = Literal["text", "summary", "opaque", "derived"]

CLASSES: tuple[ContentClass, ...] = ("text", "summary", "opaque", "derived")
"""Every class of content, in the order they are shown."""

READER_KINDS = ("person", "system", "store", "unknown")
"""The kinds of readers, in the order in which a path to one is shown."""

READERS: Mapping[str, str] = {
    "person": "person",
    "system": "system other than the producer",
    "store": "store that outlives the work",
    "unknown": "not declared in the table",
}
"""What each kind of reader is called in a sentence."""

REASONS: Mapping[str, str] = {
    "person-reachable": "a person can read it",
    "foreign-system-reachable": "a system other than the producer can read it",
    "outliving-store-reachable": "it is kept after the work has ended",
    "unknown-place-reachable": "it gets to something the table does not declare",
    "nothing-reachable": "no person, no other system and no lasting store can be reached",
    "row-says-strip": "the row itself says strip",
    "table-invalid": "the table has faults, so nothing may pass",
    "derived-stripped": "the row asks for derived text to be stripped",
    "exception-in-force": "a signed exception lets some classes pass",
    "exception-expired": "a signed exception has expired",
}
"""Every reason code, with what it means; a code that is not here is refused."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Something that a surface must not reach: ``kind`` is person, system, store or unknown; ``reason`` is a code."""

    kind: str
    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class Condition:
    """A claim of ``surface``'s row, and the readers that would be reached as well if it alone no longer held."""

    surface: str
    name: str
    cuts: tuple[str, ...]
    bounds: str | None
    keeps_out: tuple[Reader, ...]


@dataclass(frozen=True, slots=True)
class SignedYes:
    """An exception for a surface; it counts before the day ``expires``, and not on it."""

    classes: tuple[str, ...]
    expires: date
    owner: str
    reason: str

    def in_force(self, day: date) -> bool:
        """True while it counts."""
        return day < self.expires


@dataclass(frozen=True, slots=True)
class Lapse:
    """The answer that holds from a day on, because an exception ends then; decided by the rules, not by the clock."""

    starts: date
    verdict: Verdict
    classes: Mapping[ContentClass, Verdict]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """The longest payload in bytes and the deepest nesting a surface takes; None leaves the default."""

    max_bytes: int | None = None
    max_depth: int | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer for one surface.

    ``verdict`` is ``pass`` exactly when all four ``classes`` are. ``path`` leads from the surface to the first
    reader that makes it strip (people before systems before stores, then the shortest) and is empty when there is
    none; ``reach`` holds the shortest path for each kind of reader. ``arrows`` are the uncut arrows content can take.
    """

    surface: str
    verdict: Verdict
    classes: Mapping[ContentClass, Verdict]
    path: tuple[str, ...]
    reach: Mapping[str, tuple[str, ...]]
    reasons: tuple[str, ...]
    readers: tuple[Reader, ...]
    arrows: tuple[tuple[str, str], ...]
    conditions: tuple[Condition, ...]
    exceptions: tuple[SignedYes, ...]
    lapses: tuple[Lapse, ...]
    on_strip: Literal["drop", "mark"]
    unknown_types: Literal["withhold", "suspect", "carry"]
    limits: Limits
    owner: str
    why: str

    @property
    def reader(self) -> Reader | None:
        """Who stands at the end of ``path``."""
        kinds = sorted(self.readers, key=lambda reader: READER_KINDS.index(reader.kind))
        return next((reader for reader in kinds if reader.place == self.path[-1]), None) if self.path else None

    def as_of(self, day: date) -> Decision:
        """This decision as it stands on ``day``: exceptions that have ended by then no longer count."""
        past = [lapse for lapse in self.lapses if lapse.starts <= day]
        if not past:
            return self
        now = max(past, key=lambda lapse: lapse.starts)
        rest = tuple(lapse for lapse in self.lapses if lapse.starts > day)
        return replace(self, verdict=now.verdict, classes=now.classes, reasons=now.reasons, lapses=rest)
