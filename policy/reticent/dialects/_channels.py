"""What a stream handler keeps in constant memory: where blocks stand now, and what text waits for its next piece."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reticent.edits import Children, Put
from reticent.errors import InputTooLarge
from reticent.streams.arguments import ArgumentsFilter
from reticent.streams.tags import TextFilter

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from reticent.dialects._stream import StreamContext


@dataclass(slots=True)
class Numbers:
    """How the events of a stream are numbered: the last number that came, and what is added to those that stay."""

    last: int = -1
    shift: int = 0


class Positions:
    """Positions of blocks in a stream that loses some of them: later ones move up.

    Holds one number per withheld block and nothing per event.
    """

    __slots__ = ("_hidden", "_marked")

    def __init__(self) -> None:
        """Start with nothing withheld."""
        self._hidden: list[int] = []
        self._marked: set[int] = set()

    def hide(self, position: int) -> None:
        """The block at ``position`` is withheld."""
        if not self.is_hidden(position):
            self._hidden.append(position)

    def mark(self, position: int) -> None:
        """A mark stands at ``position``: later blocks count it, and what else comes for it is withheld still."""
        self._hidden.remove(position)
        self._marked.add(position)

    def show(self, position: int) -> None:
        """The block at ``position`` starts anew, as one that stays."""
        if position in self._hidden:
            self._hidden.remove(position)
        self._marked.discard(position)

    def is_hidden(self, position: Any) -> bool:
        """Whether the block at ``position`` is withheld."""
        return position in self._hidden or self.is_marked(position)

    def is_marked(self, position: Any) -> bool:
        """Whether a mark stands for the block at ``position`` already."""
        return type(position) is int and position in self._marked

    def moved(self, position: Any) -> Any:
        """Where a block that stays stands now; anything that is no position comes back as it is."""
        return position - sum(hidden < position for hidden in self._hidden) if type(position) is int else position

    def renumber(self, event: Mapping[str, Any], key: str, edits: Children) -> None:
        """Put the new position of ``event[key]`` into ``edits`` if it moved."""
        if self._hidden and key in event:
            moved = self.moved(event[key])
            if moved != event[key]:
                edits[key] = Put(moved)


OPEN_LIMIT = 1024
"""Channels of text that one stream may have open at a time; a stream that opens more is hostile."""


class TextChannels:
    """One tag filter for each channel of text in a stream (a content block, a choice, an item).

    Where the caller declared that text starts inside reasoning, that holds for the first text of each channel; with
    ``one_start``, of the stream: a template opens a message once, not each of its blocks.
    """

    __slots__ = ("_begun", "_context", "_filters", "_one_start")

    def __init__(self, context: StreamContext, *, one_start: bool = False) -> None:
        """Channels are opened on first use."""
        self._context = context
        self._filters: dict[Any, TextFilter | ArgumentsFilter] = {}
        self._one_start = one_start
        self._begun: set[Hashable] = set()

    def feed(self, channel: Any, text: str) -> str:
        """What of ``text`` may go on now."""
        channel = hashable(channel)
        found = self._filters.get(channel)
        if found is None:
            found = self._filters[channel] = self._open(channel)
        shown = found.feed(text)
        if isinstance(found, TextFilter):
            self._context.fed(found, text, shown)
        return shown

    def feed_arguments(self, channel: Any, text: str) -> str:
        """What of a piece of the arguments of a call may go on now."""
        channel = hashable(channel)
        found = self._filters.get(channel)
        if found is None:
            self._check_room()
            found = self._filters[channel] = ArgumentsFilter()
        return found.feed(text)

    def restart(self) -> None:
        """A new message begins: its first text may start inside reasoning again."""
        self._begun.clear()

    def _open(self, channel: Hashable) -> TextFilter:
        self._check_room()
        if not self._context.starts_inside:
            return TextFilter()
        start = None if self._one_start else channel
        first = start not in self._begun
        self._begun.add(start)
        return TextFilter(starts_inside=first)

    def _check_room(self) -> None:
        if len(self._filters) >= OPEN_LIMIT or len(self._begun) >= OPEN_LIMIT:
            raise InputTooLarge(f"more than {OPEN_LIMIT} texts at a time in one stream")

    def end(self, channel: Any) -> str:
        """Close one channel; the text it still held."""
        found = self._filters.pop(hashable(channel), None)
        if found is None:
            return ""
        rest = found.flush()
        for rule, length in found.removed:
            self._context.removed(rule, length)
        return rest

    def is_unfinished(self, channel: Any) -> bool:
        """Whether the text of a channel ends inside reasoning, or in what may become a marker."""
        found = self._filters.get(hashable(channel))
        return found is not None and (found.held > 0 or found.is_inside)

    def carry(self, channel: Any, into: Any, text: str) -> bool:
        """Let the text of an unfinished ``channel`` go on in ``into``, which begins with ``text``, if it would."""
        found = self._filters[hashable(channel)]
        if isinstance(found, ArgumentsFilter) or not found.would_go_on(text):
            return False
        self._filters[hashable(into)] = self._filters.pop(hashable(channel))
        return True

    def withheld(self, channel: Any) -> bool:
        """Whether an open channel has lost text so far."""
        found = self._filters.get(hashable(channel))
        return found is not None and bool(found.removed)

    def open(self) -> list[Any]:
        """Channels that are open now, oldest first."""
        return list(self._filters)


def hashable(value: Any) -> Hashable:
    """``value``, which came off the wire as a name or number, as something that a dict can be asked for."""
    try:
        hash(value)
    except TypeError:
        return repr(value)
    name: Hashable = value
    return name
