"""Streams without frames: a model's plain text, and one JSON document that cannot be judged before its end."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from reticent.errors import InputTooLarge
from reticent.serializers import cutting
from reticent.streams import StreamFilter
from reticent.streams.tags import TextFilter

if TYPE_CHECKING:
    from reticent.serializers.program import Program
    from reticent.serializers.report import Report


class TextStream(StreamFilter):
    """Plain text of a model: inline tags and channels."""

    def __init__(self, report: Report, *, starts_inside: bool) -> None:
        """Start before the first character."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._filter = TextFilter(starts_inside=starts_inside)
        self._report = report

    def feed(self, chunk: bytes) -> bytes:
        """What of the text may go on now."""
        return _encode(self._filter.feed(self._decoder.decode(chunk)))

    def flush(self) -> bytes:
        """The rest of the text."""
        rest = self._filter.feed(self._decoder.decode(b"", True)) + self._filter.flush()  # noqa: FBT003 - codecs' own
        for rule, length in self._filter.removed:
            self._report.add(rule, length)
        return _encode(rest)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


class DocumentStream(StreamFilter):
    """One JSON document, which cannot be judged before its end."""

    def __init__(self, program: Program, report: Report) -> None:
        """Start before the first byte."""
        self._program = program
        self._report = report
        self._parts = bytearray()

    def feed(self, chunk: bytes) -> bytes:
        """Nothing yet.

        Raises:
            InputTooLarge: the document is longer than the limit.
        """
        self._parts += chunk
        if len(self._parts) > self._program.options.max_bytes:
            raise InputTooLarge(f"more than {self._program.options.max_bytes} bytes")
        return b""

    def flush(self) -> bytes:
        """The whole document without reasoning.

        Raises:
            EgressRefused: it cannot be judged.
        """
        data = bytes(self._parts)
        return cutting.cut_bytes(data, self._program, self._report) if data.strip() else data
