"""What is told of each call: a line of the decision log, metrics, a span; counts and lengths, never content.

A ``Call`` has no field that content could stand in: names come from the table, the callers file and the vocabulary.
What a payload itself names (its unknown block types) is counted and not repeated.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from reticent.serializers import Report

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(slots=True)
class Call:
    """One filter request: filled in while it is served. Times are seconds, lengths bytes."""

    surface: str
    started: float
    caller: str | None = None
    verdict: str | None = None
    wire: str | None = None
    plan: str = ""
    lost: tuple[str, ...] = ()
    outcome: str = "filtered"
    status: int = 200
    bytes_in: int = 0
    bytes_out: int = 0
    hash: str | None = None
    report: Report = field(default_factory=Report)
    seconds: float = 0.0

    @property
    def refused(self) -> bool:
        """Whether nothing, or not everything, was answered."""
        return self.outcome != "filtered"

    @property
    def unknown_types(self) -> int:
        """How many blocks were of a type that no vocabulary knows."""
        return sum(self.report.unknown_types.values())


class Watcher(Protocol):
    """Something that is told of each call when it is over."""

    def finished(self, call: Call) -> None:
        """Take note of one call."""
        ...

    def close(self) -> None:
        """Write or send what is held back; nothing is told afterwards."""
        ...


class Observer:
    """Tells every watcher."""

    def __init__(self, watchers: Sequence[Watcher]) -> None:
        """Tell ``watchers``, in this order."""
        self._watchers = tuple(watchers)

    def finished(self, call: Call) -> None:
        """End the call's clock and tell everybody."""
        call.seconds = time.perf_counter() - call.started
        for watcher in self._watchers:
            watcher.finished(call)
