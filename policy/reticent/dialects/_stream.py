"""What dialects with events share: how one event of a stream is judged, and how positions close up behind a cut.

The walk has already looked at the event by itself. What it cannot know is what came before: whether a delta belongs
to a block that was withheld, which position a later block has now, and what a text channel still holds back because
the next piece could turn it into an inline tag. A handler keeps that, for one stream, in constant memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from reticent.dialects._channels import Numbers, Positions, TextChannels, hashable
from reticent.dialects._marks import Counted, Mark, Run, block_label, block_length, typed_mark
from reticent.edits import DROP, Children, Edit, Put

if TYPE_CHECKING:
    from reticent.streams.tags import TextFilter

__all__ = [
    "CALL",
    "GONE",
    "BlockEvents",
    "BlockStream",
    "Event",
    "Outcome",
    "Positions",
    "StreamContext",
    "StreamHandler",
    "TextChannels",
    "hashable",
    "placed",
    "put",
]

Event = dict[str, Any]
CALL = "arguments"
"""What the channel of a call's arguments begins with, beside the position of its block."""


@dataclass(slots=True)  # not frozen: there is one for each event, and a frozen one takes three times as long
class Outcome:
    """What becomes of one event: events to send before it, and its own edit (None: as it came)."""

    edit: Edit | None = None
    before: Sequence[Event] = ()


GONE = Outcome(DROP)


class StreamContext(Protocol):
    """What a handler may ask about the surface that the stream goes to."""

    starts_inside: bool
    marks: bool
    """Whether a withheld block leaves a mark (``on_strip: mark``)."""

    def withhold(self, rule: str, value: Any) -> None:
        """Count ``value`` as removed by ``rule``."""
        ...

    def removed(self, rule: str, length: int) -> None:
        """Count ``length`` characters as removed by ``rule``."""
        ...

    def is_unknown(self, at: str, block: Mapping[str, Any]) -> bool:
        """Whether ``block`` has a type that may not stand in the closed position ``at`` and is to be withheld."""
        ...

    def fed(self, text_filter: TextFilter, text: str, shown: str) -> None:
        """Note that ``text`` of the current event went through the filter of its channel."""
        ...

    def numbered(self, numbers: Numbers) -> None:
        """Note that the current event has a ``sequence_number``; whoever drops one counts it in ``numbers``."""
        ...


class StreamHandler(Protocol):
    """Judges the events of one stream, one at a time."""

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """What becomes of ``event``; ``edit`` is what the walk found in it by itself."""
        ...

    def close(self) -> Sequence[Event]:
        """Events to send at the end of the stream for text that was still held back."""
        ...


@dataclass(frozen=True, slots=True)
class BlockEvents:
    """The names of a protocol that streams numbered blocks: start, deltas, stop.

    ``kind`` is the key that names an event, ``position`` the key of the block's number, ``block`` the key of the block
    in a start event, ``at`` the closed position its type belongs to. ``text`` finds the text of a delta event as
    ``(path of keys, text)`` or None, ``make_text`` builds a delta event; ``arguments`` and ``make_arguments`` do so for
    the arguments of a call. ``make_mark`` builds the events of a block that is a mark, and ``mark`` the mark itself.
    """

    start: frozenset[str]
    delta: frozenset[str]
    stop: frozenset[str]
    position: str
    block: str
    at: str
    text: Callable[[Event], tuple[tuple[str, ...], str] | None]
    make_text: Callable[[Any, str], Event]
    make_mark: Callable[[Any, Event], Sequence[Event]]
    kind: str = "type"
    mark: Callable[[Counted], Mark] = typed_mark
    arguments: Callable[[Event], tuple[tuple[str, ...], str] | None] = lambda _event: None
    make_arguments: Callable[[Any, str], Event] = lambda _position, _text: {}


class BlockStream:
    """One stream of numbered blocks; what subclasses of protocols share."""

    always_typed: ClassVar[bool] = False
    """Whether every block and delta of the protocol has a type, so that one without is of an unknown kind."""
    drops_held: ClassVar[bool] = False
    """Whether a delta goes when all of its text is held back, because nothing else is in it."""

    def __init__(self, names: BlockEvents, context: StreamContext) -> None:
        """Start before the first event."""
        self.names = names
        self.context = context
        self.positions = Positions()
        self.text = TextChannels(context, one_start=True)
        self._runs: list[Run] = []

    def restart(self) -> None:
        """A new message begins on the same connection."""
        self.positions = Positions()
        self.text.restart()
        self._runs = []

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """Drop events of withheld blocks, close the gaps in positions, filter text deltas for inline tags."""
        kind = event.get(self.names.kind)
        if kind in self.names.start:
            return self._start(event, edit)
        if kind in self.names.delta:
            return self._delta(event, edit)
        if kind in self.names.stop:
            return self._stop(event, edit)
        return Outcome(edit)

    def close(self) -> Sequence[Event]:
        """Text that was held back, and the mark of a run that ended the stream."""
        return [*self._held_text(), *self._mark_events()]

    def _start(self, event: Event, edit: Edit | None) -> Outcome:
        position = event.get(self.names.position)
        block = event.get(self.names.block)
        unknown = edit is not DROP and isinstance(block, dict) and self._is_unknown(self.names.at, block)
        if edit is DROP or unknown:
            self._withhold(position, block, unknown=unknown)
            return GONE
        before = self._mark_events()
        return Outcome(self._shown(event, position, self._renumbered(event, edit)), before)

    def _is_unknown(self, at: str, block: Event) -> bool:
        """Whether ``block``, or a delta, has a type that may not stand in the closed position ``at``."""
        if not self.always_typed or isinstance(block.get("type"), str):
            return self.context.is_unknown(at, block)
        self.context.withhold("unknown-type", block)
        return True

    def _delta(self, event: Event, edit: Edit | None) -> Outcome:
        position = event.get(self.names.position)
        if self.positions.is_hidden(position):
            self._count(position, event)
            return GONE
        if edit is DROP:
            return GONE
        edits = self._shown(event, position, self._renumbered(event, edit))
        return GONE if self.drops_held and self._is_held(event, edits) else Outcome(edits)

    def _shown(self, event: Event, position: Any, edits: Edit | None) -> Edit | None:
        """``edits`` with what of the text of ``event`` may go on now."""
        found = self.names.text(event)
        if found is None:
            return self._shown_arguments(event, position, edits)
        path, text = found
        shown = self.text.feed(position, text)
        return edits if shown == text else put(edits, path, shown)

    def _shown_arguments(self, event: Event, position: Any, edits: Edit | None) -> Edit | None:
        found = self.names.arguments(event)
        if found is None:
            return edits
        path, text = found
        shown = self.text.feed_arguments((CALL, hashable(position)), text)
        return edits if shown == text else put(edits, path, shown)

    def _is_held(self, event: Event, edits: Edit | None) -> bool:
        """Whether all that a delta brought is held back, so that it comes later in an event of its own."""
        found = self.names.text(event)
        if found is None or not found[1]:
            return False
        for key in found[0]:
            edits = edits.get(key) if isinstance(edits, dict) else None
        return isinstance(edits, Put) and edits.value == ""

    def _stop(self, event: Event, edit: Edit | None) -> Outcome:
        position = event.get(self.names.position)
        if edit is DROP or self.positions.is_hidden(position):
            self._recount(position, event.get(self.names.block))
            return GONE
        before = [*self._made(position), *self._made((CALL, hashable(position)))]
        return Outcome(self._renumbered(event, edit), before)

    def _made(self, channel: Any) -> list[Event]:
        """The event that carries what a channel still holds, if anything."""
        rest = self.text.end(channel)
        if not rest:
            return []
        if isinstance(channel, tuple):
            return [self.names.make_arguments(self.positions.moved(channel[1]), rest)]
        return [self.names.make_text(self.positions.moved(channel), rest)]

    def _renumbered(self, event: Event, edit: Edit | None) -> Edit | None:
        edits: Children = dict(edit) if isinstance(edit, dict) else {}
        self.positions.renumber(event, self.names.position, edits)
        return edits or None

    def _withhold(self, position: Any, block: Any, *, unknown: bool) -> None:
        if type(position) is not int:
            return
        self.positions.hide(position)
        if not unknown and not self.context.marks:
            return
        if not self._runs or unknown or self._runs[-1].unknown:
            label = block_label(block) if isinstance(block, dict) else "unnamed"
            self._runs.append(Run(label, first=position, unknown=unknown))
        self._runs[-1].put(position, block_length(block))

    def _count(self, position: Any, event: Event) -> None:
        """Count a piece of a withheld block, unless its mark was sent already."""
        for run in self._runs:
            if run.holds(position):
                run.add(position, sum(block_length(value) for value in event.values() if isinstance(value, dict)))

    def _recount(self, position: Any, block: Any) -> None:
        """Count a withheld block anew where an event repeats all of it."""
        for run in self._runs:
            if isinstance(block, dict) and run.holds(position):
                run.put(position, block_length(block))

    def _mark_events(self) -> Sequence[Event]:
        runs, self._runs = self._runs, []
        found: list[Event] = []
        for run in runs:
            self.positions.mark(run.first)
            found += self.names.make_mark(self.positions.moved(run.first), self.names.mark(run.counted))
        return found

    def _held_text(self) -> list[Event]:
        return [event for channel in self.text.open() for event in self._made(channel)]


def put(edit: Edit | None, path: Sequence[Any], value: Any) -> Edit:
    """``edit`` with the value at ``path`` replaced."""
    return placed(edit, path, Put(value))


def placed(edit: Edit | None, path: Sequence[Any], below: Edit) -> Edit:
    """``edit`` with ``below`` as the edit of what stands at ``path``."""
    if not path:
        return below
    edits: Children = dict(edit) if isinstance(edit, dict) else {}
    edits[path[0]] = placed(edits.get(path[0]), path[1:], below)
    return edits
