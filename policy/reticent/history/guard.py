"""The last look before a history is sent: what the provider signed goes back as it came, and nothing is forgotten.

A provider reports an altered block one call later, when nobody remembers who altered it. This guard compares before
sending, by digest, and says which entry it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reticent.history.changes import handle_of
from reticent.history.entries import Context, Entry, PartKind
from reticent.history.shapes import shape_of, value_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a history that is about to be sent: ``altered-reasoning`` or ``lost-checkpoint``."""

    code: str
    position: int
    """The entry; -1 when it is missing."""


class SendGuard:
    """Remembers what a provider issued in one conversation, as digests, and checks what goes back.

    Every response has to be recorded whole; text alone loses a checkpoint and with it all that came before.
    """

    def __init__(self, dialect: str) -> None:
        self._shape = shape_of(dialect)
        self._context = Context()
        self._signed: set[str] = set()
        self._checkpoint: str | None = None

    def record(self, entries: Iterable[Any]) -> None:
        """Take entries exactly as the provider returned them."""
        for entry in self._read(list(entries)):
            for part in entry.parts:
                if part.signed:
                    self._signed.add(self._digest(entry, part.path))
                if part.kind is PartKind.CHECKPOINT:
                    self._checkpoint = self._digest(entry, part.path)

    def check(self, history: Sequence[Any]) -> tuple[Problem, ...]:
        """Problems of ``history`` as it is about to be sent; empty when it may go."""
        found: list[Problem] = []
        checkpoints: set[str] = set()
        for entry in self._read(history):
            for part in entry.parts:
                digest = self._digest(entry, part.path) if part.signed or part.kind is PartKind.CHECKPOINT else ""
                if part.signed and digest not in self._signed:
                    found.append(Problem("altered-reasoning", entry.pos))
                if part.kind is PartKind.CHECKPOINT:
                    checkpoints.add(digest)
        if self._checkpoint is not None and self._checkpoint not in checkpoints:
            found.append(Problem("lost-checkpoint", -1))
        return tuple(found)

    def _read(self, history: Sequence[Any]) -> list[Entry]:
        return [self._shape.read(pos, value, self._context) for pos, value in enumerate(history)]

    def _digest(self, entry: Entry, path: tuple[str | int, ...]) -> str:
        return handle_of(value_at(entry.raw, path))
