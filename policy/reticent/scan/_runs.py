"""Events of streams that were stored: judged as their stream was, told by line.

The filter of a live stream holds text back until a later event shows what it is, and then sends it as an event of its
own. On the wire nobody sees the difference; in a file it would move text from one line to another for nothing. So a
run in which nothing was withheld stays byte for byte as it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from reticent.errors import EgressRefused
from reticent.scan.findings import Finding, Note, NotRead, Where
from reticent.serializers.stream import StripStream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reticent.scan.judge import Judge

_PATIENCE: Final = 64
"""Lines that are no events and hold nothing, after which a run is over."""
_HELD: Final = 64 * 1024 * 1024
"""Bytes of a run that wait for its end; in a longer one text may move to a later event."""


class Counted:
    """A stream filter that tells, frame by frame, what it removed since it was last asked."""

    def __init__(self, judge: Judge, wire: str) -> None:
        """Start before the first frame of a stream."""
        self._judge = judge
        self.stream = StripStream("scan", judge.program, wire=wire, starts_inside=False)
        self._seen: dict[str, tuple[int, int]] = {}

    def news(self, source: str, where: Where) -> list[Finding]:
        """A finding for each rule that removed something since the last call."""
        fresh: list[Finding] = []
        for rule, told in self.stream.report.removals.items():
            count, length = self._seen.get(rule, (0, 0))
            if told.count > count or told.length > length:
                more = max(told.count - count, 0)
                fresh.append(Finding(source, where, rule, self._judge.class_of(rule), more, told.length - length))
                self._seen[rule] = (told.count, told.length)
        return fresh


class Merged:
    """Findings of neighbouring frames by one rule, as one finding at the first of them."""

    def __init__(self) -> None:
        """Start with none."""
        self._open: dict[str, tuple[int, Finding]] = {}

    def add(self, findings: list[Finding], at: int) -> Iterator[Finding]:
        """Take the findings of frame ``at``; those that have ended."""
        yield from self._ended(at)
        for new in findings:
            _, old = self._open.get(new.rule, (at, None))
            whole = new if old is None else _together(old, new)
            self._open[new.rule] = (at, whole)

    def end(self) -> Iterator[Finding]:
        """All that are left."""
        yield from (finding for _, finding in self._open.values())
        self._open = {}

    def _ended(self, at: int) -> Iterator[Finding]:
        for rule, (last, finding) in list(self._open.items()):
            if at - last > 1:
                del self._open[rule]
                yield finding


def _together(old: Finding, new: Finding) -> Finding:
    return Finding(old.source, old.where, old.rule, old.reasoning_class, old.count + new.count, old.length + new.length)


class Run:
    """Lines that belong to streams, from the first that cannot be judged by itself."""

    def __init__(self, source: str, judge: Judge, write: Callable[[bytes], object] | None) -> None:
        """Wait for the first event."""
        self._source = source
        self._judge = judge
        self._write = write
        self._counted: Counted | None = None
        self._merged = Merged()
        self._raw: list[bytes] = []
        self._out: list[bytes] = []
        self._size = self._idle = self._at = 0
        self._found = False
        self._last = Where()

    @property
    def is_open(self) -> bool:
        """Whether a run is going on."""
        return self._counted is not None

    def takes(self, value: Any, line: bytes) -> bool:
        """Whether a line goes to the run, which it opens if need be."""
        if self._counted is None:
            self._at += 1
            return self._judge.is_piece(value)
        if self._judge.is_event(value):
            self._idle = 0
            self._at += 2  # a line may be a whole response just as well, so that each is told by itself
            return True
        self._idle += 1
        return self._idle < _PATIENCE and self._judge.is_clean(value, line)

    def beside(self, raw: bytes) -> None:
        """Take an empty line."""
        if self._counted is not None:
            self._raw.append(raw)
            self._out.append(raw)
        elif self._write is not None:
            self._write(raw)

    def feed(self, raw: bytes, where: Where) -> Iterator[Note]:
        """Take one event."""
        if self._counted is None:
            self._counted = Counted(self._judge, "jsonl")
        self._last = where
        try:
            out = self._counted.stream.feed(raw if raw.endswith(b"\n") else raw + b"\n")
        except EgressRefused as error:
            yield NotRead(self._source, error.code, str(error), where)
            yield from self.end(keep=raw)
            return
        self._keep(raw, out)
        findings = self._counted.news(self._source, where)
        self._found = self._found or bool(findings)
        yield from self._merged.add(findings, self._at)

    def end(self, *, keep: bytes = b"") -> Iterator[Note]:
        """The run is over; ``keep`` is a line that broke it and stays as it is."""
        if self._counted is None:
            return
        try:
            rest = self._counted.stream.flush() if not keep else b""
        except EgressRefused as error:
            yield NotRead(self._source, error.code, str(error), self._last)
            rest = b""
        findings = self._counted.news(self._source, self._last)
        self._found = self._found or bool(findings)
        yield from self._merged.add(findings, self._at)
        yield from self._merged.end()
        if self._write is not None:
            self._write(b"".join([*self._out, rest] if self._found else self._raw) + keep)
        self._reset()

    def _keep(self, raw: bytes, out: bytes) -> None:
        if self._write is None:
            return
        if not raw.endswith(b"\n") and out.endswith(b"\n"):
            out = out[:-1]
        self._raw.append(raw)
        self._out.append(out)
        self._size += len(raw)
        if self._size > _HELD:
            self._write(b"".join(self._out))
            self._raw, self._out, self._size, self._found = [], [], 0, True

    def _reset(self) -> None:
        self._counted = None
        self._merged = Merged()
        self._raw, self._out = [], []
        self._size = self._idle = self._at = 0
        self._found = False
        self._last = Where()
