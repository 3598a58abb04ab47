"""Telling how far a long piece of work is; the words are the steps, in the order in which they happen."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum


class Step(StrEnum):
    """One step of a compaction or a fold, reported when it is done."""

    ANALYSED = "analysed"
    FACTS = "facts-flushed"
    ATTEMPTS = "attempts-flushed"
    ASKED = "asked"
    """The summariser is being called."""
    ANSWERED = "answered"
    SQUEEZED = "squeezed"
    COMPACTED = "compacted"
    REINJECTED = "reinjected"
    COMMITTED = "committed"


Progress = Callable[[Step], None]
"""Gets each step. It must not raise; what it raises ends the work with nothing changed."""


def silent(step: Step) -> None:
    """Tell nobody."""
    del step
