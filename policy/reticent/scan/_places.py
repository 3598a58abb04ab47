"""Where in a body reasoning stands: the walk once more, remembering what it withheld.

Serializers count by rule and are fast; only a body in which they found something is walked again for the places.
A value that the walk withholds is the very object that the parser made, so its identity leads back to its pointer.
What a rule withheld inside a string has no such object; there the edit that the string got tells the place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from reticent.edits import DROP, Cut, Insert, Put, Rename
from reticent.serializers import jsonbytes
from reticent.serializers.report import Report, measure
from reticent.serializers.walk import Walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reticent.edits import Children, Edit
    from reticent.serializers.program import Program

Path = tuple["str | int", ...]
_CONTAINERS: Final = frozenset({dict, list})


@dataclass(frozen=True, slots=True)
class Carrier:
    """One thing withheld: by which rule, how many characters, and where it stands."""

    rule: str
    length: int
    path: Path


class _Log(Report):
    """A report that also keeps the order; ``value`` is what the walk is withholding right now."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: list[tuple[str, int, Any]] = []
        self.value: Any = None

    def add(self, rule: str, length: int, *, count: int = 1) -> None:
        super().add(rule, length, count=count)
        self.entries.append((rule, length, self.value))

    def clear(self) -> None:
        super().clear()
        self.entries.clear()


class _Tracing(Walk):
    """A walk that tells its log which value goes."""

    __slots__ = ()

    def withhold(self, rule: str, value: Any) -> None:
        log = self.report
        assert isinstance(log, _Log)  # noqa: S101 - made below, nowhere else
        log.value = value
        log.add(rule, measure(value))
        log.value = None


def carriers(value: Any, program: Program) -> tuple[list[Carrier], Edit | None]:
    """Everything that ``program`` withholds from ``value``, in document order, and the edits that take it out.

    Raises:
        EgressRefused: as the walk does.
    """
    log = _Log()
    edit = _Tracing(program, log).root(value)
    paths = _paths(value, {id(gone) for _, _, gone in log.entries})
    found = [(rule, length, paths.get(id(gone))) for rule, length, gone in log.entries]
    spare = iter(_unexplained(edit, [path for _, _, path in found if path is not None], found))
    return [Carrier(rule, length, path if path is not None else next(spare)) for rule, length, path in found], edit


def _paths(value: Any, wanted: set[int]) -> dict[int, Path]:
    """The paths of those containers and strings in ``value`` whose identity is wanted."""
    found: dict[int, Path] = {id(value): ()}
    pending: list[tuple[Any, Path]] = [(value, ())] if value.__class__ in _CONTAINERS else []
    while pending:
        node, path = pending.pop()
        for key, child in node.items() if node.__class__ is dict else enumerate(node):
            if child.__class__ in _CONTAINERS:
                pending.append((child, (*path, key)))
            elif child.__class__ is not str:
                continue
            if id(child) in wanted:
                found[id(child)] = (*path, key)
    return found


def _unexplained(
    edit: Edit | None, told: Sequence[Path], found: Sequence[tuple[str, int, Path | None]]
) -> Iterator[Path]:
    """A path for each entry that has none: the strings that were cut, in order, or what is above all of them."""
    known = set(told)
    leaves = [(path, many) for path, many in _leaves(edit, ()) if path not in known]
    wanted = sum(path is None for _, _, path in found)
    if sum(many for _, many in leaves) == wanted:
        for path, many in leaves:
            yield from [path] * many
        return
    above = leaves[0][0] if leaves else ()
    for path, _ in leaves[1:]:
        above = above[: _common(above, path)]
    yield from [above] * wanted


def _leaves(edit: Edit | None, path: Path) -> Iterator[tuple[Path, int]]:
    """The places that ``edit`` changes, and how many pieces go there."""
    if isinstance(edit, dict):
        for key, inner in edit.items():
            yield from _leaves(inner, (*path, key))
    elif isinstance(edit, (Insert, Rename)):
        yield from _leaves(edit.edit, path)
    elif isinstance(edit, Cut):
        yield path, len(edit.spans)
    elif edit is DROP or isinstance(edit, Put):
        yield path, 1


def _common(one: Path, other: Path) -> int:
    return next(
        (at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right),
        min(len(one), len(other)),
    )


def offsets(data: bytes, value: Any, paths: Sequence[Path]) -> dict[Path, int]:
    """Where in ``data``, which holds ``value`` without repeated keys, the values at ``paths`` begin, in bytes."""
    tree: Children = {}
    for path in sorted(set(paths), key=len):
        _mark(tree, path)
    if not tree:
        return {(): len(data) - len(data.lstrip())} if paths else {}
    starts = iter(jsonbytes.cuts(data, tree))
    return {path: start for path, (start, _, _) in zip(_in_order(tree, value), starts, strict=True)}


def _mark(tree: Children, path: Path) -> None:
    """Put a mark at ``path``, unless one stands above it."""
    node: Any = tree
    for step in path[:-1]:
        node = node.setdefault(step, {})
        if not isinstance(node, dict):
            return
    if path:
        node.setdefault(path[-1], Put(None))


def _in_order(tree: Children, document: Any) -> list[Path]:
    """The marked paths as the document has them."""
    ordered: list[Path] = []

    def visit(node: Any, value: Any, path: Path) -> None:
        if isinstance(node, Put):
            ordered.append(path)
            return
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            if key in node:
                visit(node[key], child, (*path, key))

    visit(tree, document, ())
    return ordered
