"""One search through raw bytes that shows where nothing can be: the reason why clean data costs little.

A rule fires on a key, a type, a name or a tag that the vocabulary has. However the text around it is spelt (compact or
indented JSON, JSON in a string in JSON, a Python repr), the word itself stands there in plain letters, unless a letter
of it is escaped, and the beginning of an escape is searched for too. So bytes without any of these words hold nothing
that a rule could find. What is found instead says nothing yet: it is judged.

The words come from the program, so that a new line of vocabulary needs no change here: each one that contains one of
the stems below is covered by it, every other is searched for by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reticent.serializers.program import Program

_STEMS: Final = (
    *("think", "thought", "reason", "redact", "encrypt", "signature", "compact", "rationale", "scratch", "analysis"),
    *("reflect", "ponder", "deliberat", "monolog", "cogit", "muse", "musing"),  # names that look like reasoning
    *("summary", "content_delta"),  # enough in an object that was cut short
    *(
        "<|",
        "channel|>",
        "<details",
        "unused",
        "/*plan",
        "/*re",
        "/*action",
        "/*final",
        "to=",
    ),  # marks that are no words
)
_ESCAPES: Final = (*(f"\\u00{row}" for row in "4567"), "\\u003c", "\\x")
"""How an escaped letter or angle bracket begins, in JSON and in Python."""

_ENDS: Final = ('"', "'", "\\", "=", "(")
"""What follows a whole word where it is a key, a type or a class: a short one is part of too many others."""


class Presearch:
    """The search of one program."""

    def __init__(self, program: Program) -> None:
        """Compile the words of ``program``."""
        from ahocorasick_rs import BytesAhoCorasick, Implementation, MatchKind

        self._exact = program.options.unknown_types != "withhold"
        words = [word.encode() for word in _words(program)]
        found = BytesAhoCorasick(words, MatchKind.Standard, Implementation.DFA)
        self._search = found.find_matches_as_indexes

    def offsets(self, block: bytes) -> list[int] | None:
        """Where words stand in ``block``, ascending; None when every block type that nobody listed counts as well."""
        if not self._exact:
            return None
        return [start for _, start, _ in self._search(block.lower())]

    def may_hold(self, data: bytes) -> bool:
        """Whether ``data`` has to be judged."""
        return not self._exact or bool(self._search(data.lower()))


def _words(program: Program) -> list[str]:
    words = dict.fromkeys((*_STEMS, *_ESCAPES))
    for word in sorted(_vocabulary(program), key=len):
        if word and not any(stem in word for stem in words):
            words |= dict.fromkeys(word + end for end in (_ENDS if word.isalpha() else ("",)))
    return list(words)


def _vocabulary(program: Program) -> Iterable[str]:
    """Every word that some rule needs to see, in small letters."""
    yield from (key.lower() for key in program.members)
    yield from (value.lower() for table in program.discriminators.values() for value in table)
    for signs in program.signs.values():
        yield from (sign.strip('":').lower() for sign in signs)
