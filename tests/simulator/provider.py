"""A provider as a whole: it takes a history or refuses it, and answers with a turn that is signed over that history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.simulator.dialects import RENDERERS
from tests.simulator.providers import accept

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.simulator.runs import Turn


class Provider:
    """One provider, which remembers what it issued."""

    def __init__(self, dialect: str, profile: str) -> None:
        """Speak ``dialect`` and enforce the rules of ``profile``."""
        self.dialect = dialect
        self.profile = profile
        self.renderer = RENDERERS[dialect](dialect=dialect)
        self._issued: list[dict[str, Any]] = []

    def answer(self, history: Sequence[dict[str, Any]], turn: Turn) -> list[dict[str, Any]]:
        """Answer a history with ``turn``; the entries of it.

        Raises:
            Refused: the history is not what this provider takes.
        """
        accept(self.profile, self.dialect, list(history), self._issued)
        self.renderer.entries = list(history)
        entries = self.renderer.turn(turn)
        self._issued += entries
        return entries
