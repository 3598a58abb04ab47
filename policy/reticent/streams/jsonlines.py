r"""JSON lines, and lines that name their payload: bytes into lines, whatever the chunking.

A line ends in LF or CRLF; the last one may end with the stream. This is the framing of JSON Lines and NDJSON
(https://jsonlines.org, read 2026-11-29), of Ollama and of agent session files. Two relatives are read as well,
since no JSON text can be mistaken for them: the lines of AI SDK 4, which put one letter or digit and a colon before
the JSON (``g:"..."``, https://www.npmjs.com/package/@ai-sdk/ui-utils version 1.2.11), and JSON text sequences,
which put a record separator there (RFC 7464).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from reticent.streams import Frame
from reticent.streams._cutter import Cutter

__all__ = ["JsonLine", "JsonLinesFraming"]

_AROUND = b" \t\r\n\x1e"
_PREFIX = re.compile(rb"([0-9a-z]):")


@dataclass(slots=True, repr=False)
class JsonLine(Frame):
    """One line with its ending.

    ``data`` is the text of the line without the white space around it, or what follows the prefix of AI SDK 4;
    ``event`` is that prefix, one character, else None. A line of white space is a separator. The last line of a
    stream has ``complete`` False when nothing ended it, which the format allows.
    """

    def with_data(self, data: bytes, *, event: str | None = None) -> bytes:
        """Return the line with ``data`` in it; prefix, surrounding white space and line ending are kept.

        Raises ValueError when ``data`` holds a line feed, since it could not be one line, or when ``event`` is
        given for a line that has no prefix.
        """
        if b"\n" in data:
            raise ValueError("the payload of a line is one line")
        text = self.raw.rstrip(_AROUND)
        head, tail = text[: len(text) - len(self.data or b"")], self.raw[len(text) :]
        if event is None:
            return head + data + tail
        if self.event is None:
            raise ValueError("a line without a prefix has no event to rename")
        before, colon, space = head.rpartition(b":")
        return before[: -len(self.event)] + event.encode() + colon + space + data + tail


class JsonLinesFraming(Cutter):
    """Cuts lines of JSON (``application/x-ndjson``, ``application/jsonl``)."""

    __slots__ = ()

    name: ClassVar[str] = "jsonl"
    frame: ClassVar[type[Frame]] = JsonLine

    def _cut(self, chunk: bytes, frames: list[Frame]) -> None:
        if chunk.find(b"\n") < 0:
            self._hold(chunk)
            return
        lines = self._take(chunk).split(b"\n")
        self._hold(lines.pop())
        frames.extend([_line(line + b"\n") for line in lines])

    def _finish(self, rest: bytes, frames: list[Frame]) -> None:
        if rest:
            frames.append(_line(rest, complete=False))


def _line(raw: bytes, *, complete: bool = True) -> JsonLine:
    text = raw.strip(_AROUND)
    if text[:1] == b"{":  # what nearly every line is
        return JsonLine(raw, text, None, "data", complete)
    if not text:
        return JsonLine(raw, None, None, "separator", complete)
    if prefix := _PREFIX.match(text):
        return JsonLine(raw, text[prefix.end() :].lstrip(_AROUND), prefix.group(1).decode("ascii"), "data", complete)
    return JsonLine(raw, text, None, "data", complete)
