"""The shape that events of a token stream share, and what becomes of those that have it.

Some APIs vary the length of their events, so that it does not tell that of the text: with blanks in front of the last
brace, or with random letters in a member named ``obfuscation``. Such a filling may differ between events of one shape.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reticent.dialects._channels import Numbers
    from reticent.streams.tags import TextFilter

_HARMLESS: Final = rb'(?! *:)(?:[^\x00-\x1f"\\<>()\[\]{}=`~/*|\x7f]++|\\n(?! *:))++'
_KEY: Final = re.compile(rb'"([A-Za-z_]+)" ?: ?"\Z')
_TEXT_KEYS: Final = frozenset(
    {b"text", b"content", b"delta", b"thinking", b"reasoning", b"reasoning_content", b"response", b"content_delta"}
)
_TEXT: Final = re.compile(b'"(?:' + b"|".join(sorted(_TEXT_KEYS)) + b')" ?: ?"([^"\\\\]+)"')
_LONGEST: Final = 4096
"""Bytes beyond which an event is no piece of a text."""
_ENDS: Final = (b"\n\n", b"\r\n\r\n")
_BLANKS: Final = re.compile(rb"(?<! )(?P<filling> *)(?P<end>\}(?:\n\n|\r\n\r\n))\Z")
_LETTERS: Final = re.compile(
    rb'(?<="obfuscation":")(?P<filling>[A-Za-z0-9]*)(?P<end>"(?!.*"obfuscation").*)\Z', re.DOTALL
)
_FILLINGS: Final = ((_LETTERS, re.compile(rb"[A-Za-z0-9]{0,64}+")), (_BLANKS, re.compile(rb" *+")))
"""Where a filling stands behind a text, and what it is made of."""


@dataclass(slots=True)
class Fed:
    """A piece of text that a handler gave to the filter of its channel, and what of it may be shown.

    Not frozen, and neither is ``Answer``: there is one for each event, and a frozen one takes three times as long.
    """

    filter: TextFilter
    text: str
    shown: str


@dataclass(slots=True)
class Answer:
    """What became of one event: its bytes, what goes on for it, what was fed, what was counted."""

    raw: bytes
    out: bytes
    fed: Sequence[Fed]
    counted: Sequence[tuple[str, int]]
    """``(rule, characters)`` of every removal."""
    numbers: Numbers | None = None
    """What counts the event, when it has a number of its own."""


@dataclass(slots=True)
class Run:
    """Events of one shape: what stands around the text, and what stands around it in the answer.

    Without a ``filter`` no text goes on: the answer to every event is ``before``. ``seen`` counts the events that were
    judged one by one. Behind the suffix may stand a ``filling`` and an ``end``; then ``after`` is what it was.
    """

    prefix: bytes
    suffix: bytes
    before: bytes
    after: bytes
    filter: TextFilter | None = None
    rule: str = ""
    extra: int = 0
    """Characters that are counted for an event beyond those of its text."""
    filling: re.Pattern[bytes] | None = None
    end: bytes = b""
    seen: int = 2
    tries: int = 0
    """Times that the next event was not one with a plain text, or not the only one in its chunk."""
    ready: bool = False
    """Whether events need not be judged now."""
    is_alone: bool = False
    """Whether no other run can be pieces of the same text."""
    quick: bool = False
    """Whether one event with a plain text can be answered at a glance."""
    in_line: bool = False
    """Whether of plain texts the filter need be told the last one only."""
    around: tuple[bytes, bytes, bool] | None = None
    """What stands around the number of an event, when events have one (``numbering``)."""
    unread: bytes = b""
    """Text that went on and that the filter was not told of yet."""
    start: int = field(init=False)
    """Where the text begins."""
    tail: int = field(init=False)
    """How long the suffix is."""
    between: bytes = field(init=False)
    """What stands between the texts of two events without a filling."""
    _patterns: tuple[re.Pattern[bytes], re.Pattern[bytes]] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Put the pieces together once."""
        self.between = self.suffix + self.prefix
        self.start, self.tail = len(self.prefix), len(self.suffix)

    def holds(self, answer: Answer) -> bool:
        """Whether an event that was judged is of this shape, and was answered as the run answers."""
        if not self.has_shape(answer.raw):
            return False
        if self.filter is None:
            return not answer.fed and answer.out == self.before
        return len(answer.fed) == 1 and answer.fed[0].filter is self.filter

    def has_shape(self, event: bytes) -> bool:
        """Whether an event is the run's in all but its text."""
        return event.startswith(self.prefix) and self.closing(event) >= len(self.prefix)

    def is_usual(self, answer: Answer) -> bool:
        """Whether all text of an event that the run ``holds`` went on, or none did, as in those before it."""
        return self.filter is None or (not answer.counted and answer.fed[0].shown == answer.fed[0].text)

    def note(self) -> None:
        """Note whether events can be answered at a glance, after anything that this depends on has changed."""
        self.quick = self.is_alone and self.filling is None and (self.filter is None or self.in_line)

    def settle(self) -> None:
        """Tell the filter what it was not told yet."""
        if self.unread and self.filter is not None:
            self.filter.skim(self.unread.decode())
        self.unread = b""

    def skim(self, text: str) -> None:
        """Tell the filter of ``text``, which goes on, and of what came before."""
        self.settle()
        if self.filter is not None:
            self.filter.skim(text)
            self.in_line = self.filter.in_line
            self.note()

    def closing(self, event: bytes) -> int:
        """Where the text of ``event`` ends, which begins with the prefix; -1 when it is of another shape."""
        if self.filling is None:
            return len(event) - len(self.suffix) if event.endswith(self.suffix) else -1
        at = event.find(self.suffix, len(self.prefix))
        found = None if at < 0 else self.filling.match(event, at + len(self.suffix))
        return at if found is not None and event[found.end() :] == self.end else -1

    @property
    def patterns(self) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
        """One event of the run or more, the group being the last one's text; and one event alone."""
        if self._patterns is None:  # compiling takes as long as judging an event
            filling = b"" if self.filling is None else self.filling.pattern
            tail = re.escape(self.suffix) + filling + re.escape(self.end)
            one = re.escape(self.prefix) + b"(" + _HARMLESS + b")(?P<tail>" + tail + b")"
            self._patterns = re.compile(b"(?:" + one + b")++"), re.compile(one)
        return self._patterns

    def texts(self, events: bytes) -> str:
        """All text of ``events``, which match the pattern."""
        if self.filling is None:
            inside = events[len(self.prefix) : len(events) - len(self.suffix)].replace(self.between, b"")
        else:
            inside = b"".join([event[1] for event in self.patterns[1].finditer(events)])
        return inside.replace(b"\\n", b"\n").decode()

    def count(self, events: bytes) -> int:
        """How many ``events`` there are."""
        if self.filling is None:
            return events.count(self.between) + 1
        return sum(1 for _ in self.patterns[1].finditer(events))

    def shown(self, events: bytes) -> bytes:
        """The answer to ``events``, whose text goes on."""
        if self.before is self.prefix:
            return events
        if self.filling is not None:
            return b"".join([self.before + event[1] + event["tail"] for event in self.patterns[1].finditer(events)])
        inside = events[len(self.prefix) : len(events) - len(self.suffix)]
        return self.before + inside.replace(self.between, self.after + self.before) + self.after


def common(first: Answer, second: Answer) -> Run | None:
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
    if not first.raw.startswith(prefix):
        return None
    if first.raw.endswith(suffix):
        return _judged_run(first, second, Run(prefix, suffix, prefix, suffix), token)
    for where, filling in _FILLINGS:
        found = where.search(suffix)
        if found is not None:
            run = Run(prefix, suffix[: found.start()], prefix, suffix, filling=filling, end=found["end"])
            if run.closing(first.raw) > len(prefix) and run.closing(raw) == hole[1]:
                return _judged_run(first, second, run, token)
    return None


def _judged_run(first: Answer, second: Answer, run: Run, token: bytes) -> Run | None:
    """``run`` with what becomes of its events, if that was the same for both."""
    return _shown_run(second, run, token) if second.fed else _withheld_run(first, second, run, token[1:-1])


def _hole(first: bytes, second: bytes) -> tuple[int, int] | None:
    """The inside of the string of ``second`` in which it begins to differ from ``first``, or of its only text."""
    if max(len(first), len(second)) > _LONGEST:
        return None
    if first == second:
        texts = list(_TEXT.finditer(second))
        return texts[0].span(1) if len(texts) == 1 else None
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


def _shown_run(answer: Answer, run: Run, token: bytes) -> Run | None:
    """A run whose text goes on, through a filter that let it all through."""
    fed = answer.fed[0]
    if len(answer.fed) > 1 or answer.counted or fed.shown != fed.text or fed.text.encode() != token[1:-1]:
        return None
    run.filter = fed.filter
    if answer.out == answer.raw:
        return run
    if answer.out.count(token) != 1:
        return None
    at = answer.out.index(token) + 1
    run.before, run.after = answer.out[:at], answer.out[at + len(token) - 2 :]
    return run if run.filling is None or answer.raw.endswith(token + run.after[1:]) else None


def _withheld_run(first: Answer, second: Answer, run: Run, text: bytes) -> Run | None:
    """A run whose text does not go on: the same answer to both, one removal, and it counts the text once.

    What goes without a removal that a rule counted goes for a reason that only its handler knows.
    """
    if first.fed or first.out != second.out or len(first.counted) != 1 or len(second.counted) != 1:
        return None
    (rule, length), (earlier, before) = second.counted[0], first.counted[0]
    extra = length - len(text.decode())
    other = first.raw[len(run.prefix) : run.closing(first.raw)]
    if text in second.out or rule != earlier or before - len(other.decode("utf-8", "replace")) != extra:
        return None
    if first.raw == second.raw and extra:
        return None  # two that are the same do not show which string was counted
    run.before, run.after, run.rule, run.extra = second.out, b"", rule, extra
    return run
