"""Marks: what stands where something was withheld, in whole messages and in streams alike.

A mark tells a type, a count and a length, never a character of text. The length is that of all strings of what was
withheld, but for those that only name or describe it: a stream names its pieces otherwise than a message its blocks.
Most protocols take a block of a type they do not know, so that the mark is one; a dialect whose readers refuse such a
block says with a ``Form`` what they take instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from reticent.errors import InputTooLarge

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

Mark: TypeAlias = dict[str, Any]
_NAME: Final = re.compile(r"[A-Za-z0-9_.:/-]{1,64}")
_TELLERS: Final = ("type", "part_kind", "block_type")
"""Keys that tell what a block is."""
_NAMES: Final = frozenset(
    {
        *_TELLERS,
        *("kind", "part_delta_kind", "name", "id", "index", "item_id", "messageId", "entityId", "subtype"),
        *("role", "state", "status", "format", "provider_name", "timestamp"),
    }
)
"""Keys whose strings name or describe a block, and are none of its text."""
_NUMBERS: Final = frozenset({"count", "length"})
_MARK_ID: Final = "withheld_"
"""What the id of a mark begins with, where items of a list must have ids."""
_LIMIT: Final = 1024
"""Blocks in a row that a stream may withhold; one that goes on after that is hostile."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What a mark tells: a type, how many blocks, and how many characters."""

    label: str
    count: int
    length: int

    @property
    def told(self) -> Mark:
        """All of it as one object, for a protocol that leaves such an object to its users."""
        return {"type": self.label, "count": self.count, "length": self.length}


Form: TypeAlias = Callable[[Mapping[str, Any], Any, Counted], "Mark | None"]
"""``(block, key, counted) -> mark``: the mark for the withheld ``block`` of the list ``key``, None where another
protocol's is meant."""


def typed_mark(counted: Counted) -> Mark:
    """The mark of protocols that take a block of a type they do not know."""
    return {"type": counted.label, "withheld": {"count": counted.count, "length": counted.length}}


def member_mark(counted: Counted) -> Mark:
    """The mark of protocols that tell a block by its only member."""
    return {"withheld": counted.told}


def text_mark(counted: Counted) -> Mark:
    """The mark of protocols that refuse a type they do not know and read over members they do not know."""
    return {"type": "text", "text": "", "withheld": counted.told}


def item_mark(mark: Mark, position: Any) -> Mark:
    """``mark`` with an id, by which openai 3.3 tells items apart, and with what else an item of reasoning must have."""
    named = {"type": mark["type"], "id": f"{_MARK_ID}{position}", "withheld": mark["withheld"]}
    return {**named, "summary": []} if mark["type"] == "reasoning" else named


def mark_of(forms: Iterable[Form], block: Mapping[str, Any], key: Any, counted: Counted) -> Mark:
    """The mark for ``block``, the first of those withheld from the list ``key``."""
    return next((mark for form in forms if (mark := form(block, key, counted)) is not None), None) or typed_mark(
        counted
    )


def is_mark(item: Mapping[str, Any]) -> bool:
    """Whether ``item`` is a mark that an earlier pass left, so that stripping twice changes nothing.

    Marks in other forms are what their protocols let anybody show, and need not be known.
    """
    withheld = item.get("withheld")
    if not isinstance(withheld, dict) or not all(type(withheld.get(name)) is int for name in _NUMBERS):
        return False
    if "type" in item:
        named = item.keys() - {"type", "withheld"}
        is_told = len(withheld) == len(_NUMBERS) and _is_name(item["type"])
        return is_told and (not named or _is_named(item, named))
    return set(item) == {"withheld"} and len(withheld) == len(_NUMBERS) + 1 and _is_name(withheld.get("type"))


def _is_named(item: Mapping[str, Any], names: AbstractSet[str]) -> bool:
    """Whether the members ``names`` of a mark are those of an item of OpenAI Responses."""
    is_item = names <= {"id", "summary"} and item.get("summary", []) == []
    return is_item and _is_name(item.get("id")) and item["id"].startswith(_MARK_ID)


def block_label(block: Mapping[str, Any]) -> str:
    """What a block calls itself, as a mark or report may show it: a short plain name, or ``unnamed``."""
    told = next((block[name] for name in _TELLERS if name in block), None)
    if told is None and len(block) == 1:
        told = next(iter(block))
    return str(told) if _is_name(told) else "unnamed"


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def block_length(value: Any) -> int:
    """Characters of all strings in a block but those that name or describe it."""
    kind = value.__class__
    if kind is str:
        return len(value)
    if kind is dict:
        return sum(block_length(item) for key, item in value.items() if key not in _NAMES or item.__class__ is not str)
    if kind is list:
        return sum(map(block_length, value))
    return 0


@dataclass(slots=True)
class Run:
    """Withheld blocks in a row, pieces of which still come, and which one mark is to stand for.

    ``first`` is where the run began. A block of unknown type makes a run by itself.
    """

    label: str
    first: Any = None
    unknown: bool = False
    _lengths: dict[Hashable, dict[str, int]] = field(default_factory=dict[Any, dict[str, int]])

    def add(self, name: Hashable, length: int, slot: str = "") -> None:
        """Another piece of the block ``name``."""
        slots = self._slots(name)
        slots[slot] = slots.get(slot, 0) + length

    def put(self, name: Hashable, length: int, slot: str | None = None) -> None:
        """What was said of the block ``name`` is said anew: all of it, or what a slot holds."""
        slots = self._slots(name)
        if slot is None:
            slots.clear()
        slots[slot or ""] = length

    def holds(self, name: Hashable) -> bool:
        """Whether the block ``name`` is one of these."""
        return name in self._lengths

    @property
    def counted(self) -> Counted:
        """What the mark is to tell."""
        length = sum(sum(slots.values()) for slots in self._lengths.values())
        return Counted(self.label, len(self._lengths), length)

    def _slots(self, name: Hashable) -> dict[str, int]:
        if name not in self._lengths and len(self._lengths) >= _LIMIT:
            raise InputTooLarge(f"more than {_LIMIT} withheld blocks in a row in one stream")
        return self._lengths.setdefault(name, {})
