"""Marks of arrays that come in pieces: each event holds a few elements, and readers put them one behind another.

What a whole message holds as one block may come as many elements, so that a mark has to wait until something else is
shown behind them, or until the message ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reticent.dialects._marks import Counted, Mark, Run, block_label, block_length
from reticent.edits import DROP, Children, Edit, Insert

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from reticent.dialects._stream import StreamContext


class Gathering:
    """The withheld elements of one stream that no mark stands for yet, by channel."""

    def __init__(
        self,
        context: StreamContext,
        mark: Callable[[Counted], Mark],
        *,
        name: Callable[[Mapping[str, Any]], Hashable],
        goes_on: Callable[[Any], bool],
        is_shown: Callable[[Any], bool] = bool,
    ) -> None:
        """Start before the first event.

        Elements of the same ``name`` in a row are pieces of one block where it ``goes_on``. ``is_shown`` says whether
        a reader makes anything of an element that stays.
        """
        self._marks = context.marks
        self._mark = mark
        self._name = name
        self._goes_on = goes_on
        self._is_shown = is_shown
        self._runs: dict[Hashable, Run] = {}
        self._names: dict[Hashable, tuple[Hashable, int]] = {}

    def gathered(
        self, channel: Hashable, items: Sequence[Any], edit: Edit | None, *, ends: bool = False
    ) -> Edit | None:
        """``edit`` of the elements that an event brings, with marks in front of what is shown.

        Where the message ``ends`` with them, a mark goes behind them as well.
        """
        if not self._marks:
            return edit
        edits: Children = dict(edit) if isinstance(edit, dict) else {}
        for at, item in enumerate(items):
            if edits.get(at) is DROP and isinstance(item, dict):
                self.add(channel, item)
            elif self._is_shown(item) and channel in self._runs:
                edits[at] = Insert(self.take(channel), edits.get(at))
        if ends and items and channel in self._runs:
            last = edits.get(len(items) - 1)
            found = last if isinstance(last, Insert) else Insert((), last)
            edits[len(items) - 1] = Insert(found.before, found.edit, self.take(channel))
        return edits or None

    def add(self, channel: Hashable, item: Mapping[str, Any]) -> None:
        """Count an element that is withheld."""
        run = self._runs.get(channel)
        if run is None:
            run = self._runs[channel] = Run(block_label(item))
            self._names.pop(channel, None)
        name = self._name(item)
        last, number = self._names.get(channel, (None, 0))
        if name != last or not self._goes_on(name):
            number += 1
        self._names[channel] = name, number
        run.add(number, block_length(item))

    def take(self, channel: Hashable) -> list[Mark]:
        """The mark for what was withheld since the last one, if anything was."""
        run = self._runs.pop(channel, None)
        return [] if run is None else [self._mark(run.counted)]

    def open(self) -> list[Any]:
        """Channels that wait for a mark."""
        return list(self._runs)
