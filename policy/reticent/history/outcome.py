"""What a compaction hands back: the history, the record of what went, and why it did what it did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reticent.history.changes import Change
    from reticent.history.ladder import Step
    from reticent.history.legality import Refusal
    from reticent.history.report import BoundaryReport
    from reticent.history.threshold import Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionReport:
    """Why a compaction did what it did, or did nothing. No content in it."""

    decision: Decision
    boundary: BoundaryReport
    profile: str
    versions: tuple[tuple[str, str], ...]
    """Versions of the tables of facts this was decided by."""
    steps: tuple[Step, ...] = ()
    refused: tuple[Refusal, ...] = ()
    tokens_before: int = 0
    tokens_after: int = 0
    first_changed: int | None = None
    """Position of the first change; the provider's cache is lost from there."""
    cached_tokens: int | None = None
    """Tokens of the history in front of the first change: what the provider's cache still holds at the next request."""
    break_even: float | None = None
    """Requests until the rewrite has paid for that cache."""

    def to_json(self) -> dict[str, Any]:
        """A JSON object for programs and logs."""
        return {
            "decision": self.decision.to_json(),
            "boundary": self.boundary.to_json(),
            "profile": self.profile,
            "versions": dict(self.versions),
            "steps": [step.to_json() for step in self.steps],
            "refused": [refusal.to_json() for refusal in self.refused],
            "tokens": {"before": self.tokens_before, "after": self.tokens_after},
            "first_changed": self.first_changed,
            "cached_tokens": self.cached_tokens,
            "break_even_requests": None if self.break_even is None else round(self.break_even, 1),
        }

    def render(self) -> str:
        """The report for a person."""
        lines = [
            f"{self.decision.verdict.value}: {self.decision.reason} (profile {self.profile})",
            f"tokens: {self.tokens_before} -> {self.tokens_after}",
            self.boundary.render(),
        ]
        lines += [f"{step.op}: {step.gain} bytes{'' if step.used else ', not used'}" for step in self.steps]
        lines += [f"no {no.op}: {no.reason}{f' ({no.detail})' if no.detail else ''}" for no in self.refused]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """The compacted ``history``, everything that was ``removed`` or put in by rule, and the report.

    When nothing was done, ``history`` is the object that came in. Neither content shows in ``repr``.
    """

    history: Sequence[Any] = field(repr=False)
    removed: tuple[Change, ...]
    report: CompactionReport
