"""Arguments of a call as they are streamed: the text of a JSON document, in which a value may open with a thought.

A model that thinks while it fills in a value leaves ``{"text": "<think>…</think>Done."}``. Only a block that opens a
value, is closed inside it and has something behind it counts (``docs/decisions/0100-thoughts-in-arguments.md``), so
that a file about tags is written as it is. Whether a block is one shows when the character behind its closer comes:
until then the value is held back, everything else goes on at once.
"""

from __future__ import annotations

import re
from typing import Final

from reticent.errors import InputTooLarge
from reticent.streams import _markers as markers
from reticent.streams.tags import Span, may_hold_reasoning, reasoning_spans

LIMIT: Final = 256 * 1024
"""Characters of one value that are held back at most; a longer one that may still be a thought is refused."""

_DEEPEST: Final = 1024
_STRUCTURE: Final = re.compile(r'["\[\]{}:,]')
_IN_STRING: Final = re.compile(r'["\\]')
_PIECE: Final = re.compile(r"\\u([0-9a-fA-F]{4})|\\(.)|([^\\]+)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_OPENS: Final = ("<", "[", "◁")
_CLOSES: Final = re.compile(r"[>\]▷]|\\u")


def leading_block(text: str) -> Span | None:
    """The block that opens ``text``, is closed inside it and has text behind it; None when there is none."""
    if text.lstrip()[:1] not in _OPENS or not may_hold_reasoning(text):
        return None
    spans = reasoning_spans(text, harmony=False)
    if not spans or text[: spans[0].start].strip() or spans[0].end >= len(text):
        return None
    return spans[0]


class ArgumentsFilter:
    """Takes the arguments of one call as they arrive and gives what may be shown of them.

    The outputs of all ``feed`` calls and of ``flush``, joined, are the joined input without the leading blocks of its
    values, however the input was divided.
    """

    __slots__ = ("_escaped", "_held", "_inside", "_is_value", "_open", "removed")

    def __init__(self) -> None:
        """Start before the first character."""
        self.removed: list[tuple[str, int]] = []
        self._open: list[str] = []
        self._is_value = True
        self._inside = False
        self._escaped = False
        self._held: list[str] | None = None

    @property
    def held(self) -> int:
        """Characters held back now."""
        return sum(map(len, self._held or ()))

    @property
    def is_inside(self) -> bool:
        """Nothing is known to be reasoning before it has ended."""
        return False

    def feed(self, text: str) -> str:
        """What of the arguments so far may be shown now and was not shown yet.

        Raises:
            InputTooLarge: a value may still turn out to be a thought and is longer than ``LIMIT``.
        """
        out: list[str] = []
        at = 0
        while at < len(text):
            at = self._string(text, at, out) if self._inside else self._between(text, at, out)
        return "".join(out)

    def flush(self) -> str:
        """What was held back when the arguments ended: a value without its end is not judged by it."""
        held, self._held = "".join(self._held or ()), None
        return held

    def _between(self, text: str, at: int, out: list[str]) -> int:
        """Outside of strings: everything goes on; what comes next is a value or a key."""
        found = _STRUCTURE.search(text, at)
        end = found.end() if found else len(text)
        out.append(text[at:end])
        if found is None:
            return end
        char = found[0]
        if char == '"':
            self._inside = True
            self._held = [] if self._is_value else None
        elif char in "[{":
            if len(self._open) >= _DEEPEST:
                raise InputTooLarge(f"arguments nest deeper than {_DEEPEST} levels")
            self._open.append(char)
            self._is_value = char == "["
        elif char in "]}":
            if self._open:
                self._open.pop()
            self._is_value = False
        else:
            self._is_value = char == ":" or self._open[-1:] == ["["]
        return end

    def _string(self, text: str, at: int, out: list[str]) -> int:
        """Inside a string, up to its end or to that of the piece."""
        end, closed = self._end(text, at)
        raw = text[at:end]
        if self._held is None:
            out.append(raw)
        else:
            self._held.append(raw)
            shown = self._decided(closed=closed, news=raw)
            if shown is not None:
                out.append(shown)
                self._held = None
        if not closed:
            return end
        out.append('"')
        self._inside = self._is_value = False
        return end + 1

    def _end(self, text: str, at: int) -> tuple[int, bool]:
        """Where the string ends, or the piece of it; escapes may be cut in two."""
        while at < len(text):
            if self._escaped:
                self._escaped = False
                at += 1
                continue
            found = _IN_STRING.search(text, at)
            if found is None:
                return len(text), False
            if found[0] == '"':
                return found.start(), True
            self._escaped = True
            at = found.end()
        return len(text), False

    def _decided(self, *, closed: bool, news: str) -> str | None:
        """What is shown of the value that is held back; None as long as nobody can say."""
        raw = "".join(self._held or ())
        if not closed and len(raw) > LIMIT:
            raise InputTooLarge(f"a value of arguments may still be reasoning after {LIMIT} characters")
        if not closed and len(raw) > markers.LONGEST_MARKER and _CLOSES.search(news) is None:
            return None
        value, places = _decoded(raw)
        if not closed and _may_become_block(value):
            span = leading_block(value)
            if span is None:
                return None
        else:
            span = leading_block(value) if closed else None
        if span is None:
            return raw
        self.removed.append((span.rule, span.end - span.start))
        return raw[: places[span.start]] + raw[places[span.end] :]


def _may_become_block(value: str) -> bool:
    """Whether a value that goes on begins with what is, or may become, the opener of a block."""
    at = len(value) - len(value.lstrip())
    if at == len(value):
        return True
    if value[at] not in _OPENS:
        return False
    return markers.read_marker(value, at) is not None or markers.may_grow(value, at)


def _decoded(raw: str) -> tuple[str, list[int]]:
    """What the inside of a JSON string says, and where each of its characters stands; an escape cut in two is left."""
    text: list[str] = []
    places: list[int] = []
    end = 0
    for piece in _PIECE.finditer(raw):
        if piece.start() != end:
            break
        end = piece.end()
        if piece[3] is not None:
            text.append(piece[3])
            places.extend(range(piece.start(), end))
            continue
        if piece[2] == "u" and len(raw) - piece.start() <= len("\\u123"):
            end = piece.start()
            break
        text.append(chr(int(piece[1], 16)) if piece[1] is not None else _ESCAPES.get(piece[2], piece[2]))
        places.append(piece.start())
    return "".join(text), [*places, end]
