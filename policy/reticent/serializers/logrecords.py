"""Text logs as a stream: lines in, lines out, a record of several lines judged as one.

A traceback or the repr of an SDK object goes over many lines; those after the first are indented or close a bracket.
A field that nothing quotes, a block that was opened and a table go on until a line begins the next record.
A record that cannot be judged leaves a placeholder with its length, because a log that loses lines without a word is
worse than one that says what it withheld.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reticent.errors import EgressRefused
from reticent.serializers import fieldlines, logtext
from reticent.streams import StreamFilter

if TYPE_CHECKING:
    from reticent.serializers.program import Program
    from reticent.serializers.report import Report

RECORD_LIMIT: Final = 1024 * 1024
"""Bytes after which a record is judged although its next line looks like a continuation."""

_CONTINUES: Final = (b" ", b"\t", b")", b"]", b"}", b"\n", b"\r\n")


class LogRecords(StreamFilter):
    """Filters a text log."""

    def __init__(self, program: Program, report: Report) -> None:
        """Start before the first line."""
        self._program = program
        self._report = report
        self._record: list[bytes] = []
        self._size = 0
        self._is_open = self._swallowing = False
        self._rest: list[bytes] = []

    def feed(self, chunk: bytes) -> bytes:
        """Take the next bytes; every record that has ended."""
        head, newline, tail = chunk.rpartition(b"\n")
        if not newline:
            self._rest.append(chunk)
            return b""
        lines = b"".join([*self._rest, head, newline]).splitlines(keepends=True)
        self._rest = [tail] if tail else []
        return b"".join([self._line(line) for line in _joined(lines)])

    def flush(self) -> bytes:
        """The last record."""
        rest = b"".join(self._rest)
        self._rest = []
        return (self._line(rest) if rest else b"") + self._end()

    def _line(self, line: bytes) -> bytes:
        if self._swallows(line):
            self._report.add(fieldlines.RULE, len(line))
            return b""
        out = b""
        if self._record and not self._goes_on(line):
            out = self._end()
        elif self._size > RECORD_LIMIT:
            self._swallowing = self._has_open_field()
            return self._end() + self._line(line)
        self._record.append(line)
        self._size += len(line)
        return out

    def _swallows(self, line: bytes) -> bool:
        """Whether ``line`` goes on with a field whose record became too long to be kept, and was judged already."""
        self._swallowing = self._swallowing and not fieldlines.begins_record(_text(line))
        return self._swallowing

    def _goes_on(self, line: bytes) -> bool:
        """Whether ``line`` belongs to the record at hand."""
        return line.startswith(_CONTINUES) or (self._has_open_field() and not fieldlines.begins_record(_text(line)))

    def _has_open_field(self) -> bool:
        """Whether the record at hand ends inside a field, a block or a table; it does until the record is over."""
        self._is_open = self._is_open or logtext.is_open(_text(b"".join(self._record).rstrip(b"\r\n")))
        return self._is_open

    def _end(self) -> bytes:
        record = b"".join(self._record)
        self._record, self._size, self._is_open = [], 0, False
        if not record:
            return b""
        body = record.rstrip(b"\r\n")
        text = _text(body)
        shown = withheld_or(text, self._program, self._report)
        return record if shown == text else shown.encode("utf-8", "surrogateescape") + record[len(body) :]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def withheld_or(text: str, program: Program, report: Report) -> str:
    """``text`` without reasoning, or a placeholder that says how much could not be judged."""
    try:
        return logtext.strip(text, program, report)
    except EgressRefused as error:
        code = error.code
    except Exception:  # noqa: BLE001 - a log path never raises, and never lets through what it could not judge
        code = "dialect-failure"
    report.add(f"refused/{code}", len(text))
    return f"[reticent withheld {len(text)} characters: {code}]"


def _joined(lines: list[bytes]) -> list[bytes]:
    """``splitlines`` on bytes also cuts at a lone carriage return; put such pieces together again."""
    whole: list[bytes] = []
    open_line = b""
    for line in lines:
        open_line += line
        if line.endswith(b"\n"):
            whole.append(open_line)
            open_line = b""
    return [*whole, open_line] if open_line else whole
