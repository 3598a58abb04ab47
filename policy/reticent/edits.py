"""What is to go, as a tree beside the value: found once, applied to Python values or to bytes.

One recogniser writes edits and two appliers read them, so that stripping values and stripping bytes cannot disagree.
A node of the tree is one of

- ``None``: nothing to do below here;
- ``DROP``: the member or element goes;
- ``Put(value)``: another value takes its place (a mark, a renumbered index);
- ``Cut(spans)``: characters go from a string, or are replaced;
- ``Insert(before, edit, after)``: elements that were made up go in around an element of an array;
- ``Rename(key, edit)``: a member gets another name;
- a ``dict`` from key or position to the edit of that child.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias


class _Drop:
    """The one instance is ``DROP``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "DROP"


@dataclass(frozen=True, slots=True)
class Put:
    """Replace the value by ``value``, any JSON value."""

    value: Any


@dataclass(frozen=True, slots=True)
class Cut:
    """Replace characters of a string: ``(start, end, replacement)``, sorted and disjoint, offsets in characters."""

    spans: tuple[tuple[int, int, str], ...]

    def apply(self, text: str) -> str:
        """``text`` with every span replaced."""
        parts: list[str] = []
        at = 0
        for start, end, replacement in self.spans:
            parts += (text[at:start], replacement)
            at = end
        parts.append(text[at:])
        return "".join(parts)


@dataclass(frozen=True, slots=True)
class Insert:
    """Put ``before`` in front of an array's element and ``after`` behind it, whatever ``edit`` does to the element."""

    before: Sequence[Any] = ()
    edit: Edit | None = None
    after: Sequence[Any] = ()


@dataclass(frozen=True, slots=True)
class Rename:
    """Give a member the name ``key``, whatever ``edit`` does to its value; its place among the others stays."""

    key: str
    edit: Edit | None = None


DROP: Final = _Drop()
Children: TypeAlias = "dict[Any, Edit]"
Edit: TypeAlias = "_Drop | Put | Cut | Insert | Rename | Children"


def apply(value: Any, edit: Edit | None) -> Any:
    """``value`` with ``edit`` carried out, copied along the touched path only; the input is never changed.

    A root that is dropped becomes ``None``, the JSON null.
    """
    if edit is None:
        return value
    if isinstance(edit, dict):
        return _apply_children(value, edit)
    if isinstance(edit, Put):
        return edit.value
    if isinstance(edit, Cut):
        return edit.apply(value)
    return None


def _apply_children(value: Any, edits: Children) -> Any:
    return _members(value, edits) if value.__class__ is dict else _elements(value, edits)


def _members(value: dict[Any, Any], edits: Children) -> dict[Any, Any]:
    out: dict[Any, Any] = {}
    for key, child in value.items():
        edit = edits.get(key)
        if edit is None:
            out[key] = child
        elif isinstance(edit, Rename):
            out[edit.key] = apply(child, edit.edit)
        elif edit is not DROP:
            out[key] = apply(child, edit)
    return out


def _elements(value: list[Any], edits: Children) -> list[Any]:
    kept: list[Any] = []
    for position, child in enumerate(value):
        edit = edits.get(position)
        if edit is None:
            kept.append(child)
        elif isinstance(edit, Insert):
            kept += edit.before
            if edit.edit is not DROP:
                kept.append(apply(child, edit.edit))
            kept += edit.after
        elif edit is not DROP:
            kept.append(apply(child, edit))
    return kept
