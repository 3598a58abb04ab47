"""Text: logs of any kind, record by record, and what a model wrote, as a whole.

A file whose first line begins like a record of a log (a time, a level) is cut at every line that does. A tag that
nobody closed then reaches to the end of its record and no further. Any other text is one body, as a filter for text
would take it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from reticent.errors import EgressRefused, InputTooLarge
from reticent.scan._input import blocks
from reticent.scan._lines import found
from reticent.scan.findings import Note, NotRead, Where

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reticent.scan._resume import Marks
    from reticent.scan.findings import Write
    from reticent.scan.judge import Judge

_STAMP: Final = re.compile(
    rb"[\[(<\"']?(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d[-/:]\d\d[-/:]\d\d|\d\d/[A-Z][a-z]{2}/\d{4}|[A-Z][a-z]{2} [ \d]\d \d\d:"
    rb"|\d{1,3}>|(?:level|ts|time|timestamp)=|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b"
    rb"|[IWEFD]\d{4} \d\d:|\d{10}(?:\.\d+)? )"
)
"""How a record of a log begins: a time, a syslog priority, a level."""
_AFTER_BREAK: Final = re.compile(rb"\n(?=" + _STAMP.pattern + rb")")


class Texts:
    """One file of text."""

    def __init__(self, source: str, judge: Judge, write: Write, marks: Marks) -> None:
        """Look through ``source``; what may stay goes to ``write``."""
        self._source = source
        self._judge = judge
        self._write = write
        self._marks = marks
        marks.resume()
        self._number: int = marks.state.get("line", 1)
        self._offset: int = marks.state.get("at", 0)
        self._is_log: bool | None = marks.state.get("log")
        self._is_inside = False

    def notes(self, pieces: Iterator[bytes]) -> Iterator[Note]:
        """Everything there is to tell of the file."""
        limit = self._judge.program.options.max_bytes
        is_log = self._is_log
        held: list[bytes] = []
        size = 0
        for block, is_whole in blocks(self._marks.pieces(self._told, pieces), limit):
            if is_log is None:
                self._is_log = is_log = _STAMP.match(block) is not None
            self._is_inside = not is_whole and not block.endswith(b"\n")
            last = _last_record(block) if is_log else 0
            if size + last > limit or not is_whole:
                yield from self._rest(held, is_log=is_log, cut=True)
                held, size = [], 0
            if not is_whole:
                yield self._too_large(limit)
                self._put(block, block)
                continue
            if last:
                yield from self._records(b"".join([*held, block[:last]]), is_log=True)
                held, size = [], 0
            held.append(block[last:])
            size += len(block) - last
        yield from self._rest(held, is_log=bool(is_log), cut=False)

    def _told(self) -> dict[str, Any] | None:
        """Where the record begins that is held, unless that is inside a line."""
        return None if self._is_inside else {"at": self._offset, "line": self._number, "log": self._is_log}

    def _rest(self, held: list[bytes], *, is_log: bool, cut: bool) -> Iterator[Note]:
        body = b"".join(held)
        if cut and not is_log and self._judge.presearch.may_hold(body):
            yield self._too_large(self._judge.program.options.max_bytes)
        if body:
            yield from self._records(body, is_log=is_log)

    def _too_large(self, limit: int) -> NotRead:
        where = Where(line=self._number, offset=self._offset)
        return NotRead(self._source, InputTooLarge.code, f"text of more than {limit} bytes without a break", where)

    def _records(self, body: bytes, *, is_log: bool) -> Iterator[Note]:
        """Judge the records of ``body`` in which the search finds a word."""
        words = self._judge.presearch.offsets(body)
        if words is not None and not words:
            self._put(body, body)
            return
        starts = [0, *(match.end() for match in _AFTER_BREAK.finditer(body))] if is_log else [0]
        ends = [*starts[1:], len(body)]
        at = 0
        for start, end in zip(starts, ends, strict=True):
            if words is not None:
                while at < len(words) and words[at] < start:
                    at += 1
                if at == len(words) or words[at] >= end:
                    self._put(body[start:end], body[start:end])
                    continue
            yield from self._record(body[start:end])

    def _record(self, record: bytes) -> Iterator[Note]:
        where = Where(line=self._number, offset=self._offset)
        body = record.rstrip(b"\r\n")
        shown = record
        try:
            judged = self._judge.text(body)
        except EgressRefused as error:
            yield NotRead(self._source, error.code, str(error), where)
        else:
            if judged.hits:
                yield from found(self._source, judged, where)
                shown = judged.body + record[len(body) :]
        self._put(record, shown)

    def _put(self, taken: bytes, shown: bytes) -> None:
        self._number += taken.count(b"\n")
        self._offset += len(taken)
        if self._write is not None:
            self._write(shown)


def _last_record(block: bytes) -> int:
    """Where the last record of ``block`` begins, 0 when none does inside it."""
    end = len(block)
    while (at := block.rfind(b"\n", 0, end)) >= 0:
        if _STAMP.match(block, at + 1):
            return at + 1
        end = at
    return 0
