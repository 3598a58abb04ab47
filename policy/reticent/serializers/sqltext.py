"""Reasoning in SQL that a log quotes: a column's name stands in one list, its value in another.

``INSERT INTO messages (role, content, reasoning_content) VALUES ('assistant', 'Hi', '…')`` and the ``COPY`` blocks of
``pg_dump``. Names that mean nothing but a carrier count (``fieldlines.NAMES``); the everyday words count beside the
columns of a message.
https://www.postgresql.org/docs/current/sql-insert.html, https://www.postgresql.org/docs/current/sql-copy.html
(read 2026-11-30)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from reticent.serializers.fieldlines import NAMES, OPAQUE
from reticent.streams.tags import Span

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

RULE: Final = "log-text/sql"
_WORDS: Final = frozenset({"reasoning", "thinking", "thoughts", "thought"})
_BESIDE: Final = frozenset({"content", "role", "message_id", "conversation_id", "response", "answer"})
_NAME: Final = r'(?:"[^"\n]{1,64}"|`[^`\n]{1,64}`|\[[^\]\n]{1,64}\]|[\w$]{1,64})'
_COLUMNS: Final = rf"\((?P<columns>\s*{_NAME}(?:\s*,\s*{_NAME}){{0,200}}\s*)\)"
_TABLE: Final = rf"\s+{_NAME}(?:\.{_NAME}){{0,2}}\s*"
_INSERT: Final = re.compile(
    rf"\b(?:INSERT|REPLACE)\s+(?:OR\s+\w+\s+)?INTO{_TABLE}{_COLUMNS}\s*VALUES\s*(?=\()", re.IGNORECASE
)
_COPY: Final = re.compile(rf"\bCOPY{_TABLE}{_COLUMNS}\s+FROM\s+stdin[^\n]*\n", re.IGNORECASE)
_PARAMETERS: Final = re.compile(r"[^\n\[]{0,400}\]\s{1,4}\[parameters: \[?(?=\()")
"""What SQLAlchemy prints between a statement and the values of its placeholders."""
_BETWEEN: Final = re.compile(r"\s*,\s*(?=\()")
_VALUE: Final = re.compile(
    r"\s*(?P<value>(?:[EeNn]?'(?:''|\\.|[^'\\])*+(?:'|\Z)|\"(?:\"\"|\\.|[^\"\\])*+(?:\"|\Z)"
    r"|\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z)|\([^()]*\)|[^,()'\"])*+)(?P<end>[,)]|\Z)",
    re.DOTALL,
)
"""One value of a row: strings in which quotes are doubled or escaped, dollar quotes, calls, numbers."""
_NOTHING: Final = re.compile(r"\s*(?:NULL|DEFAULT|\?|\$\d+|[%:@]\(?\w+\)?s?|''|\\N|-?\d+)?\s*", re.IGNORECASE)
"""Values that say nothing: none, a number, a placeholder."""
_SAYS: Final = re.compile(
    r"(?!\s*'\s*(?:\$\{[^{}']*\}|\$\w+|#?\{[^{}']*\}|%[sv]|%\(\w+\)s|:\w+)\s*'\s*\Z)"
    r"(?:[^'\"$]|\$(?!\w*\$))*+(?:['\"]|\$\w*\$)"
)
"""Values with a string that is no placeholder: everything else between commas is a statement of source code."""


def may_hold(text: str) -> bool:
    """Whether some statement of the kind may stand in ``text``."""
    return "INTO" in text or "into" in text or "Into" in text or "COPY " in text


def is_open(text: str) -> bool:
    """Whether ``text`` ends inside a ``COPY`` block with such a column, so that the next line of a log is its row."""
    last = text[text.rfind("[SQL:") :] if "[SQL:" in text else ""
    if last and "\n" not in last and any(_names(found["columns"]) for found in _INSERT.finditer(last)):
        return True  # SQLAlchemy writes the values on the next line
    blocks = list(_COPY.finditer(text + "\n")) if "COPY " in text else []
    return bool(blocks) and bool(_names(blocks[-1]["columns"])) and text.find("\n\\.", blocks[-1].end() - 1) < 0


def spans(text: str) -> Iterator[Span]:
    """The values of such columns; in order. Time is linear in the length of the text."""
    inserted = (value for value in _inserted(text) if _SAYS.match(text[value[0] : value[1]]) is not None)
    at = 0
    for start, end, name in sorted([*inserted, *_copied(text)]):
        if start >= at and _NOTHING.fullmatch(text, start, end) is None:
            at = end
            yield Span(start, end, RULE, "opaque" if name in OPAQUE else "text")


def _inserted(text: str) -> Iterator[tuple[int, int, str]]:
    at = 0
    while (statement := _INSERT.search(text, at)) is not None:
        names, at = _names(statement["columns"]), statement.end()
        row: re.Match[str] | None = statement
        while names and row is not None:
            at = yield from _row(text, row.end() + 1, names)
            row = _BETWEEN.match(text, at) or _PARAMETERS.match(text, at)


def _row(text: str, at: int, names: Sequence[str | None]) -> Generator[tuple[int, int, str], None, int]:
    """The values of one row that stand in carriers' columns; returns where the row ends."""
    for name in names:
        value = _VALUE.match(text, at)
        if value is None:
            break
        if name is not None:
            yield value.start("value"), value.end("value"), name
        at = value.end()
        if value["end"] != ",":
            break
    return at


def _copied(text: str) -> Iterator[tuple[int, int, str]]:
    at = 0
    while (block := _COPY.search(text, at)) is not None:
        names, at = _names(block["columns"]), block.end()
        while names and at < len(text) and not text.startswith("\\.", at):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            for name, cell in zip(names, text[at:end].split("\t"), strict=False):
                if name is not None:
                    yield at, at + len(cell), name
                at += len(cell) + 1
            at = end + 1


def _names(columns: str) -> Sequence[str | None]:
    """The carrier that each column is, else None; nothing at all when there is none."""
    names = [name.strip().strip('"`[]').lower() for name in columns.split(",")]  # SQL folds them, some servers upward
    counts = {*map(str.lower, NAMES), *(_WORDS if not _BESIDE.isdisjoint(names) else ())}
    return [name if name in counts else None for name in names] if not counts.isdisjoint(names) else []
