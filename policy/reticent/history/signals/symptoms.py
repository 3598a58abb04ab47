"""Symptoms of a loss: a question whose answer is known, and an end that is none.

The first is found by the words of a fact's key, which are the schema's own; it is a hint for an evaluation, not a
proof. The second needs somebody who can tell whether the goal was reached: what the agent says of itself does not
count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reticent.history.entries import PartKind, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reticent.history.boundary import Analysis
    from reticent.history.scratchpad.records import Scratchpad

ASKS = "asks-what-is-known"
DONE = "done-when-it-is-not"

_QUESTION = re.compile(r"[^.!?\n]*\?")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """One finding: its kind, the entry, and which fact or check it is about (a name of yours, never a value)."""

    kind: str
    position: int
    about: str

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {"kind": self.kind, "position": self.position, "about": self.about}


def asked_again(analysis: Analysis, pad: Scratchpad) -> Iterator[Symptom]:
    """Questions to the user in which every word of a known fact's key occurs, behind the result that told it."""
    keys = {key: _words(key) for key in pad.current if not key.startswith("identifier:")}
    first = {fact.key: fact.position for fact in reversed(pad.facts)}
    for entry in analysis.entries:
        if entry.role is not Role.ASSISTANT or not entry.has(PartKind.TEXT) or entry.has(PartKind.CALL):
            continue
        questions = _QUESTION.findall("\n".join(analysis.shape.texts(entry.raw)))
        asked = [_words(question) for question in questions]
        for key, words in keys.items():
            if first[key] < entry.pos and any(words <= question for question in asked):
                yield Symptom(kind=ASKS, position=entry.pos, about=key)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def claimed_done(analysis: Analysis, accepted: Callable[[], bool], *, check: str) -> Symptom | None:
    """A run that ended by itself although ``accepted``, a check called ``check``, says that it missed its goal."""
    report = analysis.report
    last = next((entry.pos for entry in reversed(analysis.entries) if entry.role is Role.ASSISTANT), None)
    if last is None or report.boundary <= last or accepted():
        return None
    return Symptom(kind=DONE, position=last, about=check)
