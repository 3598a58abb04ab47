"""Events that are like the one before in all but a piece of text, as nearly all events of a token stream are.

The first two of a run are parsed and judged like any event. When they are equal, byte for byte, outside of one string,
and the answer to both was the same, the answer to a third that is equal outside of that string is known, as long as the
string itself is harmless: without a character that JSON, Markdown or a marker of reasoning could begin with, and in a
text whose filter has nothing open and holds nothing back. Everything else goes the long way, and after any event that
did, the run has to be learnt anew. Two runs may take turns, as the answers of two choices do. Nothing here knows a
dialect.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from reticent.serializers import numbering
from reticent.serializers.runs import common

if TYPE_CHECKING:
    from reticent.dialects._channels import Numbers
    from reticent.serializers.report import Report
    from reticent.serializers.runs import Answer, Run

_is_plain: Final = re.compile(rb"(?! *:)[ !#-';:,.0-9?-Z^_a-z+\-]*+(?<! )").fullmatch
"""ASCII without a line break and without a blank at the end: what nearly every piece of a text is."""
_LEARNT: Final = 3
"""Events after which the answer to a run is taken for known."""
_WORTH: Final = 8
"""Times that a run was not told at a glance, after which it is worth a pattern of its own.

To compile one takes as long as to judge a few events.
"""
_PATIENCE: Final = 16
"""Events in a row that were like none before, after which only some are compared: numbered ones never are alike."""
_MOST: Final = 2
"""Runs that may take turns."""
_SPECIAL: Final = ("\u25c1".encode(), "\u25ba".encode())
"""The characters beyond ASCII that a marker begins with (Kimi-VL, aider)."""


class Repeats:
    """What is known about the runs of events that a stream is in; holds two events and two shapes at most."""

    __slots__ = ("_lasts", "_misses", "_numbers", "_report", "_runs")

    def __init__(self, report: Report) -> None:
        """Know nothing yet."""
        self._report = report
        self._lasts: list[Answer] = []
        self._runs: list[Run] = []
        self._misses = 0
        self._numbers: Numbers | None = None

    @property
    def is_running(self) -> bool:
        """Whether some run is known, so that it pays to look at events one by one."""
        return bool(self._runs)

    def forget(self) -> None:
        """An event came that nothing can be learnt from."""
        self._lasts, self._runs = [], []

    def learn(self, answer: Answer) -> None:
        """An event was judged: go on with its run, or begin one when it is like one before.

        An event of no run may have changed what becomes of any.
        """
        if answer.numbers is not self._numbers:
            self.forget()
            self._numbers = answer.numbers
        if answer.numbers is None:
            self._learn(answer)
        elif (unnumbered := numbering.without_number(answer)) is not None:
            self._learn(unnumbered)
        else:
            self.forget()

    def _learn(self, answer: Answer) -> None:
        run = next((run for run in self._runs if run.holds(answer)), None)
        if run is not None:
            run.seen += 1
            others = [other for other in self._runs if other is not run] if run.is_usual(answer) else []
        else:
            run = self._begun(answer)
            others = [] if run is None else [other for other in self._runs if not other.has_shape(answer.raw)]
        self._runs = [] if run is None else [run, *others][:_MOST]
        earlier = [last for last in self._lasts if run is None or not run.has_shape(last.raw)]
        self._lasts = [answer, *earlier][:_MOST]
        for known in self._runs:
            known.ready = known.seen > _LEARNT and (known.filter is None or known.filter.steady)
            known.in_line = known.filter is not None and known.filter.in_line
            known.is_alone = known.filter is None or len(self._runs) == 1
            known.note()

    def _begun(self, answer: Answer) -> Run | None:
        """The run that an event begins with one of those before it."""
        self._misses += 1
        if self._misses > _PATIENCE and self._misses % 4:
            return None
        for last in self._lasts:
            run = common(last, answer)
            if run is not None:
                self._misses = 0
                return run
        return None

    def settle(self) -> None:
        """Tell the filters of the texts what went on without them; to be called before an event goes the long way."""
        for run in self._runs:
            run.settle()

    def take(self, chunk: bytes, *, is_numbered: bool = True) -> tuple[bytes, bytes] | None:
        """What goes on for the events of a run that ``chunk`` begins with, and the rest; None when there are none.

        Without ``is_numbered`` the number of the event was read off already.
        """
        if self._numbers is not None and is_numbered:
            return self._take_numbered(chunk, self._numbers)
        for run in self._runs:
            if run.ready and chunk.startswith(run.prefix):
                start, end = run.start, len(chunk) - run.tail
                if run.quick and end > start and chunk.endswith(run.suffix) and _is_plain(chunk, start, end):
                    # As _one does, without the price of calling it: one event with a plain text is what comes mostly.
                    if run.filter is None:
                        self._report.add(run.rule, end - start + run.extra)
                        return run.before, b""
                    text = run.unread = chunk[start:end]
                    return (chunk if run.before is run.prefix else run.before + text + run.after), b""
                found = self._taken(chunk, run)
                if found is not None:
                    return found
        return None

    def _take_numbered(self, chunk: bytes, numbers: Numbers) -> tuple[bytes, bytes] | None:
        stop = chunk.find(b"\n\n") + 2
        if len(self._runs) == 1:
            out = self._numbered_one(chunk if stop == len(chunk) else chunk[:stop], self._runs[0], numbers)
            if out is not None:
                return out, chunk[stop:]
        read = numbering.read(chunk[:stop]) if self._runs else None
        if read is None or read[0] <= numbers.last:
            return None
        number, event = read
        taken = self.take(event, is_numbered=False)
        if taken is None:
            return None
        return numbering.numbered(taken[0], number, numbers), chunk[stop:]

    def _numbered_one(self, event: bytes, run: Run, numbers: Numbers) -> bytes | None:
        """The answer to one event with a number and a plain text, as ``take`` gives it; its number put in place."""
        if not run.ready or not run.quick or (run.filter is None and run.before):
            return None
        cut = numbering.cut(event, run)
        if cut is None or cut.number <= numbers.last or not _is_plain(event, cut.text, cut.text_end):
            return None
        if run.filter is None:
            self._report.add(run.rule, cut.text_end - cut.text + run.extra)
            numbers.last = cut.number
            numbers.shift -= 1
            return b""
        run.unread = event[cut.text : cut.text_end]
        if run.before is not run.prefix:
            return numbering.numbered(run.before + run.unread + run.after, cut.number, numbers)
        numbers.last = cut.number
        if not numbers.shift:
            return event
        return event[: cut.digits] + b"%d" % (cut.number + numbers.shift) + event[cut.digits_end :]

    def _taken(self, chunk: bytes, run: Run) -> tuple[bytes, bytes] | None:
        if run.filter is not None and len(self._runs) > 1:
            self._settle_others(run)
        end = run.closing(chunk)
        if end > run.start and _is_plain(chunk, run.start, end):
            return self._one(chunk, run, end), b""
        run.tries += 1
        if run.tries > _WORTH:
            return self._take_several(chunk, run)
        stop = chunk.find(b"\n\n") + 2
        event = chunk[:stop]
        end = run.closing(event)
        if end > run.start and _is_plain(event, run.start, end):
            return self._one(event, run, end), chunk[stop:]
        return None

    def _settle_others(self, run: Run) -> None:
        """Two shapes may be pieces of one text: what came of it in the other shape comes first."""
        for other in self._runs:
            if other is not run and other.filter is run.filter and other.unread:
                other.settle()
                run.in_line = other.filter is not None and other.filter.in_line

    def _one(self, event: bytes, run: Run, end: int) -> bytes:
        """The answer to one event with a plain text, which ends at ``end``."""
        if run.filter is None:
            self._report.add(run.rule, end - run.start + run.extra)
            return run.before
        text = event[run.start : end]
        if run.in_line:
            run.unread = text  # where the text stands now depends on its last piece alone
        else:
            run.skim(text.decode())
        if run.before is run.prefix:
            return event
        return run.before + text + (run.after if run.filling is None else event[end:])

    def _take_several(self, chunk: bytes, run: Run) -> tuple[bytes, bytes] | None:
        found = run.patterns[0].match(chunk)
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
        if run.in_line and is_ascii and not text.isspace() and b"\\" not in events:
            run.unread = text
        else:
            run.skim(run.texts(events))
        return (events if run.before is run.prefix else run.shown(events)), rest

    def _withheld(self, run: Run, events: bytes, *, is_ascii: bool) -> bytes:
        """The answer to ``events``, whose text does not go on; counted."""
        count = run.count(events)
        is_plain = is_ascii and run.filling is None and b"\\" not in events
        size = len(events) - count * len(run.between) if is_plain else len(run.texts(events))
        self._report.add(run.rule, size + run.extra * count, count=count)
        return run.before * count


def _is_harmless_beyond_ascii(events: bytes) -> bool:
    try:
        events.decode()
    except UnicodeDecodeError:
        return False
    return not any(special in events for special in _SPECIAL)
