"""Files of JSON lines, also where the lines are events of streams.

Each line is a body of its own, so that one which cannot be judged hides none of the others. Lines that are events of
a stream are the exception: a tag can open in one and close in the next, so they are judged together, in *runs*.
A block of lines in which the search finds no word of the vocabulary is not even parsed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import orjson

from reticent.errors import EgressRefused, InputTooLarge, MalformedInput
from reticent.scan._input import blocks
from reticent.scan._records import is_record, record
from reticent.scan._runs import Run
from reticent.scan.findings import Finding, Note, NotRead, Where

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from reticent.scan._resume import Marks
    from reticent.scan.findings import Write
    from reticent.scan.judge import Judge, Judged

_AROUND: Final = b" \t\r\n\x1e"
_BOM: Final = b"\xef\xbb\xbf"
_BROKEN: Final[Any] = object()
_ASKED: Final = 64
"""Lines at the beginning of a file that are asked whether they are pieces of a text."""
_ASKED_LATER: Final = 4
"""The same, for every block after that."""
_ENDS: Final = (b"}\n", b"]\n", b"}\r\n", b"]\r\n", b'"\n', b'"\r\n')


class JsonLines:
    """One file of JSON lines."""

    def __init__(self, source: str, judge: Judge, write: Write, marks: Marks) -> None:
        """Look through ``source``; what may stay goes to ``write``."""
        self._source = source
        self._judge = judge
        self._write = write
        self._marks = marks
        self._run = Run(source, judge, write)
        marks.resume()
        self._number: int = marks.state.get("line", 1)
        self._offset: int = marks.state.get("at", 0)
        self._has_pieces: bool = marks.state.get("events", False)
        self._is_inside = False

    def notes(self, pieces: Iterator[bytes]) -> Iterator[Note]:
        """Everything there is to tell of the file."""
        limit = self._judge.program.options.max_bytes
        for block, is_whole in blocks(self._marks.pieces(self._told, pieces), limit):
            self._is_inside = not is_whole and not block.endswith(b"\n")
            if not is_whole:
                yield self._too_large(Where(line=self._number, offset=self._offset))
                yield from self._run.end()
                self._copy(block)
            else:
                yield from self._block(block)
        yield from self._run.end()

    def _told(self) -> dict[str, Any] | None:
        """Where it is, unless that is inside a run of events or a line."""
        if self._run.is_open or self._is_inside:
            return None
        return {"at": self._offset, "line": self._number, "events": self._has_pieces}

    def _too_large(self, where: Where) -> NotRead:
        limit = self._judge.program.options.max_bytes
        return NotRead(self._source, InputTooLarge.code, f"a line of more than {limit} bytes", where)

    def _copy(self, block: bytes) -> None:
        self._number += block.count(b"\n")
        self._offset += len(block)
        if self._write is not None:
            self._write(block)

    def _block(self, block: bytes) -> Iterator[Note]:
        """Judge the lines in which the search finds a word; the others need not even be parsed."""
        words = self._judge.presearch.offsets(block)
        if words is None or self._run.is_open or self._holds_pieces(block):
            yield from self._each(block)
            return
        at = 0
        for word in words:
            if word < at:
                continue
            start, end = block.rfind(b"\n", at, word) + 1 or at, block.find(b"\n", word) + 1 or len(block)
            yield from self._clean(block[at:start])
            yield from self._each(block[start:end])
            at = end
            if self._run.is_open:
                break
        yield from self._each(block[at:]) if self._run.is_open else self._clean(block[at:])

    def _clean(self, lines: bytes) -> Iterator[Note]:
        """Pass on lines without a word, unless one of them may be cut short."""
        left = lines.count(b"\n")
        for end in _ENDS:
            left -= lines.count(end) if left else 0
        if not left and lines[-1:] in (b"\n", b""):
            self._copy(lines)
        else:
            yield from self._each(lines)

    def _holds_pieces(self, block: bytes) -> bool:
        if not self._has_pieces:
            many = _ASKED if self._offset == 0 else _ASKED_LATER
            asked = block.split(b"\n", many)[:many]
            self._has_pieces = any(self._judge.is_piece(_parsed(line)) for line in asked)
        return self._has_pieces

    def _each(self, lines: bytes) -> Iterator[Note]:
        for raw in lines.splitlines(keepends=True) if b"\r" not in lines else _lines(lines):
            yield from self._line(raw, Where(line=self._number, offset=self._offset))
            self._number += raw.count(b"\n")
            self._offset += len(raw)

    def _line(self, raw: bytes, where: Where) -> Iterator[Note]:
        line = raw.strip(_AROUND).removeprefix(_BOM)
        if not line:
            self._run.beside(raw)
            return
        is_short = len(line) <= self._judge.program.options.max_bytes
        value = _parsed(line) if is_short else _BROKEN
        if value is not _BROKEN and self._run.takes(value, line):
            yield from self._run.feed(raw, where)
            return
        yield from self._run.end()
        if is_short:
            raw = yield from self._alone(raw, line, value, where)
        else:
            yield self._too_large(where)
        if self._write is not None:
            self._write(raw)

    def _alone(self, raw: bytes, line: bytes, value: Any, where: Where) -> Generator[Note, None, bytes]:
        """Judge a line that is a body of its own; what is left of it."""
        judged = None
        try:
            if value is _BROKEN:
                if line.startswith((b"{", b"[")):
                    yield broken(self._source, len(line), where)
                judged = self._judge.text(line)
            elif self._judge.presearch.may_hold(line) and not self._judge.is_clean(value, line):
                judged = record(self._judge, line, value) if is_record(value) else None
                judged = judged or self._judge.document(line)
        except EgressRefused as error:
            yield NotRead(self._source, error.code, str(error), where)
        if judged is None or not judged.hits:
            return raw
        yield from found(self._source, judged, where)
        head, _, tail = raw.partition(line)
        return head + judged.body + tail


def broken(source: str, length: int, where: Where) -> NotRead:
    """A body that begins like JSON and is none; it is judged as text, so carriers in it are found all the same."""
    return NotRead(source, MalformedInput.code, f"{length} bytes that are no JSON, judged as text", where, partly=True)


def found(source: str, judged: Judged, where: Where) -> Iterator[Note]:
    """The findings of one body that begins at ``where``."""
    offset, line = where.offset or 0, where.line or 1
    for hit in judged.hits:
        inner, below = hit.where.offset or 0, hit.where.line or 1
        where = replace(hit.where, offset=offset + inner, line=line + below - 1)
        yield Finding(source, where, hit.rule, hit.reasoning_class, hit.count, hit.length)


def _parsed(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except (ValueError, RecursionError):
        return _BROKEN


def _lines(block: bytes) -> Sequence[bytes]:
    """Lines that end in a line feed; a lone carriage return is white space of JSON."""
    parts = block.split(b"\n")
    tail = parts.pop()
    return [*(part + b"\n" for part in parts), *([tail] if tail else [])]
