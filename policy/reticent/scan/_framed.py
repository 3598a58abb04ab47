"""Files that hold one stream as it came: server-sent events, AWS event streams, long arrays of JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reticent.errors import EgressRefused
from reticent.scan._runs import Counted, Merged
from reticent.scan.findings import Note, NotRead, Where
from reticent.streams.detect import open_framing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reticent.scan.findings import Write
    from reticent.scan.judge import Judge
    from reticent.streams import Frame


class Frames:
    """One stream in one file."""

    def __init__(self, source: str, judge: Judge, write: Write, wire: str) -> None:
        """Look through ``source``, which is framed as ``wire``; what may stay goes to ``write``."""
        self._source = source
        self._write = write
        self._framing = open_framing(wire, limit=judge.program.options.max_bytes)
        self._counted = Counted(judge, wire)
        self._merged = Merged()
        self._at = 0
        self._where = Where(line=None if wire == "aws-eventstream" else 1, offset=0)

    def notes(self, pieces: Iterator[bytes]) -> Iterator[Note]:
        """Everything there is to tell of the file; after a fault nothing more of it is read."""
        try:
            for piece in pieces:
                yield from self._feed(self._framing.feed(piece))
            yield from self._feed(self._framing.flush())
            self._put(self._counted.stream.flush())
            yield from self._merged.add(self._counted.news(self._source, self._where), self._at)
        except EgressRefused as error:
            yield from self._merged.end()
            yield NotRead(self._source, error.code, f"{error}; nothing behind it was read", self._where)
            return
        yield from self._merged.end()

    def _feed(self, frames: list[Frame]) -> Iterator[Note]:
        for frame in frames:
            self._put(self._counted.stream.feed(frame.raw))
            if frame.data is not None:
                self._at += 1
            yield from self._merged.add(self._counted.news(self._source, self._where), self._at)
            self._where = Where(
                line=None if self._where.line is None else self._where.line + frame.raw.count(b"\n"),
                offset=(self._where.offset or 0) + len(frame.raw),
            )

    def _put(self, out: bytes) -> None:
        if self._write is not None and out:
            self._write(out)
