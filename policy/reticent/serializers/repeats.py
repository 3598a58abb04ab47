"""Events that are like the one before in all but a piece of text, as nearly all events of a token stream are.

The first two of a run are parsed and judged like any event. When they are equal, byte for byte, outside of one string,
and the answer to both was the same, the answer to a third that is equal outside of that string is known, as long as the
string itself is harmless: without a character that JSON, Markdown or a marker of reasoning could begin with, and in a
text whose filter has nothing open and holds nothing back. Everything else goes the long way, and after any event that
did, the run has to be learnt anew. Nothing here knows a dialect.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reticent.serializers.report import Report
    from reticent.streams.tags import TextFilter

_HARMLESS: Final = rb'(?:[^\x00-\x1f"\\<>()\[\]{}=`~/*|\x7f]++|\\n)++'
_is_plain: Final = re.compile(rb"[ !#-';:,.0-9?-Z^_a-z+\-]*+(?<! )").fullmatch
"""ASCII without a line break and without a blank at the end: what nearly every piece of a text is."""
_LEARNT: Final = 3
"""Events after which a run is worth a pattern of its own."""
_SPECIAL: Final = "\u25c1".encode()
"""The one character beyond ASCII that a marker begins with (Kimi-VL)."""
_KEY: Final = re.compile(rb'"([A-Za-z_]+)" ?: ?"\Z')
_TEXT_KEYS: Final = frozenset(
    {b"text", b"content", b"delta", b"thinking", b"reasoning", b"reasoning_content", b"response", b"content_delta"}
)
_LONGEST: Final = 4096
"""Bytes beyond which an event is no piece of a text."""
_ENDS: Final = (b"\n\n", b"\r\n\r\n")


_Match: TypeAlias = "Callable[[bytes], re.Match[bytes] | None]"


@dataclass(frozen=True, slots=True)
class Fed:
    """A piece of text that a handler gave to the filter of its channel, and what of it may be shown."""

    filter: TextFilter
    text: str
    shown: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one event: its bytes, what goes on for it, what was fed, what was counted."""

    raw: bytes
    out: bytes
    fed: Sequence[Fed]
    counted: Sequence[tuple[str, int]]
    """``(rule, characters)`` of every removal."""


@dataclass(slots=True)
class _Run:
    """Events of one shape: what stands around the text, and what stands around it in the answer.

    Without a ``filter`` no text goes on: the answer to every event is ``before``. ``seen`` counts the events that were
    judged one by one.
    """

    prefix: bytes
    suffix: bytes
    before: bytes
    after: bytes
    filter: TextFilter | None = None
    rule: str = ""
    extra: int = 0
    """Characters that are counted for an event beyond those of its text."""
    seen: int = 2
    between: bytes = field(init=False)
    """What stands between the texts of two events."""

    def __post_init__(self) -> None:
        """Put the pieces together once."""
        self.between = self.suffix + self.prefix

    def holds(self, answer: Answer) -> bool:
        """Whether an event that was judged is of this shape, and was answered as the run answers."""
        raw = answer.raw
        if not (raw.startswith(self.prefix) and raw.endswith(self.suffix)):
            return False
        if self.filter is None:
            return not answer.fed and answer.out == self.before
        return len(answer.fed) == 1 and answer.fed[0].filter is self.filter

    def pattern(self) -> re.Pattern[bytes]:
        """One event of the run or more; the group is the last one's text."""
        prefix, suffix = re.escape(self.prefix), re.escape(self.suffix)
        return re.compile(b"(?:" + prefix + b"(" + _HARMLESS + b")" + suffix + b")++")

    def texts(self, events: bytes) -> str:
        """All text of ``events``, which match the pattern."""
        inside = events[len(self.prefix) : len(events) - len(self.suffix)]
        return inside.replace(self.between, b"").replace(b"\\n", b"\n").decode()

    def shown(self, events: bytes) -> bytes:
        """The answer to ``events``, whose text goes on."""
        if self.before is self.prefix:
            return events
        inside = events[len(self.prefix) : len(events) - len(self.suffix)]
        return self.before + inside.replace(self.between, self.after + self.before) + self.after


class Repeats:
    """What is known about the run of events that a stream is in; holds two events at most."""

    __slots__ = ("_in_line", "_last", "_match", "_report", "_run", "_unread")

    def __init__(self, report: Report) -> None:
        """Know nothing yet."""
        self._report = report
        self._last: Answer | None = None
        self._run: _Run | None = None
        self._match: _Match | None = None
        self._unread = b""
        self._in_line = False

    @property
    def is_running(self) -> bool:
        """Whether some run is known, so that it pays to look at events one by one."""
        return self._run is not None

    def forget(self) -> None:
        """An event came that nothing can be learnt from."""
        self._last = self._run = self._match = None

    def learn(self, answer: Answer) -> None:
        """An event was judged: go on with the run, or begin one when the event is like the one before."""
        last, self._last = self._last, answer
        run = self._run
        if run is not None and run.holds(answer):
            run.seen += 1
        else:
            run = self._run = _common(last, answer) if last is not None else None
        ready = run is not None and run.seen > _LEARNT and (run.filter is None or run.filter.steady)
        self._match = run.pattern().match if run is not None and ready else None
        self._in_line = run is not None and run.filter is not None and run.filter.in_line

    def settle(self) -> None:
        """Tell the filter of the text what went on without it; to be called before an event goes the long way."""
        if self._unread and self._run is not None and self._run.filter is not None:
            self._run.filter.skim(self._unread.decode())
        self._unread = b""

    def take(self, chunk: bytes) -> tuple[bytes, bytes] | None:
        """What goes on for the events of the run that ``chunk`` begins with, and the rest; None when there are none."""
        run = self._run
        if run is None or self._match is None:
            return None
        start, end = len(run.prefix), len(chunk) - len(run.suffix)
        if end > start and chunk.startswith(run.prefix) and chunk.endswith(run.suffix) and _is_plain(chunk, start, end):
            if run.filter is None:
                self._report.add(run.rule, end - start + run.extra)
                return run.before, b""
            if self._in_line:
                text = self._unread = chunk[start:end]
                return (chunk if run.before is run.prefix else run.before + text + run.after), b""
        return self._take_several(chunk, run, self._match)

    def _take_several(self, chunk: bytes, run: _Run, match: _Match) -> tuple[bytes, bytes] | None:
        found = match(chunk)
        if found is None:
            return None
        end = found.end()
        events, rest = (chunk, b"") if end == len(chunk) else (chunk[:end], chunk[end:])
        is_ascii = events.isascii()
        if not is_ascii and not _is_harmless_beyond_ascii(events):
            return None
        if run.filter is None:
            return self._withheld(run, events, is_ascii=is_ascii), rest
        text = found[1]
        if self._in_line and is_ascii and not text.isspace() and b"\\" not in events:
            self._unread = text  # where the text stands now depends on its last piece alone
        else:
            self.settle()
            run.filter.skim(run.texts(events))
            self._in_line = run.filter.in_line
        return (events if run.before is run.prefix else run.shown(events)), rest

    def _withheld(self, run: _Run, events: bytes, *, is_ascii: bool) -> bytes:
        """The answer to ``events``, whose text does not go on; counted."""
        count = events.count(run.between) + 1
        is_plain = is_ascii and b"\\" not in events
        size = len(events) - count * len(run.between) if is_plain else len(run.texts(events))
        self._report.add(run.rule, size + run.extra * count, count=count)
        return run.before * count


def _is_harmless_beyond_ascii(events: bytes) -> bool:
    try:
        events.decode()
    except UnicodeDecodeError:
        return False
    return _SPECIAL not in events


def _common(first: Answer, second: Answer) -> _Run | None:
    """The run that two events in a row begin, if they do."""
    raw = second.raw
    hole = _hole(first.raw, raw)
    if hole is None or b"\\" in raw or not raw.endswith(_ENDS):
        return None
    text = raw[hole[0] : hole[1]]
    prefix, suffix = raw[: hole[0]], raw[hole[1] :]
    token = b'"' + text + b'"'
    key = _KEY.search(prefix)
    if key is None or key[1] not in _TEXT_KEYS or raw.count(token) != 1 or re.fullmatch(_HARMLESS, text) is None:
        return None
    if not (first.raw.startswith(prefix) and first.raw.endswith(suffix)):
        return None
    if second.fed:
        return _shown_run(second, prefix, suffix, token)
    return _withheld_run(first, second, prefix, suffix, text)


def _hole(first: bytes, second: bytes) -> tuple[int, int] | None:
    """The inside of the string of ``second`` in which it begins to differ from ``first``."""
    if first == second or max(len(first), len(second)) > _LONGEST:
        return None
    at = _first_difference(first, second)
    start = second.rfind(b'"', 0, at) + 1
    end = second.find(b'"', at)
    return (start, end) if 0 < start < end else None


def _first_difference(first: bytes, second: bytes) -> int:
    """How many bytes two different strings have in common at their beginning."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[:middle] == second[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _shown_run(answer: Answer, prefix: bytes, suffix: bytes, token: bytes) -> _Run | None:
    """A run whose text goes on, through a filter that let it all through."""
    fed = answer.fed[0]
    if len(answer.fed) > 1 or answer.counted or fed.shown != fed.text or fed.text.encode() != token[1:-1]:
        return None
    if answer.out == answer.raw:
        return _Run(prefix, suffix, prefix, suffix, fed.filter)
    if answer.out.count(token) != 1:
        return None
    at = answer.out.index(token) + 1
    after = answer.out[at + len(token) - 2 :]
    return _Run(prefix, suffix, answer.out[:at], after, fed.filter)


def _withheld_run(first: Answer, second: Answer, prefix: bytes, suffix: bytes, text: bytes) -> _Run | None:
    """A run whose text does not go on: the same answer to both, one removal, and it counts the text once.

    What goes without a removal that a rule counted goes for a reason that only its handler knows.
    """
    if first.fed or first.out != second.out or len(first.counted) != 1 or len(second.counted) != 1:
        return None
    (rule, length), (earlier, before) = second.counted[0], first.counted[0]
    extra = length - len(text.decode())
    other = first.raw[len(prefix) : len(first.raw) - len(suffix)]
    if text in second.out or rule != earlier or before - len(other.decode("utf-8", "replace")) != extra:
        return None
    return _Run(prefix, suffix, second.out, b"", rule=rule, extra=extra)
