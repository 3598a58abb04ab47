"""Server-sent events: bytes into events, and events into bytes, whatever the chunking and the line endings.

The grammar is the standard's (https://html.spec.whatwg.org/multipage/server-sent-events.html, read 2026-11-29):
lines end in LF, CR or CRLF, mixed as they like; a line is ``field: value``, ``field:value``, ``field`` or
``: comment``; an empty line ends the event; ``data`` lines of one event are joined with a line feed; one byte
order mark may open the stream. A stream that stops before the empty line leaves half an event; the standard drops
it, most client libraries do not, so it becomes a frame with ``complete`` False.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from reticent.streams import FRAME_LIMIT, Frame
from reticent.streams._cutter import Cutter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reticent.streams import FrameKind

__all__ = ["SseEvent", "SseFraming"]

_LineKind: TypeAlias = Literal["data", "event", "id", "retry", "comment", "blank", "stray"]

_FIELDS: dict[bytes, _LineKind] = {b"data": "data", b"event": "event", b"id": "id", b"retry": "retry", b"": "comment"}
_END_OF_LINE = re.compile(rb"\r\n?|\n")
# Two line ends in a row. Each branch begins with a plain byte, so that the search skips to it; CRLF is never read
# as two line ends, because a branch that took CR alone is never followed by LF.
_END_OF_EVENT = re.compile(rb"\n(?:\n|\r\n?)|\r(?:\n(?:\n|\r\n?)|\r\n?)")
# What nearly every event of a token stream is: a data line, or an event line and a data line. Only for data whose
# lines all end the same way.
_USUAL = {
    b"\n": re.compile(rb"(?:event: ?(.*)\n)?data: ?(.*)\n\n"),
    b"\r\n": re.compile(rb"(?:event: ?(.*)\r\n)?data: ?(.*)\r\n\r\n"),
}
_LINE_START = frozenset((b"", b"\n"))  # what stands before a line that opens the event or follows another
_EVENT_ENDS = frozenset((b"\n\n", b"\r\n\r\n"))
_OVERLAP = 3  # an end of event is at most four bytes long, so it can have begun this far before a chunk


@dataclass(slots=True, repr=False)
class SseEvent(Frame):
    r"""One event, with the empty line that ends it; or a single empty line, as a separator.

    ``data`` is the payload as a reader gets it: the data lines joined by ``\n``. ``event`` is the event's name,
    bytes that are not UTF-8 replaced, None when the event does not say.

    ``stray`` holds lines that are neither comments nor fields of the standard, joined by ``\n``. Browsers ignore
    them, other readers may not. An event that has no data lines but stray ones gives them as ``data``. They are
    not part of ``with_data`` and ``without_data``: whoever copies ``raw`` should look at ``stray`` first.
    """

    stray: bytes | None = None

    def with_data(self, data: bytes, *, event: str | None = None) -> bytes:
        r"""Return the event with ``data`` in its data lines; ids, comments, spacing and line endings are kept.

        A line break in ``data`` starts another data line. The data lines stand where the first one stood, stray
        lines go. Raises ValueError for an ``event`` with a line break in it.
        """
        if event is not None or self.stray is not None or self.data is None:
            return _rebuild(self.raw, data, event)
        if data == self.data:
            return self.raw
        # Nearly every event ends with its only data line; there, exchanging the tail is all it takes.
        head, field, tail = self.raw.rpartition(b"data:")
        value = tail[1:] if tail[:1] == b" " else tail
        old = len(self.data)
        is_tail = head[-1:] in _LINE_START and value[:old] == self.data and value[old:] in _EVENT_ENDS
        if not is_tail or data.find(b"\n") >= 0 or data.find(b"\r") >= 0:
            return _rebuild(self.raw, data, None)
        return head + field + tail[: len(tail) - len(value)] + data + value[old:]

    def without_data(self) -> bytes:
        """Return the comments, the id and the retry time, which are the stream's and not the payload's."""
        if self.data is None:
            return self.raw
        lines = [(kind, line) for kind, line in _lines(self.raw) if kind in {"comment", "id", "retry", "blank"}]
        return b"".join(line for _, line in lines) if any(kind != "blank" for kind, _ in lines) else b""


class SseFraming(Cutter):
    """Cuts server-sent events (``text/event-stream``)."""

    __slots__ = ("_tail",)

    name: ClassVar[str] = "sse"
    frame: ClassVar[type[Frame]] = SseEvent

    def __init__(self, *, limit: int = FRAME_LIMIT) -> None:
        super().__init__(limit=limit)
        self._tail = b""

    def _cut(self, chunk: bytes, frames: list[Frame]) -> None:
        if self._parts:
            # A single byte may be a CR of its own, an empty line that must not grow into the next event.
            if self.held > 1 and not self._ends_event(chunk):
                self._hold(chunk)
                return
            chunk = self._take(chunk)
        line_end = b"\n" if chunk.find(b"\r") < 0 else _only_line_end(chunk)
        rest = _cut_mixed(chunk, frames) if line_end is None else _cut_uniform(chunk, line_end, frames)
        if rest:
            self._hold(rest)
            self._tail = rest[-_OVERLAP:]

    def _ends_event(self, chunk: bytes) -> bool:
        """Whether an event ends in ``chunk``; what was held before it is not read again."""
        window = self._tail + chunk
        self._tail = window[-_OVERLAP:]
        return window.find(b"\n\n") >= 0 or (window.find(b"\r") >= 0 and _END_OF_EVENT.search(window) is not None)

    def _finish(self, rest: bytes, frames: list[Frame]) -> None:
        if half := _cut_mixed(rest, frames, final=True):
            frames.append(_event(half, complete=False))


def _only_line_end(data: bytes) -> bytes | None:
    """Return CRLF when every line of ``data``, which has a CR somewhere, ends in it; else None."""
    pairs = data.count(b"\r\n")
    return b"\r\n" if data.count(b"\r") == pairs == data.count(b"\n") else None


def _cut_uniform(data: bytes, line_end: bytes, frames: list[Frame]) -> bytes:
    """Append the events of ``data``, whose lines all end in ``line_end``; return what follows the last one."""
    usual, blank = _USUAL[line_end], line_end + line_end
    start = 0
    while start < len(data):
        if found := usual.match(data, start):
            raw, name, payload = found.group(0, 1, 2)
            frames.append(SseEvent(raw, payload, None if name is None else name.decode("utf-8", "replace"), "data"))
            start += len(raw)
        elif data.startswith(line_end, start):
            frames.append(_blank_line(line_end))
            start += len(line_end)
        elif (end := data.find(blank, start)) >= 0:
            frames.append(_event(data[start : end + len(blank)]))
            start = end + len(blank)
        else:
            break
    return data[start:]


def _cut_mixed(data: bytes, frames: list[Frame], *, final: bool = False) -> bytes:
    """Append the events of ``data``, whatever its line endings; return what follows the last one."""
    start = 0
    while start < len(data):
        blank = _END_OF_LINE.match(data, start)
        found = blank or _END_OF_EVENT.search(data, start)
        if not found or (_undecided(data, found.end()) and not final):
            break
        raw = data[start : found.end()]
        frames.append(_blank_line(raw) if blank else _event(raw))
        start = found.end()
    return data[start:]


def _undecided(data: bytes, end: int) -> bool:
    """Whether the line ending before ``end`` is a CR that the next chunk may complete to CRLF."""
    return end == len(data) and data.endswith(b"\r")


def _blank_line(raw: bytes) -> SseEvent:
    return SseEvent(raw, None, None, "separator")


def _lines(raw: bytes) -> Iterator[tuple[_LineKind, bytes]]:
    """Yield every line of an event with its ending, and what it is."""
    for line in raw.splitlines(keepends=True):
        content = line.rstrip(b"\r\n")
        yield _FIELDS.get(content.partition(b":")[0], "stray") if content else "blank", line


def _value(line: bytes) -> bytes:
    """Return a field's value: what follows the colon and at most one space."""
    _, _, value = line.rstrip(b"\r\n").partition(b":")
    return value[1:] if value[:1] == b" " else value


def _event(raw: bytes, *, complete: bool = True) -> SseEvent:
    """Read an event of any form."""
    data: list[bytes] = []
    stray: list[bytes] = []
    name: str | None = None
    kinds: set[_LineKind] = set()
    for kind, line in _lines(raw):
        kinds.add(kind)
        if kind == "data":
            data.append(_value(line))
        elif kind == "event":
            name = _value(line).decode("utf-8", "replace")
        elif kind == "stray":
            stray.append(line.rstrip(b"\r\n"))
    return SseEvent(
        raw=raw,
        data=b"\n".join(data or stray) if data or stray else None,
        event=name,
        kind=_frame_kind(kinds),
        complete=complete,
        stray=b"\n".join(stray) if stray else None,
    )


def _frame_kind(kinds: set[_LineKind]) -> FrameKind:
    if "data" in kinds or "stray" in kinds:
        return "data"
    return "comment" if kinds <= {"comment", "blank"} else "other"


def _rebuild(raw: bytes, data: bytes, event: str | None) -> bytes:
    """Return ``raw`` with other data lines, and another event line if ``event`` is given."""
    line_end = found.group() if (found := _END_OF_LINE.search(raw)) else b"\n"
    closed = raw.endswith((b"\n", b"\r"))
    lines = list(_lines(raw if closed else raw + line_end))
    pending = _event_lines(event, line_end) + _data_lines(data, lines, line_end)
    kept: list[bytes] = []
    for kind, line in lines:
        if kind in {"data", "stray", "blank"}:
            kept += pending
            pending = []
        if not (kind in {"data", "stray"} or (kind == "event" and event is not None)):
            kept.append(line)
    rebuilt = b"".join(kept + pending)
    return rebuilt if closed else rebuilt.removesuffix(line_end)


def _event_lines(event: str | None, line_end: bytes) -> list[bytes]:
    if event is None:
        return []
    name = event.encode()
    if _END_OF_LINE.search(name):
        raise ValueError("the name of an event is one line")
    return [b"event: " + name + line_end]


def _data_lines(data: bytes, lines: list[tuple[_LineKind, bytes]], line_end: bytes) -> list[bytes]:
    """Return ``data`` as data lines, spaced as the first one in ``lines`` is."""
    first = next((line for kind, line in lines if kind == "data"), b"data: ")
    field = b"data: " if first.startswith(b"data: ") else b"data:"
    # A value that begins with a space needs the one that a reader takes off.
    return [(b"data: " if value.startswith(b" ") else field) + value + line_end for value in _END_OF_LINE.split(data)]
