"""The events of one stream, judged one at a time: the walk for what an event holds, a handler for what came before.

A stream can carry several protocols, so each event goes to the handler of the dialect that claims it, and handlers live
as long as the stream. An event inside another (``dialects._wraps``) goes to the handler of its own protocol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from reticent.dialects import Dialect, all_dialects
from reticent.dialects._stream import Event, Outcome, StreamHandler
from reticent.dialects._wraps import Lane, Step, Wraps, carried, lane
from reticent.edits import DROP, Children, Edit, Insert, apply
from reticent.serializers import closed
from reticent.serializers.runs import Fed
from reticent.serializers.walk import Walk

if TYPE_CHECKING:
    from reticent.dialects._channels import Numbers
    from reticent.dialects._rules import WrapRule
    from reticent.serializers.program import Program
    from reticent.serializers.report import Report
    from reticent.streams.tags import TextFilter


@cache
def _wraps() -> Wraps:
    return Wraps(rule for dialect in all_dialects() for rule in dialect.kinds.wraps)


_PAIR: Final[Lane] = ("pair",)


def _is_pair(value: Any) -> bool:
    """Whether ``value`` is an event and the metadata of the LangGraph node that it comes from."""
    if value.__class__ is not list or not all(item.__class__ is dict for item in value):
        return False
    return len(value[1:]) == 1 and any(str(name).startswith("langgraph_") for name in value[1])


class Session:
    """One stream to one surface; ``report`` gathers what goes."""

    def __init__(self, program: Program, report: Report, *, starts_inside: bool = False, live: bool = False) -> None:
        """Start before the first event; ``live`` says that they are sent as events, and are not records in a file."""
        self.starts_inside = starts_inside
        self._live = live
        self.marks = program.options.on_strip == "mark"
        self._program = program
        self._report = report
        self._handlers: dict[tuple[str, Lane], StreamHandler] = {}
        self._envelopes: dict[Lane, list[tuple[WrapRule, Event]]] = {}
        self._streaming = [dialect for dialect in all_dialects() if dialect.stream is not None]
        self._wraps = _wraps()
        self._last: Dialect | None = None
        self._beside: Any = None
        self.feeds: list[Fed] = []
        """Text of the current event that went through the filter of a channel."""
        self.numbers: Numbers | None = None
        """What counts the current event, when it has a number of its own."""
        self.partial = False
        """Whether the text of the current event was left to such a filter alone."""

    def event(self, event: Any) -> Outcome:
        """What becomes of one event (a parsed payload of any kind)."""
        if self.feeds:
            self.feeds.clear()
        self.numbers = None
        if event.__class__ is not dict:
            return self._pair(event) if _is_pair(event) else Outcome(self._walk().root(event))
        steps = self._wraps.unwrap(event)
        if steps:
            dialect = self._claimed(steps[-1].inner)
            if dialect is not None:
                return self._unwrapped(dialect, steps)
        dialect = self._claimed(event)
        if dialect is None:
            return Outcome(self._walk().root(event))
        edit = self._walk(dialect, event).root(event)
        return self._handler(dialect, ()).event(event, edit)

    def close(self) -> list[Any]:
        """Events to send at the end, for text that was held back."""
        found: list[Any] = []
        for (_, at), handler in self._handlers.items():
            for made in handler.close():
                event: Any = made
                for rule, envelope in reversed(self._envelopes.get(at, [])):
                    event = carried(rule, envelope, event)
                found.append(event if at is not _PAIR else [event, self._beside])
        return found

    def _pair(self, pair: list[Any]) -> Outcome:
        """An event with metadata behind it, as LangGraph streams the chunks of messages."""
        event, _ = pair
        dialect = self._claimed(event)
        if dialect is None:
            return Outcome(self._walk().root(pair))
        walk = self._walk(dialect, event)
        beside = walk.root(pair[1])
        self._beside = apply(pair[1], beside)
        edits: Children = {} if beside is None else {1: beside}
        outcome = self._handler(dialect, _PAIR).event(event, walk.root(event))
        before: list[Any] = [[made, self._beside] for made in outcome.before]
        if outcome.edit is DROP:
            return Outcome(DROP, before)
        if outcome.edit is not None:
            edits[0] = outcome.edit
        return Outcome(edits or None, before)

    def _unwrapped(self, dialect: Dialect, steps: Sequence[Step]) -> Outcome:
        """Judge the innermost event by its own protocol and carry the answer outwards."""
        at = lane(steps)
        edits: list[Edit | None] = []
        edit: Edit | None = None
        for number, step in enumerate(steps):
            if number == 0 or steps[number - 1].rule.coding:
                edit = self._walk(dialect, steps[-1].inner).root(step.visible)
            edits.append(edit)
            edit = step.found_inside(edit)
        if steps[-1].rule.coding:
            edit = self._walk(dialect, steps[-1].inner).root(steps[-1].inner)
        outcome = self._handler(dialect, at).event(steps[-1].inner, edit)
        if at not in self._envelopes or edits[0] is not DROP:
            self._envelopes[at] = [(step.rule, step.envelope(found)) for step, found in zip(steps, edits, strict=True)]
        for step, found in zip(reversed(steps), reversed(edits), strict=True):
            outcome = step.outcome(found, outcome)
        return outcome

    def fed(self, text_filter: TextFilter, text: str, shown: str) -> None:
        """Note that ``text`` of the current event went through the filter of its channel."""
        self.feeds.append(Fed(text_filter, text, shown))

    def numbered(self, numbers: Numbers) -> None:
        """Note that the current event has a number of its own."""
        self.numbers = numbers

    def withhold(self, rule: str, value: Any) -> None:
        """Count ``value`` as removed by ``rule``."""
        self._walk().withhold(rule, value)

    def removed(self, rule: str, length: int) -> None:
        """Count ``length`` characters as removed by ``rule``."""
        self._report.add(rule, length)

    def is_unknown(self, at: str, block: Mapping[str, Any]) -> bool:
        """Whether ``block`` has a type that may not stand in the closed position ``at`` and is to be withheld."""
        return closed.withheld_unknown(self._walk(), at, block)

    def _walk(self, dialect: Dialect | None = None, event: Event | None = None) -> Walk:
        """A walk; text of an event that holds only a piece of one is left to the handler of ``dialect``."""
        partial = dialect is not None and event is not None and dialect.partial(event)
        walk = Walk(self._program, self._report, inline_tags=not partial)
        if dialect is not None:
            self.partial = partial
            if self.marks and event is not None:
                walk.unmarked = {*walk.unmarked, *dialect.gathers(event)}
        return walk

    def _claimed(self, event: Event) -> Dialect | None:
        last = self._last
        if last is not None and last.claims(event):
            return last
        for dialect in self._streaming:
            if dialect.claims(event):
                self._last = dialect
                return dialect
        if self._live:
            return next((dialect for dialect in self._streaming if dialect.pieces(event)), None)
        return None

    def _handler(self, dialect: Dialect, at: Lane) -> StreamHandler:
        found = self._handlers.get((dialect.id, at))
        if found is None:
            assert dialect.stream is not None  # noqa: S101 - only such dialects are in the list
            found = self._handlers[dialect.id, at] = dialect.stream(self)
        return found


def edits_of_events(program: Program, report: Report, events: Sequence[Any]) -> Children | None:
    """The edits of an array that holds the events of one stream, or None when nothing in it is reasoning."""
    before = report.total
    session = Session(program, report)
    edits: Children = {}
    for at, event in enumerate(events):
        outcome = session.event(event)
        if outcome.before:
            edits[at] = Insert(outcome.before, outcome.edit)
        elif outcome.edit is not None:
            edits[at] = outcome.edit
    after = session.close()
    if after:
        last = len(events) - 1
        edit = edits.get(last)
        inner = edit if isinstance(edit, Insert) else Insert((), edit)
        edits[last] = Insert(inner.before, inner.edit, after)
    if report.total == before:
        return None  # text was held back and came later, as it must on a live wire; an array can stay as it is
    return edits or None


def is_event(value: Any) -> bool:
    """Whether a value is an event of some dialect's stream, so that an array of such is judged in order."""
    if not isinstance(value, dict):
        return False
    steps = _wraps().unwrap(value)
    candidates = (value, steps[-1].inner) if steps else (value,)
    return any(dialect.claims(event) for dialect in all_dialects() if dialect.stream for event in candidates)
