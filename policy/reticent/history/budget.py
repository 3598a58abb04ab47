"""Task budgets: what bounds a running task, since no compaction may.

A compactor frees what has settled; it puts no bound on live work. This module does, on its own: it knows nothing of
histories. A task is warned when little is left, then told to close while the reserve still pays for an answer, and
ends *partial*. That is a terminal state like any other: whatever stored the task's reasoning is told to erase it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any

from reticent.errors import ConfigurationError, TaskEnded

OnTerminal = Callable[[str, str], None]
"""``on_terminal(task_id, state)`` runs once when a task ends; a task store erases its row here."""


class Phase(StrEnum):
    """Where a task stands in its budget."""

    RUNNING = "running"
    WARNED = "warned"
    """Tell the model what remains."""
    CLOSING = "closing"
    """No further tool step: take the tools away and ask for what there is."""
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    PARTIAL = "partial"


TERMINAL = frozenset({Phase.COMPLETED, Phase.FAILED, Phase.CANCELLED, Phase.EXPIRED, Phase.PARTIAL})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one task may use; None leaves a measure open. ``reserve`` is kept for the closing turn.

    ``closing`` is the size of the request that asks for the partial answer, with the answer's longest length.
    """

    steps: int | None = None
    tool_calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None
    reserve: int = 0
    closing: int = 0
    warn: float = 0.7

    def __post_init__(self) -> None:
        """Refuse limits that cannot end in an answer."""
        for item in fields(self):
            value = getattr(self, item.name)
            wrong = (
                isinstance(value, bool)
                or not isinstance(value, int | float | None)
                or (value is not None and not value >= 0)
            )
            if wrong or (isinstance(value, float) and not math.isfinite(value)):
                raise ConfigurationError(f"{item.name} must be a number of at least 0, not {value!r}")
        if not 0 < self.warn < 1:
            raise ConfigurationError(f"warn must be a share between 0 and 1, not {self.warn!r}")
        if self.tokens is not None and self.reserve >= self.tokens:
            raise ConfigurationError(f"reserve ({self.reserve}) must lie below tokens ({self.tokens})")
        if self.closing > self.reserve:
            raise ConfigurationError(f"reserve ({self.reserve}) does not pay for the closing turn ({self.closing})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one task has used."""

    steps: int = 0
    tool_calls: int = 0
    tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        """Both together."""
        return Spent(**{item.name: getattr(self, item.name) + getattr(other, item.name) for item in fields(self)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The phase of a task, the measure that decided it, and what is left of each limited measure."""

    phase: Phase
    by: str
    left: tuple[tuple[str, float], ...]

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {"phase": self.phase.value, "by": self.by, "left": dict(self.left)}


def standing(limits: Limits, spent: Spent, *, next_step: int = 0) -> Standing:
    """Where a task stands; ``next_step`` is the tokens its next step is expected to use.

    The token budget closes early enough that the reserve is whole when the closing turn begins.
    """
    caps = {"steps": limits.steps, "tool_calls": limits.tool_calls, "tokens": limits.tokens, "seconds": limits.seconds}
    phase, by = Phase.RUNNING, ""
    left: list[tuple[str, float]] = []
    for name, cap in caps.items():
        if cap is None:
            continue
        usable = cap - limits.reserve if name == "tokens" else cap
        used = getattr(spent, name) + (next_step if name == "tokens" else 0)
        left.append((name, max(0, usable - getattr(spent, name))))
        own = _phase(used, usable, limits.warn, strict=name == "tokens" and next_step > 0)
        if _RANK[own] > _RANK[phase]:
            phase, by = own, name
    return Standing(phase=phase, by=by, left=tuple(left))


_RANK = {Phase.RUNNING: 0, Phase.WARNED: 1, Phase.CLOSING: 2}


def _phase(used: float, usable: float, warn: float, *, strict: bool) -> Phase:
    if used > usable or (used == usable and not strict):
        return Phase.CLOSING
    return Phase.WARNED if used >= warn * usable else Phase.RUNNING


class TaskBudget:
    """The running account of one task. One owner, one thread; ``spent`` may come from a store."""

    def __init__(
        self, task_id: str, limits: Limits, *, on_terminal: OnTerminal | None = None, spent: Spent | None = None
    ) -> None:
        self.task_id = task_id
        self.limits = limits
        self.spent = spent or Spent()
        self._on_terminal = on_terminal
        self._ended: Phase | None = None

    def standing(self, *, next_step: int = 0) -> Standing:
        """Where the task stands before its next step."""
        now = standing(self.limits, self.spent, next_step=next_step)
        return now if self._ended is None else replace(now, phase=self._ended)

    def record(self, spent: Spent) -> Standing:
        """Add what a step used; the answer says whether another may follow.

        Raises:
            TaskEnded: the task has ended.
        """
        if self._ended is not None:
            raise TaskEnded(f"the task is {self._ended.value}")
        self.spent = self.spent + spent
        return self.standing()

    def dispatch(self, *, next_step: int = 0) -> Standing:
        """Ask for another tool step.

        Raises:
            TaskEnded: the task has to close, or has ended; ask for its answer with the tools off.
        """
        now = self.standing(next_step=next_step)
        if now.phase in TERMINAL | {Phase.CLOSING}:
            raise TaskEnded(f"no further step: the task is {now.phase.value} by {now.by or 'its end'}")
        return now

    def end(self, phase: Phase) -> None:
        """End the task. Ending it twice in the same state does nothing.

        Raises:
            TaskEnded: it has ended otherwise, or ``phase`` is not terminal.
        """
        if phase not in TERMINAL:
            raise TaskEnded(f"{phase.value} ends nothing")
        if self._ended is phase:
            return
        if self._ended is not None:
            raise TaskEnded(f"the task is {self._ended.value} already")
        self._ended = phase
        if self._on_terminal is not None:
            self._on_terminal(self.task_id, phase.value)
