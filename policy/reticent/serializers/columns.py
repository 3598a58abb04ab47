"""Columns of reasoning in a table that a text shows: CSV, a Markdown table, a query's result, a printed data frame.

The names stand in the first line and the values below, so that no value has its name beside it. A line counts as the
head of a table when all of its cells are names and one of them means nothing but a carrier
(``fieldlines.NAMES``); its rows are the lines below with as many cells. In a printed data frame nothing separates the
cells: pandas puts the end of each below the end of its name.
https://pandas.pydata.org/docs/reference/api/pandas.DataFrame.to_string.html
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from reticent.serializers.fieldlines import NAMES, OPAQUE
from reticent.streams.tags import Span

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    Line = tuple[int, int]

RULE: Final = "log-text/column"
_LINE: Final = re.compile(r"[^\r\n]+")
_NAME: Final = re.compile(r"[\w.\-]{1,60}")
_WORD: Final = re.compile(r"\S+")
_RULER: Final = re.compile(r"[-+=|: ]+")
_SEPARATORS: Final = {
    "|": re.compile(r"[^|]+"),
    "\t": re.compile(r"[^\t]+"),
    ",": re.compile(r'(?:"(?:[^"]|"")*"|[^,"])+|(?<=,)(?=,)'),
    ";": re.compile(r'(?:"(?:[^"]|"")*"|[^;"])+|(?<=;)(?=;)'),
}
_FEWEST: Final = 2
"""Cells that make a line a row of a table."""


def spans(text: str) -> Iterator[Span]:
    """The cells of such columns; in order. Time is linear in the length of the text."""
    lines = [(found.start(), found.end()) for found in _LINE.finditer(text)]
    at = 0
    while at < len(lines):
        head, at = lines[at], at + 1
        if not any(name in text[head[0] : head[1]] for name in NAMES):
            continue
        for separator, cell in _SEPARATORS.items():
            names = _names(text, head, cell) if separator in text[head[0] : head[1]] else []
            if names:
                at = yield from _rows(text, lines, at, names, cell)
                break
        else:
            at = yield from _frame(text, lines, at, head)


def is_open(text: str) -> bool:
    """Whether ``text`` ends in such a table, so that the next line of a log may be a row of it."""
    last = text[text.rfind("\n") + 1 :]
    if not any(name in text for name in NAMES):
        return False
    if any(name in last for name in NAMES):
        return any(_names(last, (0, len(last)), cell) for cell in _SEPARATORS.values()) or bool(_frame_names(last))
    found = list(spans(text))
    return bool(found) and found[-1].end > text.rfind("\n")


def _names(text: str, line: Line, cell: re.Pattern[str]) -> list[str]:
    """The names in a line all of whose cells are names, one of them a carrier's; else nothing."""
    names = [text[start:end].strip().strip("\"'`*") for start, end in _cells(text, line, cell)]
    is_head = len(names) >= _FEWEST and all(_NAME.fullmatch(name) for name in names)
    return names if is_head and not set(NAMES).isdisjoint(names) else []


def _cells(text: str, line: Line, cell: re.Pattern[str]) -> list[Line]:
    found = [(piece.start(), piece.end()) for piece in cell.finditer(text, *line)]
    if "|" in text[slice(*line)] and cell is _SEPARATORS["|"]:
        found = [(start, end) for start, end in found if text[start:end].strip() or (start, end) not in found[:1]]
        return found[:-1] if found and not text[slice(*found[-1])].strip() else found
    return found


def _rows(
    text: str, lines: Sequence[Line], at: int, names: Sequence[str], cell: re.Pattern[str]
) -> Generator[Span, None, int]:
    """The cells below carriers' names, row by row; returns the number of the first line that is no row."""
    while at < len(lines):
        cells = _cells(text, lines[at], cell)
        if _RULER.fullmatch(text, *lines[at]) is None:
            if len(cells) != len(names):
                break
            for name, (start, end) in zip(names, cells, strict=True):
                if name in NAMES:
                    yield from _filled(text, start, end, name)
        at += 1
    return at


def _frame(text: str, lines: Sequence[Line], at: int, head: Line) -> Generator[Span, None, int]:
    """The cells of a printed data frame, cut out by the places of its names; returns as ``_rows`` does."""
    names = _frame_names(text[slice(*head)])
    while names and at < len(lines) and _is_below(text[slice(*lines[at])], names):
        start, end = lines[at]
        for (_, left), (name, right) in pairwise([("", 0), *names]):
            if name in NAMES:
                yield from _filled(text, min(start + left, end), min(start + right, end), name)
        at += 1
    return at


def _is_below(row: str, names: Sequence[tuple[str, int]]) -> bool:
    """Whether the cells of a line end where the names above them do."""
    return not row[:1].isspace() and all(
        not row[end - 1 : end].isspace() and row[end : end + 1] in ("", " ") for _, end in names if end <= len(row)
    )


def _frame_names(head: str) -> list[tuple[str, int]]:
    """The names in the head of a data frame, with the offset each ends at; nothing when the line is none."""
    words = [(word[0], word.end()) for word in _WORD.finditer(head)]
    is_head = head[:1] == " " and len(words) >= _FEWEST and all(_NAME.fullmatch(name) for name, _ in words)
    return words if is_head and any(name in NAMES for name, _ in words) else []


def _filled(text: str, start: int, end: int, name: str) -> Iterator[Span]:
    """The span of a cell without the blanks around it; nothing when it is empty."""
    value = text[start:end]
    if value.strip() and value.strip() not in ("None", "NaN", "null", "NULL"):
        first = start + len(value) - len(value.lstrip())
        yield Span(first, start + len(value.rstrip()), RULE, "opaque" if name in OPAQUE else "text")
