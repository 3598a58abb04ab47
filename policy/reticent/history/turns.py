"""Turns, tasks and the evidence that one has settled.

A *turn* is a run of assistant entries. A *task* is the entries that serve one opening request: by id where the harness
gives one, else by shape. Live beats settled: a turn settles only when something says so and nothing says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from reticent.history.entries import Context, Entry, PartKind, StopClass
from reticent.history.pairing import FOREVER, Call


class Confidence(IntEnum):
    """How sure a settled mark is: a following opener, the provider's own signal, or the harness's word."""

    NONE = 0
    SHAPE = 1
    SIGNAL = 2
    EXPLICIT = 3

    @property
    def word(self) -> str:
        """The word a report uses."""
        return self.name.lower()


class Following(StrEnum):
    """What stands behind a turn."""

    TAIL = "tail"
    USER = "user"
    RESULT = "result"
    NUDGE = "nudge"
    CONTROL = "control"
    """Standing text of the harness, then another turn."""


@dataclass(slots=True, eq=False)
class Turn:
    """One run of assistant entries, with what its evidence is."""

    positions: list[int] = field(default_factory=list[int])
    calls: list[Call] = field(default_factory=list[Call])
    visible: bool = False
    stop: StopClass = StopClass.ABSENT
    item_stop: bool = False
    phase: str | None = None
    settled: bool = False
    confidence: Confidence = Confidence.NONE
    reason: str = ""

    @property
    def first(self) -> int:
        """Position of its first entry."""
        return self.positions[0]

    @property
    def last(self) -> int:
        """Position of its last entry."""
        return self.positions[-1]

    def take(self, entry: Entry, calls: list[Call]) -> None:
        """Add an entry; the last stop word and phase count."""
        self.positions.append(entry.pos)
        self.calls += calls
        if entry.stop is not StopClass.ABSENT:
            self.stop, self.item_stop = entry.stop, entry.item_stop
        self.phase = entry.phase or self.phase
        shown = any(
            part.kind is PartKind.REFUSAL or (part.kind is PartKind.TEXT and not part.blank) for part in entry.parts
        )
        self.visible = self.visible or shown or self.stop is StopClass.REFUSED


@dataclass(slots=True, eq=False)
class Task:
    """The entries of one request. ``end`` is the cut behind its settling turn, None while it lives."""

    task_id: str | None
    positions: list[int] = field(default_factory=list[int])
    turns: list[Turn] = field(default_factory=list[Turn])
    end: int | None = None
    confidence: Confidence = Confidence.NONE

    @property
    def first(self) -> int:
        """Position of its first entry."""
        return self.positions[0]

    @property
    def last(self) -> int:
        """Position of its last entry."""
        return self.positions[-1]

    def settle(self, end: int, confidence: Confidence) -> None:
        """Mark it settled by what ends before ``end``."""
        self.end, self.confidence = end, confidence


_NO = Confidence.NONE
_FINAL = "final_answer"

_LIVE_STOPS = {
    StopClass.CONTINUE: "the provider stopped it before its end",
    StopClass.TOOL: "it stopped for a tool",
}


def judge(turn: Turn, following: Following, context: Context, *, registry: str | None) -> tuple[Confidence, str]:
    """How surely ``turn`` ends its task, and why not when it does not."""
    against = _outright(turn, following, registry)
    if against is not None:
        return _NO, against
    if registry == "terminal":
        return Confidence.EXPLICIT, ""
    if any(not call.server for call in turn.calls):
        return _NO, "it has a call, so its text may be a remark"
    if not turn.visible:
        return _NO, "it shows no text"
    return _signals(turn, following, context)


def _outright(turn: Turn, following: Following, registry: str | None) -> str | None:
    """What no signal outweighs."""
    if registry == "running":
        return "the registry says the task is running"
    if any(call.closed == FOREVER for call in turn.calls):
        return "a call of it has no result"
    if following in {Following.RESULT, Following.NUDGE}:
        return f"the task goes on with a {following.value}"
    return None


def _signals(turn: Turn, following: Following, context: Context) -> tuple[Confidence, str]:
    if turn.stop is StopClass.REFUSED:
        return (Confidence.SIGNAL, "") if following is Following.USER else (_NO, "a refusal waits for the next request")
    against = _LIVE_STOPS.get(turn.stop)
    if turn.phase is not None and turn.phase != _FINAL:
        against = f"its phase is {turn.phase!r}"[:60]
    if turn.stop is StopClass.UNSURE and turn.phase != _FINAL:
        against = "its stop word does not tell an answer from a step"
    if against is not None:
        return _NO, against
    if turn.phase == _FINAL:
        return Confidence.SIGNAL, ""
    return _by_stop(turn, following, context)


def _by_stop(turn: Turn, following: Following, context: Context) -> tuple[Confidence, str]:
    natural = turn.stop is StopClass.NATURAL
    if following is Following.USER:
        return (Confidence.SIGNAL if natural else Confidence.SHAPE), ""
    if not natural:
        return _NO, "nothing says that it is an answer, and nothing follows it"
    if turn.item_stop:
        return _NO, "its item is whole, but the response may go on"
    if context.holds_tail:
        return _NO, "the harness may go on without a user, so an opener has to confirm it"
    if following is Following.CONTROL and context.nudges:
        return _NO, "the harness went on"
    return Confidence.SIGNAL, ""
