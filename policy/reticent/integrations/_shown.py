"""What an exit may show of values that are no JSON, and what a guard counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Final

_SCALARS: Final = (str, int, float, bool, type(None))
_DEEPEST: Final = 32
"""Levels of containers that are opened; what lies deeper is judged as one leaf."""


@dataclass(slots=True)
class Counts:
    """What one guard did since it was made: how often it withheld for which code, how often each rule fired."""

    failures: dict[str, int] = field(default_factory=dict[str, int])
    removals: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def failed(self) -> int:
        """Number of placeholders that went out."""
        return sum(self.failures.values())

    @property
    def removed(self) -> int:
        """Number of carriers that were taken out."""
        return sum(self.removals.values())


class Shown:
    """What a log may show of an object that has no JSON form: its text and its repr, without reasoning."""

    __slots__ = ("_repr", "_text")

    def __init__(self, text: str, representation: str) -> None:
        """Show ``text`` for ``str`` and ``format``, ``representation`` for ``repr``."""
        self._text = text
        self._repr = representation

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._repr

    def __format__(self, spec: str) -> str:
        return format(self._text, spec)


def presentable(value: Any, leaf: Callable[[Any], Any], depth: int = 0) -> Any:
    """``value`` with ``leaf`` of every part that is neither a container nor a JSON scalar."""
    if value.__class__ in _SCALARS:
        return value
    if depth < _DEEPEST and isinstance(value, Mapping):
        return {str(key): presentable(item, leaf, depth + 1) for key, item in value.items()}
    if depth < _DEEPEST and isinstance(value, list | tuple | AbstractSet):
        return [presentable(item, leaf, depth + 1) for item in value]
    return leaf(value)


def each_text(tree: Any, text: Callable[[str], str], depth: int = 0) -> Any:
    """``tree`` with ``text`` of every string in its lists and dictionaries; keys stay as they are."""
    if isinstance(tree, str):
        return text(tree)
    if depth < _DEEPEST and isinstance(tree, dict):
        return {name: each_text(item, text, depth + 1) for name, item in tree.items()}
    if depth < _DEEPEST and isinstance(tree, list | tuple):
        return [each_text(item, text, depth + 1) for item in tree]
    return tree
