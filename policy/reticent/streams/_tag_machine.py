"""The machine under `reticent.streams.tags`: one reading of the tag rule, for whole texts and for streams alike."""

from __future__ import annotations

import re
from functools import cache

from reticent.streams import _markers as markers
from reticent.streams import _phrases as phrases
from reticent.streams import harmony
from reticent.streams._harmony_machine import HarmonyMachine
from reticent.streams._marker_forms import growing, spelled

PROSE_WINDOW = 16_384
"""Characters within which the second half of a prose form (``Thought:`` … ``Action:``) must follow the first."""

_BLANKS = re.compile(r"\s*")
_REACT_RULE = "inline-tag/react"
_QUESTION = "Question:"
_BRACKETED_RULE = "inline-tag/bracketed"
_WRAPPER_RULE = "inline-tag/answer-wrapper"
_DEGRADED_RULE = "harmony/degraded"

_ANSWER = "assistantfinal"
_AGAIN = "assistantanalysis"


def _prefix_at_end(word: str) -> str:
    return growing(spelled(word)) + r"\Z"


_WORDS = {
    "assistant": "|".join([_AGAIN, _ANSWER, _prefix_at_end(_AGAIN), _prefix_at_end(_ANSWER)]),
    "thought": "|".join(["Thought:", _prefix_at_end("Thought:")]),
    "answer": "<",
}
_LINE_MARKS = ":\u25ba"
"""What begins a marker that counts at the start of a line and nowhere else."""
_MARKED_WORDS = frozenset({"answer"})
"""Words that begin with markup."""
_WRAPPER_END = re.compile(r"</(answer|response)>", re.IGNORECASE | re.ASCII)


@cache
def _extended(stops: re.Pattern[str], words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join([stops.pattern, *(_WORDS[word] for word in words)]), stops.flags)


def _begins(text: str, at: int, word: str) -> bool:
    """Whether the rest of ``text`` is a proper beginning of ``word``."""
    return len(text) - at < len(word) and word.startswith(text[at:])


class TagMachine(HarmonyMachine):
    """Decides piece by piece what is reasoning.

    ``retract`` (whole texts only) lets a closer without an opener take back what stands before it.
    """

    def __init__(self, *, starts_inside: bool, use_harmony: bool, retract: bool) -> None:
        super().__init__(starts_inside=starts_inside, use_harmony=use_harmony)
        self._retract = retract
        self._wrapper = ""  # the answer wrapper whose closing tag is to be taken off
        self._react = self._quoting = True
        self._window_scanned = 0

    @property
    def steady(self) -> bool:
        """Whether only a character of markup can change what becomes of the text now."""
        return (
            self._state == self._visible
            and not self._opening
            and self._position.steady
            and self._words <= _MARKED_WORDS
        )

    # Visible text.

    def _visible(self, at: int) -> int:
        position, text = self._position, self._text
        if position.run:
            return self._run_of(position.run, at)
        if self._opening:
            return self._text_opening(at)
        stops = position.stops
        words = self._words & {"answer"} if position.in_code else self._words
        found = (_extended(stops, tuple(sorted(words))) if words else stops).search(text, at)
        stop = found.start() if found else len(text)
        if stop > at:
            return self._show(at, stop)
        return position.grow_run(text[at], text, at) if text[at] in "`~" else self._marker(at)

    def _run_of(self, char: str, at: int) -> int:
        if self._text[at] == char:
            return self._position.grow_run(char, self._text, at)
        self._position.end_run()
        return at

    def _marker(self, at: int) -> int:
        """Something that could be a marker stands at ``at``, outside any run of backticks."""
        text = self._text
        if "answer" in self._words and (end := self._answer_end(at)) is not None:
            return end
        if self._position.in_code or (text[at] in _LINE_MARKS and not self._position.line_start):
            return self._show(at, at + 1)
        return self._word(at) if text[at] in "aT" else self._mark(at)

    def _mark(self, at: int) -> int:
        """A tag, a token or the header of a message, if what stands at ``at`` is one."""
        text = self._text
        reading = markers.read_marker(text, at)
        if reading is not None:
            return self._closer(at, reading) if reading.closes else self._opener(at, reading)
        for attempt in (self._message, self._wrapped):
            if (end := attempt(at)) is not None:
                return end
        return self._wait(at) if not self._final and markers.may_grow(text, at) else self._show(at, at + 1)

    def _opener(self, at: int, reading: markers.Reading) -> int:
        marker, position = reading.marker, self._position
        counts = position.line_start or (position.seam and (marker.token or self._seen_block))
        if position.quoted and self._quoting and not reading.empty:
            block = self._window(at, marker.close, marker.rule)
            if block is not None:
                return block
            self._quoting = False  # looking ahead again and again is not linear
        if not counts:
            end = self._show(at, reading.end)
            self._mentioned.add(marker)
            return end
        self._open(at, reading.end, marker, marker.rule)
        return self._closed(reading.end) if reading.empty else reading.end

    def _closer(self, at: int, reading: markers.Reading) -> int:
        """A closer that no block waits for: the other half of a mention, or the end of reasoning never opened."""
        marker = reading.marker
        if marker in self._mentioned or not self._position.seam:
            self._mentioned.discard(marker)
            return self._show(at, reading.end)
        start = self._kept_since - self._base if self._retract else at
        self._block_rule = f"{marker.rule}/lone-closer"
        self._block_on_line = self._retract or self._position.line_start
        self._cut(start, reading.end, self._block_rule)
        return self._closed(reading.end)

    def _wrapped(self, at: int) -> int | None:
        """The wrapper some models put around the answer that follows their reasoning."""
        text = self._text
        found = _WRAPPER_END.match(text, at) if self._wrapper else None
        if found is not None and found[1].lower() == self._wrapper:
            self._wrapper = ""
        elif self._seen_block and self._position.fresh and (found := phrases.read_wrapper(text, at)):
            self._wrapper = found[0][1:-1].lower()
        else:
            return self._wait(at) if not self._final and self._wrapper_may_grow(at) else None
        self._block_rule, self._block_on_line = _WRAPPER_RULE, self._position.line_start
        return self._closed(self._cut(at, found.end(), _WRAPPER_RULE))

    def _wrapper_may_grow(self, at: int) -> bool:
        text = self._text
        if self._wrapper and _begins(text, at, f"</{self._wrapper}>"):
            return True
        return self._seen_block and self._position.fresh and phrases.wrapper_may_grow(text, at)

    # Forms that count only where a text begins, and what they start.

    def _text_opening(self, at: int) -> int:
        found = _BLANKS.match(self._text, at)
        if found is not None and found.end() > at:
            return self._show(at, found.end())
        end = self._first_words(at)
        if end is None:
            self._opening = False
        return at if end is None else end

    def _first_words(self, at: int) -> int | None:
        text = self._text
        phrase = phrases.read_phrase(text, at)
        if phrase is not None:
            return self._open(at, phrase[1], phrase[0], phrase[0].rule)
        if not self._final and phrases.phrase_may_grow(text, at):
            return self._wait(at)
        if text[at] in "TQ":
            return self._thought(at) if text[at] == "T" else self._question(at)
        if text[at] == "[":
            return self._bracketed(at)
        if text[at] == "t":
            return self._message(at)
        return self._analysis(at) if text[at] == "a" and self._harmony else None

    def _thought(self, at: int) -> int | None:
        """ReAct: ``Thought:`` is reasoning when an action or an answer follows, else somebody's words."""
        if not self._react or not self._position.line_start:
            return None
        if _begins(self._text, at, "Thought:") and not self._final:
            return self._wait(at)
        if not self._text.startswith("Thought:", at):
            return None
        end = self._window(at, phrases.REACT_CLOSE, _REACT_RULE)
        if end is None:
            self._react = False  # one that was not believed is enough: looking ahead again and again is not linear
            self._words -= {"thought"}
        elif not self._stuck:
            self._words |= {"thought"}
        return end

    def _question(self, at: int) -> int | None:
        """ReAct that repeats the question first: the thoughts follow on lines of their own."""
        if not self._final and _begins(self._text, at, _QUESTION):
            return self._wait(at)
        if self._text.startswith(_QUESTION, at):
            self._words |= {"thought"}
        return None

    def _bracketed(self, at: int) -> int | None:
        """``[Thinking]`` is a heading like any other, unless what ends it follows."""
        if not self._final and phrases.bracket_may_grow(self._text, at):
            return self._wait(at)
        if phrases.BRACKETED.match(self._text, at) is None:
            return None
        return self._window(at, phrases.BRACKETED_CLOSE, _BRACKETED_RULE)

    def _analysis(self, at: int) -> int | None:
        text = self._text
        again = text.startswith(_AGAIN, at)
        if again or harmony.DEGRADED_SURE.match(text, at):
            self._words |= {"assistant"}
            length = len(_AGAIN if again else harmony.DEGRADED_OPENER)
            return self._open(at, at + length, harmony.DEGRADED, _DEGRADED_RULE)
        if not self._final and _begins(text, at, _AGAIN):
            return self._wait(at)
        if not self._final and harmony.DEGRADED_OPENER.startswith(text[at : at + len(harmony.DEGRADED_OPENER) + 1]):
            return self._wait(at)
        if not text.startswith(harmony.DEGRADED_OPENER, at):
            return None
        return self._window(at, harmony.DEGRADED_CLOSE, _DEGRADED_RULE)

    def _window(self, at: int, close: re.Pattern[str], rule: str) -> int | None:
        """Cut up to ``close`` when it comes within the window; ``None`` when it does not."""
        text, limit = self._text, at + PROSE_WINDOW
        found = close.search(text, at + self._window_scanned, limit)
        if found is None and not self._final and len(text) < limit:
            self._window_scanned = max(0, len(text) - at - markers.LONGEST_CLOSER)
            return self._wait(at)
        self._window_scanned = 0
        if found is None:
            return None
        self._block_rule, self._block_on_line = rule, self._position.line_start
        return self._closed(self._cut(at, found.end(), rule))

    def _word(self, at: int) -> int:
        """``Thought:`` or ``assistantanalysis`` further on in a text that already had one of its kind."""
        text, end = self._text, None
        if text[at] == "T":
            end = self._thought(at)
        elif text.startswith(_AGAIN, at):
            end = self._open(at, at + len(_AGAIN), harmony.DEGRADED, _DEGRADED_RULE)
        elif text.startswith(_ANSWER, at):
            end = self._cut(at, at + len(_ANSWER), _DEGRADED_RULE)
        elif not self._final and (_begins(text, at, _AGAIN) or _begins(text, at, _ANSWER)):
            end = self._wait(at)
        return self._show(at, at + 1) if end is None else end
