"""The shortest way along arrows that an engine reported; the host draws, and decides nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

Arrow = tuple[str, str]


def shortest_paths(start: str, arrows: Iterable[Arrow]) -> Mapping[str, tuple[str, ...]]:
    """For every node that ``arrows`` lead to from ``start``, the shortest path there, both ends included.

    Among paths of one length the first in alphabetical order is taken, so that the answer is always the same.
    """
    onward = _onward(arrows)
    found: dict[str, tuple[str, ...]] = {start: (start,)}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for target in onward.get(node, ()):
            if target not in found:
                found[target] = (*found[node], target)
                waiting.append(target)
    return found


def _onward(arrows: Iterable[Arrow]) -> dict[str, list[str]]:
    onward: dict[str, list[str]] = {}
    for source, target in sorted(arrows):
        onward.setdefault(source, []).append(target)
    return onward
