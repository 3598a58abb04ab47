"""What a fold hands back: the request to send, the scratchpad to go on with, and why it did what it did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reticent.history.changes import Change
    from reticent.history.fold.ledger import Swap
    from reticent.history.fold.request import Request
    from reticent.history.outcome import CompactionReport
    from reticent.history.scratchpad.flush import Flushed
    from reticent.history.scratchpad.records import Scratchpad


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldReport:
    """Why a fold did what it did, or did nothing. Positions, sizes and words; no content.

    ``status`` is ``folded``, ``restarted``, ``refused``, ``not-due`` or ``summary-wanted``; ``reason`` is a stable
    kebab-case word.
    """

    status: str
    reason: str = ""
    detail: str = ""
    start: int = 0
    end: int = 0
    """Entries ``start`` to ``end`` (exclusive) of the input were folded, or would have been."""
    handle: str = ""
    """Names the originals of the range."""
    results: int = 0
    """Tool results in the range."""
    kept: int = 0
    """Tool results behind it."""
    mode: str = ""
    generation: int = 1
    size_before: int = 0
    """Characters of the whole request, tools and system text included."""
    size_after: int = 0
    calls: int = 0
    """Model calls that were made."""
    squeezed: bool | None = None
    squeeze_reason: str = ""
    facts: int = 0
    attempts: int = 0
    step: int | None = None
    """The step of the task at which it ran, so that behaviour before and after can be compared."""
    persisted: bool = False
    compaction: CompactionReport | None = field(default=None, repr=False)

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        names = [name for name in self.__slots__ if name != "compaction"]
        inner = None if self.compaction is None else self.compaction.to_json()
        return {**{name: getattr(self, name) for name in names}, "compaction": inner}

    def render(self) -> str:
        """The report for a person."""
        lines = [f"{self.status}{': ' if self.reason else ''}{self.reason}{f' ({self.detail})' if self.detail else ''}"]
        if self.end:
            lines.append(f"entries {self.start} to {self.end - 1}: {self.results} results, {self.kept} kept behind")
        if self.status == "folded":
            lines.append(f"request: {self.size_before} -> {self.size_after} characters, mode {self.mode}")
        lines.append(f"scratchpad: {self.facts} facts, {self.attempts} attempts taken; {self.calls} model calls")
        if self.compaction is not None:
            lines.append(self.compaction.boundary.render())
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldOutcome:
    """The request and the scratchpad to go on with; both are the ones that came in unless ``folded``."""

    request: Request = field(repr=False)
    pad: Scratchpad = field(repr=False)
    report: FoldReport
    flushed: Flushed | None = None
    swap: Swap | None = field(default=None, repr=False)
    changes: tuple[Change, ...] = field(default=(), repr=False)
    """What was taken out and put in; carried out on the messages that came in, it gives those of ``request``."""

    @property
    def folded(self) -> bool:
        """Whether anything was folded."""
        return self.report.status == "folded"
