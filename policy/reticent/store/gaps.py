"""What a strip took out of a value and where: a tree beside what is left, which says how to fill the gaps again.

``gaps`` turns the edits of the walk round: an edit says what goes from the original, a gap what is missing in what the
client has. Positions count in what is left. The carriers themselves stand apart, as JSON bytes, in a list; everything
else in a tree is keys and numbers.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import orjson

from reticent.edits import DROP, Cut, Edit, Put
from reticent.errors import NotReplayable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Path = tuple[Any, ...]
Take: TypeAlias = "Callable[[Path, str | None], int]"
"""``(path, text) -> number``: keep the carrier at ``path`` (or this text of it) and number it."""

_BYTES: Final = "reticent:bytes"


@dataclass(slots=True)
class Gap:
    """What is missing from one value. Numbers are those of carriers.

    ``put``: all of it. ``text``: ``(position, length, number)``, characters that take the place of ``length`` others.
    ``members``: ``(key, key before it, number, only when absent)``. ``elements``: ``(position, number)``.
    ``inside``: by key or position. ``list_of_text``: the block that a lone text of this list is, less the text, because
    clients send it as a string.
    """

    put: int | None = None
    text: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    members: list[tuple[str, str | None, int, bool]] = field(default_factory=list[tuple[str, str | None, int, bool]])
    elements: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    inside: dict[Any, Gap] = field(default_factory=dict[Any, "Gap"])
    list_of_text: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """The tree as JSON values; what is empty is left out."""
        told = {
            "p": self.put,
            "t": self.text or None,
            "m": self.members or None,
            "e": self.elements or None,
            # A list, because positions are numbers and keys of JSON objects are not.
            "i": [(key, gap.to_json()) for key, gap in self.inside.items()] or None,
            "l": self.list_of_text,
        }
        return {name: value for name, value in told.items() if value is not None}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Gap:
        """The tree that ``to_json`` wrote."""
        return cls(
            told.get("p"),
            [(at, length, number) for at, length, number in told.get("t", ())],
            [(key, before, number, absent) for key, before, number, absent in told.get("m", ())],
            [(at, number) for at, number in told.get("e", ())],
            {key: cls.from_json(gap) for key, gap in told.get("i", ())},
            told.get("l"),
        )


def gaps(value: Any, edit: Edit | None, path: Path, take: Take) -> Gap | None:
    """What ``edit`` leaves missing in ``value``, which stands at ``path``; None when that is nothing.

    Raises:
        NotReplayable: something was renamed or made up, as only streams have it.
    """
    if edit is None:
        return None
    if isinstance(edit, Put):
        return Gap(put=take(path, None))
    if isinstance(edit, Cut):
        return _in_text(value, edit, path, take)
    if not isinstance(edit, dict):
        raise NotReplayable("this is no whole turn; hold the message that a stream adds up to")
    return _in_object(value, edit, path, take) if isinstance(value, dict) else _in_list(value, edit, path, take)


def _in_text(value: str, cut: Cut, path: Path, take: Take) -> Gap:
    gap = Gap()
    shift = 0
    for start, end, replacement in cut.spans:
        gap.text.append((start - shift, len(replacement), take(path, value[start:end])))
        shift += end - start - len(replacement)
    return gap


def _in_object(value: dict[str, Any], edits: Mapping[Any, Edit], path: Path, take: Take) -> Gap:
    gap = Gap()
    before: str | None = None
    for key, child in value.items():
        edit = edits.get(key)
        if edit is DROP:
            gap.members.append((key, before, take((*path, key), None), False))
            continue
        inner = gaps(child, edit, (*path, key), take)
        if inner is not None:
            gap.inside[key] = inner
        before = key
    return gap


def _in_list(value: list[Any], edits: Mapping[Any, Edit], path: Path, take: Take) -> Gap:
    gap = Gap()
    left: list[Any] = []
    for position, child in enumerate(value):
        edit = edits.get(position)
        if edit is DROP:
            gap.elements.append((len(left), take((*path, position), None)))
            continue
        inner = gaps(child, edit, (*path, position), take)
        if inner is not None:
            gap.inside[len(left)] = inner
        left.append(child)
    if len(left) == 1 and isinstance(left[0], dict) and isinstance(left[0].get("text"), str):
        kind = left[0].get("type")
        gap.list_of_text = {} if kind is None else {"type": kind}
    return gap


# --- carriers ---------------------------------------------------------------------------------------------------------


def encode(value: Any) -> bytes:
    """A carrier as JSON bytes; ``bytes`` in it, as boto3 has them, stay bytes.

    Raises:
        NotReplayable: part of it has no JSON form.
    """
    try:
        return orjson.dumps(value, default=_tagged)
    except TypeError:
        pass
    raise NotReplayable("a carrier holds a value that has no JSON form")


def _tagged(value: Any) -> Any:
    if isinstance(value, bytes | bytearray | memoryview):
        return {_BYTES: base64.b64encode(bytes(value)).decode()}
    raise TypeError


def decode(raw: bytes) -> Any:
    """The values that ``encode`` was given."""
    value = orjson.loads(raw)
    return _untagged(value) if _BYTES.encode() in raw else value


def _untagged(value: Any) -> Any:
    if isinstance(value, dict):
        if len(value) == 1 and _BYTES in value:
            return base64.b64decode(value[_BYTES])
        return {key: _untagged(item) for key, item in value.items()}
    return [_untagged(item) for item in value] if isinstance(value, list) else value


def on_the_wire(raw: bytes) -> bytes:
    """A carrier as it stands in a JSON body: ``bytes`` are Base64 there, as the SDK would send them."""
    if _BYTES.encode() not in raw:
        return raw
    return orjson.dumps(_untagged(orjson.loads(raw)), default=lambda value: base64.b64encode(value).decode())
