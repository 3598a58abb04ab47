"""What a plan says about one surface: frozen values, with everything a reader needs to see why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
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
    "evidence-failed": "a probe looked, and a condition that it needs does not hold",
    "evidence-stale": "the evidence for a condition that it needs is too old",
    "evidence-missing": "there is no evidence for a condition that it needs",
    "evidence-future": "the evidence for a condition that it needs is from the future",
    "evidence-unknown-signer": "the evidence for a condition that it needs is signed by nobody the table names",
    "evidence-tampered": "the evidence for a condition that it needs was changed after it was signed",
    "evidence-other-table": "the evidence for a condition that it needs was made for another table",
    "evidence-other-probe": "the evidence for a condition that it needs is by another probe",
}
"""Every reason code, with what it means; a code that is not here is refused."""

ALWAYS = date.min
"""Where a lapse starts on no day of its own, because it starts at a moment."""

STATUSES = (
    "held",
    *(code.removeprefix("evidence-") for code in REASONS if code.startswith("evidence-")),
)
"""How a condition that asks for evidence can stand: ``held``, or what is wrong, as in the reason codes."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Something that a surface must not reach: ``kind`` is person, system, store or unknown; ``reason`` is a code."""

    kind: str
    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """How a condition that asks for evidence stands.

    ``status`` is ``held``, or what is wrong (see :data:`STATUSES`). Moments are seconds since 1970: ``observed`` is
    the look that decides, ``until`` when it is too old, ``since`` when the status began, as far as that is known.
    ``code`` and ``detail`` are what the probe said. All of these are None when no look counts.
    """

    status: str
    probe: str
    max_age: str
    since: int | None = None
    until: int | None = None
    observed: int | None = None
    signer: str | None = None
    code: str | None = None
    detail: str | None = None

    @property
    def held(self) -> bool:
        """Whether the condition is shown to hold."""
        return self.status == "held"

    def at(self, moment: float) -> Evidence:
        """As it stands at ``moment``, by the day and hour that the rules gave."""
        if self.held and self.until is not None and self.until <= moment:
            return replace(self, status="stale", since=self.until)
        return self


@dataclass(frozen=True, slots=True)
class Condition:
    """A claim of ``surface``'s row, and the readers that would be reached as well if it alone no longer held.

    ``evidence`` is None for a condition that asks for none and is taken as said.
    """

    surface: str
    name: str
    cuts: tuple[str, ...]
    bounds: str | None
    keeps_out: tuple[Reader, ...]
    evidence: Evidence | None = None

    @property
    def lost(self) -> bool:
        """Whether it asks for evidence and is not shown to hold."""
        return self.evidence is not None and not self.evidence.held


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
    """The answer that holds from a day and a moment on; decided by the rules, not by the clock.

    An exception ends on the day ``starts``, evidence is too old from the ``moment`` on (seconds since 1970). A lapse
    that only one of the two begins has :data:`ALWAYS` for the day, or 0 for the moment.
    """

    starts: date
    moment: int
    verdict: Verdict
    classes: Mapping[ContentClass, Verdict]
    reasons: tuple[str, ...]

    @property
    def begins(self) -> float:
        """When it begins, in seconds since 1970: a day begins at midnight where the plan is used."""
        if self.starts == ALWAYS:
            return self.moment
        return max(self.moment, datetime.combine(self.starts, datetime.min.time()).astimezone().timestamp())


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

    @property
    def changes_at(self) -> float | None:
        """The moment of the next lapse, in seconds since 1970; None when the answer stays as it is."""
        return min((lapse.begins for lapse in self.lapses), default=None)

    def as_of(self, day: date, moment: float) -> Decision:
        """This decision as it stands on ``day`` at ``moment``: what has ended by then no longer counts."""
        past = [lapse for lapse in self.lapses if lapse.starts <= day and lapse.moment <= moment]
        if not past:
            return self
        now = max(past, key=lambda lapse: (lapse.starts, lapse.moment))
        return replace(
            self,
            verdict=now.verdict,
            classes=now.classes,
            reasons=now.reasons,
            lapses=tuple(lapse for lapse in self.lapses if lapse not in past),
            conditions=tuple(
                replace(condition, evidence=condition.evidence and condition.evidence.at(moment))
                for condition in self.conditions
            ),
        )
