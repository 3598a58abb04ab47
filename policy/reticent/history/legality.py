"""Which operation a profile permits on settled history, and what it answers when it does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reticent.history.turns import Confidence

if TYPE_CHECKING:
    from reticent.history.facts import Profile
    from reticent.history.report import BoundaryReport

LEAST_CONFIDENCE = {
    "strip": Confidence.SHAPE,
    "clear": Confidence.SHAPE,
    "truncate": Confidence.SHAPE,
    "repair": Confidence.SHAPE,
    "reduce": Confidence.SIGNAL,
    "drop": Confidence.SIGNAL,
    "summarise": Confidence.SIGNAL,
    "fold": Confidence.SIGNAL,
    "externalise": Confidence.SIGNAL,
}
"""How sure the end of a unit must be before an operation may touch it."""


_TAKES_REASONING = frozenset({"strip", "reduce", "drop", "summarise", "fold"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An operation that was not carried out, on which span, and why; ``reason`` is a stable kebab-case word."""

    op: str
    reason: str
    detail: str = ""
    start: int = 0
    end: int = 0

    def to_json(self) -> dict[str, Any]:
        """All of it; there is no content in a refusal."""
        return {
            "op": self.op,
            "reason": self.reason,
            "detail": self.detail,
            "start": self.start,
            "end": self.end,
        }


def refused_by_profile(op: str, profile: Profile, report: BoundaryReport) -> Refusal | None:
    """Why ``profile`` forbids ``op`` on this history as a whole, or None.

    At rest no live reasoning exists, and all a profile asks is that settled reasoning go together. With live reasoning
    in the transcript, a profile may bind it to every earlier byte.
    """

    def no(reason: str, detail: str) -> Refusal:
        return Refusal(op=op, reason=reason, detail=detail, end=report.boundary)

    if report.boundary == 0:
        return no("nothing-settled", "no task has settled; what is live belongs to the task's own budget")
    if report.editable == 0 or profile.at_rest == "none":
        return no("opaque-state", "part of the history is held by the server or cannot be looked into")
    reason, detail = _by_rest(op, profile, report)
    return no(reason, detail) if reason else None


def _by_rest(op: str, profile: Profile, report: BoundaryReport) -> tuple[str, str]:
    if profile.reasoning == "alike" and report.steered_reasoning and op in _TAKES_REASONING:
        return "live-reasoning", f"under {profile.name} earlier reasoning goes alike, and some of it is live"
    resting = report.at_rest or (not report.live_reasoning and profile.edits != "none")
    if resting and profile.at_rest == "reduce-only" and op != "reduce":
        return "profile", f"{profile.name} permits only to reduce everything that is settled"
    if resting:
        return "", ""
    if profile.edits == "none":
        return "live-reasoning", f"{profile.name} permits no edit in front of live work; wait until it has settled"
    if profile.edits == "strip-only" and op != "strip":
        return "live-reasoning", f"{profile.name} binds live reasoning to every earlier entry"
    return "", ""
