"""What a surface reaches, as a picture: nodes and arrows with places, ready for SVG.

The layers are laid out by a library; this module only says what is drawn, turns layers into columns, and marks the
path that decides and the arrows that a condition cuts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from fast_sugiyama import from_edges

if TYPE_CHECKING:
    from reticent.compiler.explain import Explanation

WIDTH: Final = 176
HEIGHT: Final = 40
_COLUMN: Final = 236
_ROW: Final = 62
_EDGE: Final = 12

_Point = tuple[float, float]
_Arrow = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Node:
    """A box; ``x`` and ``y`` are its upper left corner. ``lit`` says that it stands on the path that decides."""

    name: str
    kind: str
    x: float
    y: float
    lit: bool


@dataclass(frozen=True, slots=True)
class Line:
    """An arrow as the points it goes through; ``state`` is ``open``, ``lit`` or ``cut``, the last by ``condition``."""

    source: str
    target: str
    points: str
    state: str
    condition: str
    middle: _Point


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything that is drawn, and how large it is."""

    nodes: tuple[Node, ...]
    lines: tuple[Line, ...]
    width: float
    height: float


def draw(told: Explanation) -> Picture | None:
    """The picture of one explanation; None when nothing leads anywhere."""
    lit = {(hop.source, hop.target) for hop in told.hops}
    cut = {(source, target): name for source, target, name in told.cut}
    arrows = sorted({*told.decision.arrows, *cut})
    if not arrows:
        return None
    places, routes = _laid_out(arrows, told.decision.surface)
    on_path = {name for arrow in lit for name in arrow}
    nodes = [
        Node(name, told.kinds.get(name, "unknown"), x, y, name in on_path) for name, (x, y) in sorted(places.items())
    ]
    lines = [_line(arrow, routes.get(arrow, ()), places, lit, cut) for arrow in arrows if arrow[0] != arrow[1]]
    width = max(node.x for node in nodes) + WIDTH + _EDGE
    height = max(node.y for node in nodes) + HEIGHT + _EDGE
    return Picture(tuple(nodes), tuple(lines), width, height)


def _line(
    arrow: _Arrow,
    route: tuple[_Point, ...],
    places: Mapping[str, _Point],
    lit: set[_Arrow],
    cut: Mapping[_Arrow, str],
) -> Line:
    (from_x, from_y), (to_x, to_y) = places[arrow[0]], places[arrow[1]]
    forward = from_x <= to_x
    start = (from_x + (WIDTH if forward else 0), from_y + HEIGHT / 2)
    end = (to_x + (0 if forward else WIDTH), to_y + HEIGHT / 2)
    points = (start, *((x + WIDTH / 2, y + HEIGHT / 2) for x, y in route), end)
    state = "cut" if arrow in cut else "lit" if arrow in lit else "open"
    first, second = points[0], points[1]
    return Line(
        *arrow,
        points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points),
        state=state,
        condition=cut.get(arrow, ""),
        middle=((first[0] + second[0]) / 2, (first[1] + second[1]) / 2),
    )


def _laid_out(arrows: list[_Arrow], first: str) -> tuple[dict[str, _Point], dict[_Arrow, tuple[_Point, ...]]]:
    """A place for each node, and the points between the nodes that an arrow goes through."""
    places: dict[str, _Point] = {}
    routes: dict[_Arrow, tuple[_Point, ...]] = {}
    top = 0.0
    # Loops say nothing about reach, and layers have no place for them.
    straight = [arrow for arrow in arrows if arrow[0] != arrow[1]]
    for found, width, height, edges in from_edges(straight, vertex_spacing=_ROW):
        raw = dict(found)
        scale = _ROW / _closest(raw.values())
        flip = raw.get(first, (0.0, height))[1] < height / 2
        layers = sorted({y for _, y in raw.values()}, reverse=not flip)
        turned = {name: (_EDGE + layers.index(y) * _COLUMN, _EDGE + top + x * scale) for name, (x, y) in raw.items()}
        places |= {name: point for name, point in turned.items() if isinstance(name, str)}
        routes |= dict(_routes(list(edges or ()), turned))
        top += width * scale + _ROW
    if first not in places:
        places[first] = (_EDGE, _EDGE + top)
    return places, routes


def _routes(
    edges: list[tuple[int | str, int | str]], turned: Mapping[int | str, _Point]
) -> Iterator[tuple[_Arrow, tuple[_Point, ...]]]:
    """Each arrow that spans several layers, by following the numbered stops between its ends."""
    onward = {source: target for source, target in edges if isinstance(source, int)}
    for source, target in edges:
        if not isinstance(source, str):
            continue
        stops: list[_Point] = []
        while isinstance(target, int):
            stops.append(turned[target])
            target = onward[target]  # noqa: PLW2901 - walking along is the point
        yield (source, target), tuple(stops)


def _closest(points: Iterable[_Point]) -> float:
    """The least distance of two nodes in one layer."""
    by_layer: dict[float, list[float]] = {}
    for x, y in points:
        by_layer.setdefault(y, []).append(x)
    gaps = [
        after - before for row in map(sorted, by_layer.values()) for before, after in pairwise(row) if after > before
    ]
    return min(gaps, default=float(_ROW))
