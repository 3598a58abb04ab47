"""How a mark around reasoning is written down: as *atoms*, small pieces of a regular expression.

A stream must know not only what is a mark, but also whether the end of its buffer could still grow into one, and an
expression that was taken to pieces can say both. The marks themselves are in ``_markers`` and ``_phrases``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Atoms = tuple[str, ...]

FLAGS = re.IGNORECASE | re.ASCII  # ASCII: no Kelvin sign for a k, so that every way of matching agrees
GAP = r"\s{0,4}"
"""White space inside a tag."""


@dataclass(frozen=True, slots=True, eq=False)
class Marker:
    """One way to open and close reasoning.

    ``name`` ends up in the rule (``inline-tag/<name>``). ``token`` is true for spellings that are single tokens of
    a vocabulary and do not occur in prose. ``lone`` says whether a closer without an opener means anything.
    ``close`` finds the end of a block: group ``stop`` is not part of it. ``growing`` finds, at the end of a text,
    what may still become a closer. ``begun`` are the atoms of what may still become the opener, where those of the
    opener itself are too coarse to tell.
    """

    name: str
    opener: Atoms
    closer: Atoms
    token: bool
    lone: bool
    close: re.Pattern[str]
    growing: re.Pattern[str]
    begun: Atoms = ()

    @property
    def rule(self) -> str:
        """The rule a removal by this marker is reported under."""
        return f"inline-tag/{self.name}"


def spelled(text: str) -> Atoms:
    """One atom per character."""
    return tuple(re.escape(char) for char in text)


def exactly(text: str) -> Atoms:
    """One atom per character, in this case only."""
    return tuple(f"(?-i:{re.escape(char)})" for char in text)


def growing(atoms: Sequence[str]) -> str:
    """A pattern for every non-empty beginning of ``atoms``."""
    pattern = ""
    for atom in reversed(atoms[1:]):
        pattern = f"(?:{atom}{pattern})?"
    return atoms[0] + pattern


def any_of(patterns: Iterable[str]) -> str:
    """An alternative of ``patterns``."""
    return "(?:" + "|".join(patterns) + ")"


def marker_of(
    name: str,
    opener: Atoms,
    closer: Atoms,
    *,
    stops: tuple[str, ...] = (),
    token: bool = False,
    lone: bool = True,
) -> Marker:
    """A marker of these atoms; ``stops`` end a block and stay."""
    ends = [closer, *map(spelled, stops)]
    close = "".join(closer) + (f"|(?P<stop>{any_of(map(re.escape, stops))})" if stops else "")
    tail = any_of(growing(end) for end in ends) + r"\Z"
    return Marker(name, opener, closer, token, lone, re.compile(close, FLAGS), re.compile(tail, FLAGS))
