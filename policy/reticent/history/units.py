"""Units: contiguous settled spans that only go, or stay, together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reticent.history.turns import Confidence, Task

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Unit:
    """Entries ``start`` to ``end`` (exclusive), the tasks they serve, and how sure it is that these have settled."""

    start: int
    end: int
    confidence: Confidence
    tasks: tuple[Task, ...]


def units_of(settled: Sequence[Task]) -> tuple[Unit, ...]:
    """Settled tasks, sorted by their first entry, as units; tasks that overlap form one."""
    groups: list[list[Task]] = []
    end = -1
    for task in settled:
        if groups and task.first < end:
            groups[-1].append(task)
        else:
            groups.append([task])
        end = max(end, task.last + 1)
    return _assured(groups)


def _assured(groups: list[list[Task]]) -> tuple[Unit, ...]:
    """One conversation without ids settles in order, so what stands before a surer end is as sure."""
    units: list[Unit] = []
    best = Confidence.NONE
    for group in reversed(groups):
        own = min(task.confidence for task in group)
        if all(task.task_id is None for task in group):
            own = best = max(best, own)
        units.append(Unit(group[0].first, max(task.last for task in group) + 1, own, tuple(group)))
    return tuple(reversed(units))
