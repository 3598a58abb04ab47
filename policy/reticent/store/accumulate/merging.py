"""How a member of a delta is added to what came before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Growing", "add_members", "added", "joined", "list_of", "position_of", "text_of"]


class Growing:
    """A text in pieces, so that a long one takes time in proportion to its length; ``joined`` makes it one."""

    __slots__ = ("pieces",)

    def __init__(self, *pieces: str) -> None:
        """Begin with ``pieces``."""
        self.pieces = list(pieces)

    def __repr__(self) -> str:
        return f"Growing({len(self.pieces)} pieces)"


def joined(value: Any) -> Any:
    """``value`` with every text in one piece."""
    if isinstance(value, Growing):
        return "".join(value.pieces)
    if isinstance(value, dict):
        return {name: joined(item) for name, item in value.items()}
    return [joined(item) for item in value] if isinstance(value, list) else value


def added(before: Any, new: Any) -> Any:
    """``before`` with ``new`` joined on: texts and lists grow, objects are merged, everything else is replaced.

    A null never takes anything away. A text that has grown is ``Growing``, and grows in place.
    """
    if new is None or before is None:
        return before if new is None else new
    if isinstance(new, str) and isinstance(before, Growing):
        before.pieces.append(new)
        return before
    if isinstance(new, str) and isinstance(before, str):
        return Growing(before, new) if before else new
    if isinstance(before, list) and isinstance(new, list):
        return [*before, *new]
    if isinstance(before, dict) and isinstance(new, dict):
        return {**before, **{name: added(before.get(name), value) for name, value in new.items()}}
    return new


def add_members(target: dict[str, Any], delta: Mapping[str, Any], *, whole: frozenset[str] = frozenset()) -> None:
    """Join every member of ``delta`` on to that of ``target``; those named ``whole`` come in one piece."""
    for name, value in delta.items():
        if name in whole:
            target[name] = value if value not in (None, "") else target.get(name, value)
        else:
            target[name] = added(target.get(name), value)


def position_of(value: Any, default: int) -> int:
    """The position that an event names, ``default`` when it names none."""
    return value if type(value) is int and value >= 0 else default


def text_of(value: Any) -> str:
    """``value`` when it is text, else nothing."""
    return value if isinstance(value, str) else ""


def list_of(value: Any) -> list[Any]:
    """``value`` when it is a list, else an empty one."""
    return value if isinstance(value, list) else []
