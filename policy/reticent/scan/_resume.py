"""How far a look through one file has got, so that an interrupted one goes on inside of it.

A mark is made between two pieces of a file, where nothing is held back but bytes that are read again: no run of events
is open, and no line is half judged. It is made at the same bytes whether or not anybody keeps it, because what a judge
remembers of the shapes it has seen ends there: a look that goes on sees what one that was never interrupted sees.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reticent.scan._input import Input
    from reticent.scan.judge import Judge

EVERY = 64 * 1024 * 1024
"""Bytes between two marks."""


class Progress(Protocol):
    """Where a look begins, and who is told how far it has got. Places are JSON values."""

    place: Any
    """Where an earlier look was; None for the beginning."""

    def accept(self) -> None:
        """The look goes on from ``place``; without this it begins anew."""
        ...

    def reached(self, place: Any) -> None:
        """Everything before ``place`` has been told."""
        ...


class Marks:
    """The marks of one look through the pieces of one content."""

    def __init__(self, judge: Judge, content: Input | None = None, progress: Progress | None = None) -> None:
        """Tell ``progress``, if there is one, how far ``content`` was read."""
        self._judge = judge
        self._content = content
        self._progress = progress
        self._position = self._last = 0
        self.state: dict[str, Any] = {}
        """What a reader has to know to go on, empty at the beginning."""
        judge.forget()

    def pieces(self, told: Callable[[], dict[str, Any] | None], pieces: Iterator[bytes]) -> Iterator[bytes]:
        """``pieces``, or those from the accepted place on; ``told`` gives ``at`` and more, or None for not here."""
        for piece in self._resumed() or pieces:
            yield piece
            self._position += len(piece)
            state = told()
            if state is None or state["at"] - self._last < EVERY:
                continue
            self._last = state["at"]
            self._judge.forget()
            if self._progress is not None:
                seen = {"to": self._position, "last": len(piece), "digest": _digest(piece)}
                self._progress.reached({**state, **seen})

    def resume(self) -> None:
        """Look whether the content is still what it was at the place where an earlier look ended, and go on there."""
        place = None if self._progress is None else self._progress.place
        if not isinstance(place, dict) or self._content is None or self._progress is None:
            return
        start = min(place["at"], place["to"] - place["last"])
        data = self._content.again(start, place["to"] - start)
        if _digest(data[len(data) - place["last"] :]) != place["digest"] or len(data) < place["to"] - start:
            self._content.again(len(self._content.head), 0)
            return
        self._progress.accept()
        self.state = place
        self._position = self._last = place["at"]
        self._rest = data[place["at"] - start :]

    _rest: bytes | None = None

    def _resumed(self) -> Iterator[bytes] | None:
        if self._rest is None or self._content is None:
            return None
        return self._content.from_here(self._rest)


def _digest(piece: bytes) -> str:
    return hashlib.blake2b(piece, digest_size=16).hexdigest()


__all__ = ["EVERY", "Marks", "Progress"]
