"""A machine that cuts blocks out of text that arrives in pieces; what opens a block is for a subclass to say.

It is handed a buffer, decides as much of it as can be decided, and says how far it came; the undecided rest is handed
in again with more text behind it. Nothing of the text is kept in between. Each state is a method that takes an offset
in the buffer and returns the next one; a state that needs more text says so with ``_wait``.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from reticent.streams import _markers as markers
from reticent.streams._markdown import Position

if TYPE_CHECKING:
    from reticent.streams._marker_forms import Marker

_NEWLINES = re.compile(r"[\r\n]*")


class Cut(NamedTuple):
    """One piece that does not leave: offsets in the whole text; ``more`` continues the piece before it."""

    start: int
    end: int
    rule: str
    more: bool


class CuttingMachine(ABC):
    """Visible text, blocks, and the way from one to the other; the caller reads and clears ``cuts``."""

    def __init__(self, *, starts_inside: bool) -> None:
        self.cuts: list[Cut] = []
        self._position = Position()
        self._state: Callable[[int], int] = self._visible
        self._text, self._final, self._stuck = "", False, False
        self._base = 0  # offset of the buffer in the whole text
        self._kept_since = 0  # where the text begins that was shown since the last cut
        self._opening = True  # forms that count only where a text begins are still possible
        self._seen_block = False
        self._mentioned: set[Marker] = set()
        self._block, self._block_rule, self._block_on_line = markers.FROM_PROMPT, "", True
        if starts_inside:
            self._block_rule, self._state = markers.FROM_PROMPT.rule, self._inside

    @abstractmethod
    def _visible(self, at: int) -> int:
        """The state in which text is shown."""

    @property
    def is_inside(self) -> bool:
        """Whether what comes next is part of a block."""
        return self._state == self._inside

    def run(self, text: str, *, final: bool) -> int:
        """Decide as much of ``text`` as possible; the number of characters decided, all of them when ``final``."""
        self._text, self._final, self._stuck = text, final, False
        at = 0
        while at < len(text) and not self._stuck:
            at = self._state(at)
        self._base += at
        self._text = ""
        return at

    def skim(self, text: str) -> None:
        """Take in visible ``text`` that holds nothing to stop at."""
        self._text = text
        self._base += self._show(0, len(text))
        self._text = ""

    @property
    def in_line(self) -> bool:
        """Whether text without markup and line breaks changes nothing but what stood last."""
        return self._position.in_line

    # What every state uses.

    def _wait(self, at: int) -> int:
        self._stuck = True
        return at

    def _show(self, start: int, end: int) -> int:
        if self._mentioned and "\n" in self._text[start:end]:
            self._mentioned.clear()
        self._position.advance(self._text, start, end)
        return end

    def _cut(self, start: int, end: int, rule: str, *, more: bool = False) -> int:
        if end > start:
            self.cuts.append(Cut(self._base + start, self._base + end, rule, more))
            self._kept_since = self._base + end
        return end

    # Reasoning.

    def _open(self, at: int, end: int, marker: Marker, rule: str) -> int:
        self._block, self._block_rule, self._block_on_line = marker, rule, self._position.line_start
        self._state = self._inside
        return self._cut(at, end, rule)

    def _inside(self, at: int) -> int:
        """The first closer ends the block, whatever stands around it; without one it runs to the end."""
        text, marker = self._text, self._block
        found = marker.close.search(text, at)
        if found is None:
            tail = None if self._final else marker.growing.search(text, max(at, len(text) - markers.LONGEST_CLOSER))
            end = tail.start() if tail else len(text)
            return self._wait(self._cut(at, end, self._block_rule, more=True))
        end = found.start() if found.lastgroup == "stop" else found.end()
        self._cut(at, end, self._block_rule, more=True)
        return self._closed(end)

    def _closed(self, end: int) -> int:
        """After a block: the newlines that follow it go too, when it stood on lines of its own."""
        self._seen_block = True
        self._mentioned.clear()
        self._position.restart()
        self._opening = self._position.pristine
        self._state = self._after if self._block_on_line else self._visible
        return end

    def _after(self, at: int) -> int:
        found = _NEWLINES.match(self._text, at)
        end = self._cut(at, found.end() if found else at, self._block_rule, more=True)
        if end < len(self._text):
            self._state = self._visible
        return end
