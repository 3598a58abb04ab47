"""Reasoning that a model wrote into its text: finding it in a whole text, and keeping it out of a stream.

For assistant text only. User and system text may say ``<think>`` as often as it likes and is never handed in.
What counts as reasoning, and what only mentions it, is decided in ``docs/decisions/0020-inline-tags.md``.
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reticent.streams._tag_machine import PROSE_WINDOW, TagMachine

if TYPE_CHECKING:
    from reticent.streams._cutting_machine import Cut

__all__ = [
    "HOLD_BACK",
    "PROSE_WINDOW",
    "Span",
    "TextFilter",
    "may_hold_marker",
    "may_hold_reasoning",
    "reasoning_spans",
    "replayed_spans",
]

HOLD_BACK = 512
"""Characters a `TextFilter` holds back at most, and behind a form whose second half must follow `PROSE_WINDOW`."""

_REMOVALS_KEPT = 256


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start`` to ``end`` of a text are to be cut; ``rule`` says why, like ``inline-tag/think``.

    ``reasoning_class`` is the content class of the table: readable thinking.
    """

    start: int
    end: int
    rule: str
    reasoning_class: str = "text"


def reasoning_spans(
    text: str, *, starts_inside: bool = False, harmony: bool = True, live: bool = False
) -> tuple[Span, ...]:
    """Where ``text`` holds reasoning: spans in order, disjoint, markers and the newlines after them included.

    ``starts_inside``: the prompt opened the reasoning, so the text is reasoning up to the first closer.
    ``harmony``: read the message framing of gpt-oss as well.
    ``live``: decide as a stream must, where a closer without an opener cannot take back what was sent before it.
    Time is linear in the length of the text. Nothing is raised.
    """
    machine = TagMachine(starts_inside=starts_inside, use_harmony=harmony, retract=not live)
    machine.run(text, final=True)
    spans: list[Span] = []
    for cut in machine.cuts:
        if cut.more and spans:
            spans[-1] = Span(spans[-1].start, cut.end, spans[-1].rule)
        else:
            spans.append(Span(cut.start, cut.end, cut.rule))
    return tuple(spans)


class TextFilter:
    """Takes the text of one assistant message as it arrives and gives what may be shown of it.

    The law: the outputs of all ``feed`` calls and of ``flush``, joined, are the joined input with
    ``reasoning_spans(input, live=True)`` cut out, however the input was divided. At most `HOLD_BACK` characters wait
    for their continuation; text that cannot become a marker any more is given at once.
    """

    def __init__(self, *, starts_inside: bool = False, harmony: bool = True) -> None:
        self.removed: list[tuple[str, int]] = []
        self._machine = TagMachine(starts_inside=starts_inside, use_harmony=harmony, retract=False)
        self._pending = ""
        self._offset = 0

    @property
    def held(self) -> int:
        """Characters held back now, because the next ones decide about them."""
        return len(self._pending)

    def feed(self, text: str) -> str:
        """What of the text so far may be shown now and was not shown yet."""
        return self._run(self._pending + text, final=False) if text else ""

    def flush(self) -> str:
        """The end of the text: what was held back and turned out to be ordinary text."""
        return self._run(self._pending, final=True)

    @property
    def is_inside(self) -> bool:
        """Whether the text so far ends inside reasoning."""
        return self._machine.is_inside

    def would_go_on(self, text: str) -> bool:
        """Whether ``text``, were it to follow, would belong to what is held back or to reasoning that is open."""
        if self.is_inside:
            return True
        trial = copy.deepcopy(self)
        trial.feed(text)
        return trial.is_inside or trial.removed != self.removed or trial.held == self.held + len(text)

    @property
    def steady(self) -> bool:
        """Whether text without brackets, quotes and markup would go on as it is."""
        return not self._pending and self._machine.steady

    @property
    def in_line(self) -> bool:
        """Whether of several such pieces without line breaks only the last one need be told to ``skim``."""
        return self._machine.in_line

    def skim(self, text: str) -> None:
        """Take in text that went on unread, which is right as long as the filter is ``steady`` for such text."""
        self._offset += len(text)
        self._machine.skim(text)

    def take_removed(self) -> list[tuple[str, int]]:
        """The removals since the last call as ``(rule, length)``, one for each block; forgets them.

        Without a call now and then, removals of the same rule are added up, so that memory stays bounded. The length
        of a block that is still open grows with the next ``feed``, as an entry of its own.
        """
        taken, self.removed = self.removed, []
        return taken

    def _run(self, text: str, *, final: bool) -> str:
        machine, base = self._machine, self._offset
        decided = machine.run(text, final=final)
        cuts, machine.cuts = machine.cuts, []
        self._pending = text[decided:]
        self._offset += decided
        kept: list[str] = []
        at = 0
        for cut in cuts:
            kept.append(text[at : cut.start - base])
            at = cut.end - base
            self._note(cut)
        kept.append(text[at:decided])
        return "".join(kept)

    def _note(self, cut: Cut) -> None:
        length = cut.end - cut.start
        if cut.more and self.removed:
            length += self.removed.pop()[1]
        elif len(self.removed) >= _REMOVALS_KEPT:
            totals: dict[str, int] = {}
            for rule, size in self.removed:
                totals[rule] = totals.get(rule, 0) + size
            self.removed = list(totals.items())
        self.removed.append((cut.rule, length))


HINT = re.compile(
    r"<(?:\||channel\|>|unused9|details[\s>]|\s{0,4}/?\s{0,4}(?:think|thought|reasoning|assistant_thinking|longcat_think"
    r"|antthinking|scratchpad|in(?:ner|ternal)_(?:monologue|thoughts)|chain[_-]of[_-]thought|cot[>\s/]"
    r"|(?:budget|seed|mm|ifm)[:|]|[a-z][a-z0-9_.]{0,22}[_0-9](?:think|thought|reasoning)))"
    r"|\[/?(?:(?:Start )?THINK|unused1)|◁|\uff1c|► \*\*THINKING|:::thinking"
    r"|/\*(?:RE)?(?:PLANNING|REASONING|ACTION|FINAL_ANSWER)\*/",
    re.IGNORECASE | re.ASCII,
)
_OPENING_HINT = re.compile(
    r"\s*+(?:Here|Thought:|(?:assistant)?analysis|to=|Question:|&lt;think|> Thinking \.|Reasoning:\n_"
    r"|\*Thinking\.\.\.\*)"
)


def may_hold_reasoning(text: str) -> bool:
    """A cheap look: ``False`` means that ``reasoning_spans(text)`` is empty; ``True`` means that it must be asked."""
    return may_hold_marker(text) or _OPENING_HINT.match(text) is not None


def may_hold_marker(text: str) -> bool:
    """The same look, for tags and tokens alone: prose forms begin with ordinary words."""
    begins = "<" in text or "[" in text or "◁" in text or "\uff1c" in text or "*" in text or ":::" in text
    return begins and HINT.search(text) is not None


_REPLAYED = re.compile(r"<assistant_thinking>(?:.*?</assistant_thinking>[\r\n]*|.*\Z)", re.IGNORECASE | re.DOTALL)


def replayed_spans(text: str) -> tuple[Span, ...]:
    """Foreign thoughts that a framework replayed inside *user* text, in exactly the wrapper it uses for that.

    The only form that is ever looked for in user text (PydanticAI replays another provider's thinking so).
    """
    return tuple(Span(found.start(), found.end(), "inline-tag/replayed") for found in _REPLAYED.finditer(text))
