"""Calls and their results, wherever they stand: which are open, and what does not pair.

One pass over the entries. A call is matched by id; one without an id by name, inside its own round only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reticent.history.anomalies import Anomaly, AnomalyCode
from reticent.history.entries import Context, Entry, Part, PartKind, Role

if TYPE_CHECKING:
    from collections.abc import Iterable

FOREVER = 1 << 62
"""Where an obligation closes that is still open."""


@dataclass(slots=True, eq=False)
class Call:
    """One call: where it was opened and where its final result stands (:data:`FOREVER` while it is due)."""

    pos: int
    part: Part
    task_id: str | None
    closed: int = FOREVER
    interim: bool = False
    failed: bool = False
    abandoned: bool = False

    @property
    def server(self) -> bool:
        """Whether the provider runs it."""
        return self.part.server

    @property
    def label(self) -> str:
        """What a report calls it: its id, else its name."""
        return self.part.id or self.part.name or "?"


@dataclass(slots=True)
class _Round:
    """The open calls of one task that can be matched by name."""

    nameless: dict[str, Call] = field(default_factory=dict[str, Call])
    unanswered: dict[int, Call] = field(default_factory=dict[int, Call])
    """Client calls without any result yet, by identity."""
    answered: bool = False
    turns: bool = False


class Pairing:
    """Collects calls and anomalies of pairing, entry by entry; ``calls`` keeps their order."""

    def __init__(self, context: Context, *, checkpoint: bool = False) -> None:
        self.context = context
        self.calls: list[Call] = []
        self.at: dict[int, list[Call]] = {}
        """Calls by the position of their entry."""
        self.closing: dict[int, list[Call]] = {}
        """Calls by the position of their final result."""
        self.anomalies: list[Anomaly] = []
        self._open: dict[str, Call] = {}
        self._rounds: dict[str | None, _Round] = {}
        self._checkpoint = checkpoint

    def feed(self, entries: Iterable[Entry]) -> None:
        """Take entries in order."""
        for entry in entries:
            self._feed(entry)
        for call in self.calls:
            if call.closed == FOREVER and call.part.id in self.context.abandoned:
                call.closed, call.abandoned = call.pos, True

    def open(self) -> list[Call]:
        """Calls whose result is still due, in order."""
        return [call for call in self.calls if call.closed == FOREVER]

    def _feed(self, entry: Entry) -> None:
        current = self._rounds.setdefault(entry.task_id, _Round())
        if entry.role is Role.ASSISTANT:
            current.turns = True
            if current.answered:
                current.nameless.clear()
                current.answered = False
        if entry.text_output:
            if not current.turns:
                self._orphan(entry.pos)
            return
        for part in entry.parts:
            if part.kind is PartKind.CALL:
                self._call(entry, part, current)
            elif part.kind is PartKind.RESULT:
                self._result(entry, part, current)
            elif part.kind is PartKind.CHECKPOINT:
                self._checkpoint = True
        if entry.role is Role.USER and not entry.nudge:
            self._user(entry, current)

    def _call(self, entry: Entry, part: Part, current: _Round) -> None:
        call = Call(entry.pos, part, entry.task_id)
        self.calls.append(call)
        self.at.setdefault(entry.pos, []).append(call)
        if part.closed:
            self._close(call, entry.pos)
            return
        if part.id is not None:
            first = self._open.setdefault(part.id, call)
            if first is not call:
                self.anomalies.append(Anomaly(first.pos, entry.pos, AnomalyCode.DUPLICATE_OPEN_CALL))
        else:
            first = current.nameless.setdefault(part.name or "", call)
            if first is not call:
                self.anomalies.append(Anomaly(first.pos, entry.pos, AnomalyCode.AMBIGUOUS_PAIRING))
        if not part.server:
            current.unanswered[id(call)] = call

    def _result(self, entry: Entry, part: Part, current: _Round) -> None:
        current.answered = current.answered or not part.server
        call = self._match(part, current, entry)
        if call is None:
            self._orphan(entry.pos)
            return
        current.unanswered.pop(id(call), None)
        call.failed = part.error
        if part.final:
            self._close(call, entry.pos)
        else:
            call.interim = True

    def _match(self, part: Part, current: _Round, entry: Entry) -> Call | None:
        if part.id is not None and part.id in self._open:
            return self._open[part.id]
        if part.name is None:
            return None
        if part.name in current.nameless:
            return current.nameless[part.name]
        if part.id is not None:
            return None
        named = [call for call in current.unanswered.values() if call.part.name == part.name]
        if len(named) > 1:
            self.anomalies.append(Anomaly(named[0].pos, entry.pos, AnomalyCode.AMBIGUOUS_PAIRING))
        return named[0] if named else None

    def _close(self, call: Call, pos: int) -> None:
        call.closed = pos
        self.closing.setdefault(pos, []).append(call)
        if call.part.id is not None and self._open.get(call.part.id) is call:
            del self._open[call.part.id]
        current = self._rounds[call.task_id]
        if current.nameless.get(call.part.name or "") is call:
            del current.nameless[call.part.name or ""]

    def _orphan(self, pos: int) -> None:
        # A checkpoint may have swallowed the call: then nothing says where the round began.
        self.anomalies.append(Anomaly(0 if self._checkpoint else pos, pos, AnomalyCode.ORPHAN_RESULT))

    def _user(self, entry: Entry, current: _Round) -> None:
        if not current.unanswered or not any(part.kind is PartKind.TEXT for part in entry.parts):
            return
        for call in current.unanswered.values():
            if call.part.id not in self.context.abandoned:
                self.anomalies.append(Anomaly(call.pos, entry.pos, AnomalyCode.OPEN_CALL_BEFORE_USER))
        current.unanswered.clear()
