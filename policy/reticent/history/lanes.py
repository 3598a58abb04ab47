"""From entries to tasks: one lane per task id, and one for the entries that have none.

In the lane without ids a task ends at a settling turn, and the next user text opens another; user text that follows
anything else is a *steer* and belongs to the running task.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reticent.history.anomalies import Anomaly, AnomalyCode
from reticent.history.entries import Context, Entry, PartKind, Role, StopClass
from reticent.history.turns import Confidence, Following, Task, Turn, judge

if TYPE_CHECKING:
    from reticent.history.facts import Facts
    from reticent.history.pairing import Call, Pairing


class Lane:
    """The tasks of one id, or of all entries without one."""

    def __init__(self, task_id: str | None, context: Context, facts: Facts, pairing: Pairing) -> None:
        self.task_id = task_id
        self.tasks: list[Task] = []
        self.anomalies: list[Anomaly] = []
        self._context = context
        self._facts = facts
        self._pairing = pairing
        self._registry = context.state_of(task_id)
        self._turn: Turn | None = None
        self._broken = False
        self._horizon = -1
        """Where the last obligation of the lane closes that was opened so far."""

    def feed(self, entry: Entry) -> None:
        """Take the next entry of the lane."""
        if entry.role is Role.ASSISTANT:
            self._assistant(entry)
            return
        self._resolve(_following(entry))
        self._add(entry)
        if entry.role is not Role.SYSTEM:
            self._terminal_tool(entry)

    def control(self) -> None:
        """Standing text of the harness came: the next assistant entry is another turn."""
        self._broken = True

    def close(self) -> None:
        """No further entry: judge the tail, then let the registry speak."""
        self._resolve(Following.TAIL)
        for task in self.tasks:
            self._registered(task)

    def _assistant(self, entry: Entry) -> None:
        turn = self._turn
        if turn is not None and (self._broken or self._is_gap(turn, entry)):
            self._resolve(Following.CONTROL if self._broken else Following.TAIL)
            turn = None
        self._broken = False
        calls = self._pairing.at.get(entry.pos, [])
        self._horizon = max([self._horizon, *(call.closed for call in calls)])
        self._add(entry)
        if turn is None:
            turn = self._turn = Turn()
            self.tasks[-1].turns.append(turn)
        turn.take(entry, calls)

    def _is_gap(self, turn: Turn, entry: Entry) -> bool:
        """A provider that ended a turn issues no other one before it has heard something new."""
        beside = self.task_id is None or entry.pos == turn.last + 1
        ended = beside and judge(turn, Following.TAIL, self._context, registry=None)[0] is not Confidence.NONE
        unmerged = self._facts.alternates and turn.stop is not StopClass.CONTINUE
        if ended or (beside and unmerged):
            self.anomalies.append(Anomaly(entry.pos, entry.pos, AnomalyCode.ROLE_GAP))
        return ended

    def _add(self, entry: Entry) -> None:
        task = self.tasks[-1] if self.tasks else None
        if task is None or (task.end is not None and self.task_id is None):
            task = Task(self.task_id)
            self.tasks.append(task)
        task.positions.append(entry.pos)
        task.end = None

    def _resolve(self, following: Following) -> None:
        turn, self._turn = self._turn, None
        if turn is None:
            if following is Following.USER:
                self._closed_by_registry()
            return
        turn.confidence, turn.reason = judge(turn, following, self._context, registry=self._registry)
        if turn.confidence is Confidence.NONE:
            return
        if self._horizon > turn.last:
            turn.confidence, turn.reason = Confidence.NONE, "an earlier call is still to be answered behind it"
            return
        turn.settled = True
        self.tasks[-1].settle(turn.last + 1, turn.confidence)

    def _closed_by_registry(self) -> None:
        """A new request behind a task that the registry has ended, though no turn says so."""
        task = self.tasks[-1] if self.tasks else None
        if task is not None and task.turns and task.end is None and self._registry == "terminal":
            self._registered(task)

    def _terminal_tool(self, entry: Entry) -> None:
        """The recorded result of a terminal tool ends its task, unless the tool refused it."""
        closed = self._pairing.closing.get(entry.pos, [])
        if self._registry == "running" or not any(self._ends(call) for call in closed):
            return
        if self._horizon <= entry.pos:
            self.tasks[-1].settle(entry.pos + 1, Confidence.SIGNAL)

    def _ends(self, call: Call) -> bool:
        return call.part.name in self._context.terminal_tools and not call.failed

    def _registered(self, task: Task) -> None:
        if self._registry != "terminal" or (self.task_id is None and not task.turns):
            return
        open_calls = [call for turn in task.turns for call in turn.calls if call.closed > task.last]
        if open_calls:
            task.end = None
            first = open_calls[0].pos
            self.anomalies.append(Anomaly(first, first, AnomalyCode.TERMINAL_WITH_OPEN_CALL))
            return
        task.settle(task.last + 1, Confidence.EXPLICIT)


def _following(entry: Entry) -> Following:
    if entry.text_output or entry.has(PartKind.RESULT):
        return Following.RESULT
    return Following.NUDGE if entry.nudge else Following.USER
