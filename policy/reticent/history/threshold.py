"""When to compact: before the window is full, at a natural boundary, and never inside live work."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from reticent.errors import ConfigurationError

if TYPE_CHECKING:
    from reticent.history.report import BoundaryReport


class Verdict(StrEnum):
    """What a decision says."""

    NOT_DUE = "not-due"
    WAIT = "wait"
    """Due, but a task is running: act when it has settled."""
    ACT = "act"
    FORCED = "forced"
    """Past the hard level: act on what is settled now. Counted, since it should not happen."""
    CANNOT = "cannot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The budget of one request, in tokens.

    ``tokens`` is the model's context window. The working budget is what is left of it beside ``output_reserve`` (the
    answer) and ``compaction_reserve`` (room to compact). ``overhead`` counts what goes along with every request: system
    prompt and tools. ``reported`` is the provider's own count of the last request, when it is known; the higher of it
    and the estimate holds.
    """

    tokens: int
    output_reserve: int = 0
    compaction_reserve: int = 0
    overhead: int = 0
    reported: int = 0
    soft: float = 0.60
    hard: float = 0.90
    least_gain: int | None = None
    """Tokens a compaction must free below the hard level; default 20,000 or 15 % of the window, the smaller."""
    least_interval: int = 5
    """Requests between two compactions below the hard level."""

    def __post_init__(self) -> None:
        """Refuse budgets that cannot be kept."""
        _whole("tokens", self.tokens, least=1)
        for name in ("output_reserve", "compaction_reserve", "overhead", "reported", "least_interval"):
            _whole(name, getattr(self, name), least=0)
        if self.working <= 0:
            raise ConfigurationError("the reserves leave no working budget; lower them or name a larger window")
        _share("soft", self.soft)
        _share("hard", self.hard)
        if self.soft >= self.hard:
            raise ConfigurationError(f"soft ({self.soft}) must lie below hard ({self.hard})")

    @property
    def working(self) -> int:
        """Tokens a request may grow to."""
        return self.tokens - self.output_reserve - self.compaction_reserve

    @property
    def due_at(self) -> int:
        """The soft threshold, in tokens."""
        return math.ceil(self.soft * self.working)

    @property
    def target(self) -> int:
        """Where a compaction stops: four fifths of the soft threshold, so that the next is not due at once."""
        return math.floor(0.8 * self.due_at)

    @property
    def gain(self) -> int:
        """Tokens a compaction must free to be worth its cache."""
        return min(20_000, math.floor(0.15 * self.tokens)) if self.least_gain is None else self.least_gain


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Whether to compact now, and why or why not; ``reason`` is a stable kebab-case word."""

    verdict: Verdict
    reason: str
    tokens: int
    live_tokens: int
    share: float
    """``tokens`` of the working budget."""

    @property
    def acts(self) -> bool:
        """Whether a compaction should run."""
        return self.verdict in {Verdict.ACT, Verdict.FORCED}

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {
            "verdict": self.verdict.value,
            "reason": self.reason,
            "tokens": self.tokens,
            "live_tokens": self.live_tokens,
            "share": round(self.share, 4),
        }


def decide(
    report: BoundaryReport, window: Window, *, tokens: int, live_tokens: int, since_last: int | None = None
) -> Decision:
    """Decide for a history of ``tokens``, of which ``live_tokens`` are live; ``since_last`` counts requests."""
    total = max(tokens + window.overhead, window.reported)
    verdict, reason = _verdict(report, window, total, since_last)
    live = live_tokens + window.overhead
    # Nothing an operation may do brings the live span under the threshold: that is the task's budget's affair.
    if verdict is not Verdict.NOT_DUE and live >= window.due_at:
        verdict, reason = Verdict.CANNOT, "live-exempt"
    share = total / window.working
    return Decision(verdict=verdict, reason=reason, tokens=total, live_tokens=live_tokens, share=share)


def _verdict(report: BoundaryReport, window: Window, total: int, since_last: int | None) -> tuple[Verdict, str]:
    if total < window.due_at:
        return Verdict.NOT_DUE, "below-soft-threshold"
    blocked = cannot(report)
    if blocked is not None:
        return Verdict.CANNOT, blocked
    if total >= window.hard * window.tokens:
        return Verdict.FORCED, "above-hard-threshold"
    if not report.at_rest:
        return Verdict.WAIT, "task-running"
    soon = since_last is not None and since_last < window.least_interval
    return (Verdict.WAIT, "too-soon-after-the-last") if soon else (Verdict.ACT, "at-rest")


def cannot(report: BoundaryReport) -> str | None:
    """Why nothing can be compacted whatever the window says, or None."""
    if report.boundary == 0:
        return "nothing-settled"
    return "opaque-state" if report.editable == 0 else None


def _whole(name: str, value: object, *, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigurationError(f"{name} must be a whole number of at least {least}, not {value!r}")


def _share(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise ConfigurationError(f"{name} must be a share above 0 and up to 1, not {value!r}")
