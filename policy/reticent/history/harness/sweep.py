"""The resumability sweep: compact at every step, finish, and compare with the run that was left alone.

Three things are compared: the outcome, the tools that were called, and the identifiers in the reply. At a point where a
task is running the compaction has to leave the history as it is. At rest the outcome has to be the same; fewer calls
are fine, and none may be made again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reticent.history.harness.playing import Compacting, Played, Script, play

if TYPE_CHECKING:
    from reticent.history.signals.loop import LoopAlert

Accept = Callable[[Played], Any]
"""What a run came to, judged by the goal and not by what the agent says of itself; equal values are equal outcomes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One place of the compaction: model call ``at``, and the three verdicts."""

    at: int
    changed: bool
    """Whether the compaction changed anything there."""
    outcome: bool
    tools: bool
    identifiers: bool
    loops: tuple[LoopAlert, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the run went on as if nothing had happened."""
        return self.outcome and self.tools and self.identifiers and not self.loops

    def to_json(self) -> dict[str, Any]:
        """All of it; no content."""
        return {
            "at": self.at,
            "changed": self.changed,
            "outcome": self.outcome,
            "tools": self.tools,
            "identifiers": self.identifiers,
            "loops": [loop.to_json() for loop in self.loops],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Every point that was tried, and the run that was left alone."""

    whole: Played = field(repr=False)
    points: tuple[Point, ...]

    @property
    def broken(self) -> tuple[Point, ...]:
        """Points at which something was lost."""
        return tuple(point for point in self.points if not point.holds)

    def render(self) -> str:
        """The sweep for a person."""
        lines = [
            f"{len(self.points)} points, {len(self.broken)} broken; {self.whole.steps} model calls when left alone"
        ]
        for point in self.broken:
            wrong = [name for name in ("outcome", "tools", "identifiers") if not getattr(point, name)]
            lines.append(f"at {point.at}: {', '.join([*wrong, *(['loop'] if point.loops else [])])}")
        return "\n".join(lines)


def _finished(played: Played) -> bool:
    return played.finished


async def sweep(
    script: Script,
    compacting: Compacting,
    *,
    accept: Accept = _finished,
    identifiers: Sequence[str] = (),
    points: Sequence[int] | None = None,
) -> Sweep:
    """Play ``script`` once alone, then once for each of ``points`` (all, when left out) with ``compacting`` there.

    ``identifiers`` are regular expressions; what they match in the reply has to be the same.
    """
    whole = await play(script)
    patterns = [re.compile(pattern) for pattern in identifiers]
    tried: list[Point] = []
    for at in range(whole.steps) if points is None else points:
        done = await play(script, compacting=compacting, at=at)
        tried.append(_compared(whole, done, at, accept, patterns))
    return Sweep(whole=whole, points=tuple(tried))


def _compared(whole: Played, done: Played, at: int, accept: Accept, patterns: Sequence[re.Pattern[str]]) -> Point:
    same = done.calls == whole.calls
    # At rest a scratchpad may spare a call; none may be made more often than it was.
    fewer = all(count <= whole.calls[call] for call, count in done.calls.items())
    return Point(
        at=at,
        changed=done.changed,
        outcome=accept(done) == accept(whole) and done.finished == whole.finished,
        tools=same or fewer,
        identifiers=_found(done.reply, patterns) == _found(whole.reply, patterns),
        loops=done.loops if len(done.loops) > len(whole.loops) else (),
    )


def _found(text: str, patterns: Sequence[re.Pattern[str]]) -> frozenset[str]:
    return frozenset(match for pattern in patterns for match in pattern.findall(text))
