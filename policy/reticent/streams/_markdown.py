"""Where visible text stands: at the start of a line, in a code span, inside a fence, after what.

Fed piece by piece, whatever the cutting; keeps a dozen small values and no text. It reads the part of Markdown that
decides whether a tag is code: fences by CommonMark (https://spec.commonmark.org/0.31.2/#fenced-code-blocks), at any
indentation and inside quotes and lists; code spans within one line, so that a lone backtick hides nothing for long.
"""

from __future__ import annotations

import re

_FENCE = 3
_QUOTE_MARKS = "> \t"
_RUN = {"`": re.compile("`+"), "~": re.compile("~+")}
BLANKS = "".join(map(chr, filter(lambda code: chr(code).isspace(), range(0x3001)))) + "\ufeff\u200b\u200c\u200d\u2060"
"""White space, and the characters without width that look like none (a byte order mark, a zero-width space)."""
# A "<" or "[" that cannot begin a marker is no reason to stop: prose and code are full of them.
_PROSE = re.compile(
    r"[◁►\uff1c`~]|<(?=[\s/|a-z]|\Z)|\[(?=[/stu]|\Z)|/(?:\*|\Z)|:(?=:(?::|\Z)|\Z)", re.IGNORECASE | re.ASCII
)
_IN_SPAN = re.compile(r"[`\n]")
_IN_FENCE = re.compile("[`~]")
_AT_FENCE_END = re.compile("[`~\n]")
_BEFORE_FENCE = frozenset(" \t\r>*+-.)0123456789")  # indentation, quote marks, list markers

_SENTENCE_END = frozenset(".!?\u2026\u3002\uff01\uff1f\uff61")  # with the ellipsis and the full-width forms
# After one of these a tag is being talked about: quoted, bracketed, escaped, listed, assigned, in any script.
_MENTION = frozenset("\"'`\u201c\u2018\u201a\u201e\u00ab\u2039\u300c\u300e\uff08([{<\\/|,;=&\u3001\uff0c\uff1b")


class Position:
    """The context of the next visible character.

    ``line_start``: only blanks stand before it on its line, or a removed block; ``quoted``: only marks of a quotation.
    ``pristine``: nothing visible at all came yet, ``fresh``: none since the last block. ``run``: the backtick or tilde
    whose run is still growing, or an empty string.
    """

    __slots__ = (
        "_before",
        "_blank_since",
        "_closing",
        "_fence",
        "_fence_length",
        "_fence_possible",
        "_info",
        "_run_length",
        "_span",
        "fresh",
        "line_start",
        "pristine",
        "quoted",
        "run",
    )

    def __init__(self) -> None:
        self.pristine = True
        self.run = ""
        self._run_length = 0
        self._fence = ""
        self._fence_length = 0
        self.restart()

    def restart(self) -> None:
        """A block was removed here: what follows stands as at the start of a text, outside any code."""
        self.line_start = self.fresh = True
        self._fence_possible = True
        self._before = ""
        self._blank_since = self.quoted = False
        self._span = 0
        self._fence = ""
        self._info = False  # on the line that opened the fence
        self._closing = False  # on a line that closes the fence unless something else follows

    @property
    def in_code(self) -> bool:
        """Whether a tag here is code and not a tag."""
        return bool(self._fence or self._span)

    @property
    def stops(self) -> re.Pattern[str]:
        """What can change the context or start a marker from here on."""
        if self._fence:
            return _AT_FENCE_END if self._closing else _IN_FENCE
        return _IN_SPAN if self._span else _PROSE

    @property
    def seam(self) -> bool:
        """Whether a marker here reads as a marker: glued to what stands before, or after the end of a sentence."""
        if self.line_start:
            return True
        return self._before in _SENTENCE_END if self._blank_since else self._before not in _MENTION

    def advance(self, text: str, start: int, end: int) -> None:
        """Take in ``text[start:end]``, which holds no backticks and no tildes that matter."""
        if start == end:
            return
        newline = text.rfind("\n", start, end)
        if newline >= 0:
            if self._fence:
                self._end_fence_line(text[start : text.find("\n", start, end)])
            self._new_line()
        elif self._closing and text[start:end].strip(BLANKS):
            self._closing = False
        self._take(text[newline + 1 if newline >= 0 else start : end])
        if self.fresh and text[start:end].strip(BLANKS):
            self.fresh = self.pristine = False

    @property
    def steady(self) -> bool:
        """Whether no run or line is open that text without markup could end or close."""
        return not (self.run or self._closing)

    @property
    def in_line(self) -> bool:
        """Whether text without markup and line breaks changes nothing here but what stood last."""
        return not (self.line_start or self._fence_possible or self.fresh or self.pristine)

    def grow_run(self, char: str, text: str, start: int) -> int:
        """Count the backticks or tildes at ``start``; returns where they end in this piece."""
        found = _RUN[char].match(text, start)
        end = found.end() if found else start
        self.run = char
        self._run_length += end - start
        return end

    def end_run(self) -> None:
        """The run is over: it opened or closed a span or a fence, or was nothing."""
        char, length = self.run, self._run_length
        self.run, self._run_length = "", 0
        self._closing = False
        if self._info and char == "`" == self._fence:
            self._fence_was_span()
        if self._fence:
            self._closing = self._fence_possible and char == self._fence and length >= self._fence_length
        elif self._fence_possible and length >= _FENCE and not self._span:
            self._fence, self._fence_length, self._info = char, length, True
        elif char == "`":
            self._span = (0 if self._span == length else self._span) if self._span else length
        self.line_start = self._fence_possible = self.pristine = self.fresh = self.quoted = False
        self._before, self._blank_since = char, False

    def _fence_was_span(self) -> None:
        # An info string holds no backtick, so what looked like a fence was a code span.
        self._span, self._fence, self._info, self._fence_possible = self._fence_length, "", False, False

    def _end_fence_line(self, rest: str) -> None:
        if self._closing and not rest.strip():
            self._fence = ""
        self._info = False

    def _new_line(self) -> None:
        self.line_start = self._fence_possible = True
        self._before, self._blank_since, self.quoted = "", False, False
        self._span = 0
        self._info = self._closing = False

    def _take(self, line: str) -> None:
        text = line.rstrip(BLANKS)
        if not text:
            self._blank_since = self._blank_since or bool(line)
            return
        self.quoted = (self.line_start or self.quoted) and not text.strip(_QUOTE_MARKS)
        self._fence_possible = self._fence_possible and _BEFORE_FENCE.issuperset(text)
        self.line_start = False
        self._before, self._blank_since = text[-1], len(text) < len(line)
