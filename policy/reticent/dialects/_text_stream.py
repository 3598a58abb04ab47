"""Streams whose text comes in pieces on named channels, with nothing to renumber.

Most frameworks send text by the id of a message or part: a start, deltas, an end, and no positions in a list. One
handler serves them all; a dialect says where an event holds text, which channels an event ends, and how an event looks
that carries the rest of a channel.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from reticent.dialects._channels import TextChannels, hashable
from reticent.dialects._marks import Run
from reticent.dialects._stream import GONE, Event, Outcome, StreamContext, put
from reticent.edits import DROP, Edit, apply


class _All:
    """The one instance is ``ALL``."""

    __slots__ = ()


ALL: Final = _All()
"""Every channel that is open."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Text in an event: the channel it belongs to, the keys and positions that lead to it, the text itself.

    ``arguments`` says that it is a piece of the arguments of a call, which are read as such.
    """

    channel: Any
    path: tuple[Any, ...]
    text: str
    arguments: bool = False


def same_event(event: Event, piece: Piece, text: str) -> Event:
    """The event that carries ``text``: the one that ``piece`` came in, with another text."""
    made: Event = apply(event, put(None, piece.path, text))
    return made


@dataclass(frozen=True, slots=True)
class MarkEvents:
    """How a protocol that knows its blocks by ids leaves a mark for those that were withheld.

    ``count`` adds what a withheld event says of such a block to a run, ``settles`` whether an event that stays begins
    something behind them, and ``make`` builds the event that is the mark.
    """

    label: str
    count: Callable[[Event, Run], None]
    settles: Callable[[Event], bool]
    make: Callable[[Run], Event]


@dataclass(frozen=True, slots=True)
class Channels:
    """How a protocol streams text.

    ``pieces`` finds the text of an event, ``ends`` the channels that are over with it (or ``ALL``), ``make`` builds
    the event that carries what a channel still held, out of the last event of that channel. ``bare`` says whether an
    event is nothing but its text, so that it goes when nothing of the text may be shown.
    """

    pieces: Callable[[Event], Sequence[Piece]]
    ends: Callable[[Event], Iterable[Any] | _All]
    make: Callable[[Event, Piece, str], Event] = same_event
    bare: Callable[[Event], bool] = lambda _event: False
    marks: MarkEvents | None = None


class ChannelStream:
    """One stream of text channels; holds the last event of every open channel and nothing else."""

    def __init__(self, channels: Channels, context: StreamContext) -> None:
        """Start before the first event."""
        self._channels = channels
        self._text = TextChannels(context)
        self._last: dict[Hashable, tuple[Event, Piece]] = {}
        self._marks = channels.marks if context.marks else None
        self._run: Run | None = None

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """Filter the text of ``event`` for inline tags; channels that end give up what they held."""
        outcome = self._judged(event, edit)
        marks = self._marks
        if marks is None:
            return outcome
        if outcome.edit is not DROP:
            return Outcome(outcome.edit, [*outcome.before, *self._mark()]) if marks.settles(event) else outcome
        run = self._run or Run(marks.label)
        marks.count(event, run)
        self._run = run if run.counted.count else None
        return outcome

    def _mark(self) -> list[Event]:
        run, self._run = self._run, None
        return [] if run is None or self._marks is None else [self._marks.make(run)]

    def _judged(self, event: Event, edit: Edit | None) -> Outcome:
        if edit is DROP:
            return GONE
        ended = self._channels.ends(event)
        over = set(self._text.open()) if isinstance(ended, _All) else set(map(hashable, ended))
        for piece in self._channels.pieces(event):
            if found_at(edit, piece.path) is not None:
                continue
            shown = self._fed(event, piece, is_last=isinstance(ended, _All) or hashable(piece.channel) in over)
            over.discard(hashable(piece.channel))
            if not shown and piece.text and self._channels.bare(event):
                return Outcome(DROP, self._released(over))
            if shown != piece.text:
                edit = put(edit, piece.path, shown)
        return Outcome(edit, self._released(over))

    def close(self) -> Sequence[Event]:
        """Events for text that was held back when the stream ended, and the mark of what it ended with."""
        return [*self._released(self._text.open()), *self._mark()]

    def _fed(self, event: Event, piece: Piece, *, is_last: bool) -> str:
        """What of a piece may be shown now; all that is left of it when its channel ends with this event."""
        channel = hashable(piece.channel)
        feed = self._text.feed_arguments if piece.arguments else self._text.feed
        shown = feed(channel, piece.text)
        if is_last:
            self._last.pop(channel, None)
            return shown + self._text.end(channel)
        self._last[channel] = (event, piece)
        return shown

    def _released(self, channels: Iterable[Hashable]) -> list[Event]:
        found: list[Event] = []
        for channel in [name for name in self._text.open() if name in set(channels)]:
            rest = self._text.end(channel)
            last = self._last.pop(channel, None)
            if rest and last is not None:
                found.append(self._channels.make(*last, rest))
        return found


def found_at(edit: Edit | None, path: Sequence[Any]) -> Edit | None:
    """The edit of what stands at ``path``, or of anything around it that goes as a whole."""
    for key in path:
        if edit is None or not isinstance(edit, dict):
            return edit
        edit = edit.get(key)
    return edit
