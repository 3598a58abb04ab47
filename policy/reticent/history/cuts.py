"""Every cut of a history, and which of them are admissible.

A cut ``b`` stands in front of entry ``b``. It is admissible behind a settling turn when it splits no task, crosses no
obligation, and leaves every live task and everything from the first anomaly on behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reticent.history.anomalies import Anomaly, AnomalyCode
from reticent.history.report import Failed
from reticent.history.turns import Confidence, Task, Turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reticent.history.pairing import Pairing


class Cuts:
    """Every cut of the history, and which of them are admissible."""

    def __init__(self, length: int, tasks: Sequence[Task], pairing: Pairing, anomalies: Sequence[Anomaly]) -> None:
        self.length = length
        self.tasks = tasks
        self.pairing = pairing
        # An item that cannot be looked into forbids edits; it says nothing about where tasks end.
        limits = (anomaly.limit for anomaly in anomalies if anomaly.code is not AnomalyCode.OPAQUE)
        self.limit_by_anomaly = min(limits, default=length)
        self.limit_by_task = min((task.first for task in tasks if task.end is None), default=self.length)
        self.ends = {task.end: task.confidence for task in tasks if task.end is not None}
        self.crossed = self._crossed()

    def _crossed(self) -> list[int]:
        """How many tasks and obligations lie on both sides of each cut, by prefix sums."""
        steps = [0] * (self.length + 2)
        spans = [(task.first, task.last) for task in self.tasks]
        spans += [(call.pos, min(call.closed, self.length)) for call in self.pairing.calls]
        for first, last in spans:
            steps[first + 1] += 1
            steps[last + 1] -= 1
        for index in range(1, len(steps)):
            steps[index] += steps[index - 1]
        return steps

    def highest(self) -> int:
        """The boundary."""
        limit = min(self.limit_by_anomaly, self.limit_by_task)
        fitting = (cut for cut in self.ends if cut <= limit and not self.crossed[cut])
        return max(fitting, default=0)

    def confidence(self, boundary: int) -> Confidence:
        """How sure the settling turn before ``boundary`` is."""
        return self.ends.get(boundary, Confidence.NONE)

    def next_above(self, boundary: int) -> Failed | None:
        """The first turn behind the boundary, and what keeps a cut from standing behind it."""
        turns = (turn for task in self.tasks for turn in task.turns if turn.last >= boundary)
        turn = min(turns, key=lambda each: each.last, default=None)
        if turn is None:
            return None
        return Failed(turn.last + 1, self._why(turn, turn.last + 1))

    def _why(self, turn: Turn, cut: int) -> str:
        if not turn.settled and turn.reason:
            return turn.reason
        if cut > self.limit_by_anomaly:
            return f"an anomaly keeps everything from entry {self.limit_by_anomaly} on alive"
        split = next((task for task in self.tasks if task.first < cut <= task.last), None)
        if split is not None:
            return f"a task has entries on both sides, from {split.first} to {split.last}"
        if cut > self.limit_by_task:
            return f"a task that began at entry {self.limit_by_task} is live"
        return "an obligation was opened before it and is closed behind it"
