"""MessagePack: the JSON values that it stands for.

The ``msgpack`` library reads. Bytes and extension types that hold MessagePack themselves stand for what is inside.
LangGraph's checkpoints are the reason: their serializer writes an object as an extension type around
``[module, class, arguments]`` (https://github.com/langchain-ai/langgraph, ``checkpoint/serde/jsonplus.py`` of
langgraph-checkpoint 4.3, read 2026-11-30). Such an object stands for its arguments. No object is ever made of it.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

import orjson

NIL: Final = b"\xc0"
CONTAINERS: Final = frozenset({*range(0x80, 0xA0), *range(0xDC, 0xE0), 0xC7, 0xC8, 0xC9, *range(0xD4, 0xD9)})
"""First bytes of maps, arrays and extension types: https://github.com/msgpack/msgpack/blob/master/spec.md."""
SURROGATES: Final = "surrogateescape"
"""How bytes of a string that are no UTF-8 are kept."""

EXTENSIONS: Final = frozenset({0xC7, 0xC8, 0xC9, *range(0xD4, 0xD9)})
MAPS: Final = frozenset({*range(0x80, 0x90), 0xDE, 0xDF})
_DEEPEST: Final = 32
"""Extension types and bytes inside one another."""
_NAME: Final = re.compile(r"[A-Za-z_][\w.]{0,199}")
ARGUMENTS: Final = 2
POSITIONAL, KEYWORD, _NUMBERS, SNAPSHOT = 1, 2, 6, 7
"""LangGraph's codes: objects made of positional and of keyword arguments, arrays of numpy, and a value as it was."""
_NUMERIC: Final = re.compile(r"[<>|=][biufcmM]\d{1,2}(?:\[\w+\])?")
"""A type of numpy whose arrays hold no text."""
_ARRAY_PARTS: Final = 4
_PROTOCOLS: Final = frozenset({b"\x02", b"\x03", b"\x04", b"\x05"})
_FIRST_CODES: Final = frozenset(b"\x95]}(NcXUCBKMJGI\x88\x89\x8c\x8f)")
_SHORTEST_PICKLE: Final = 3
_UNREADABLE: Final = (ValueError, TypeError, OverflowError, RecursionError)
"""What the library and our hooks raise for bytes that are no MessagePack."""


@dataclass(frozen=True, slots=True)
class Packed:
    """One object: its bytes, the JSON values they stand for, and how often something inside cannot be looked at."""

    data: bytes
    value: Any
    unread: Counter[str]


class _Twice(ValueError):
    """A key that occurs twice: readers disagree which value counts, and one of them is not looked at."""


def opened(data: bytes) -> Packed | None:
    """The object that ``data`` is, all of it; None when it is none.

    Raises:
        ImportError: there is no msgpack; it comes with the extra ``scan``.
    """
    opening = _Opening()
    try:
        if (plain := _as_it_is(data)) is not None:
            return Packed(data, plain, opening.unread)
        value = opening.plain(opening.values(data))
    except _UNREADABLE:
        return None
    return Packed(data, value, opening.unread)


def _as_it_is(data: bytes) -> Any:
    """The values of an object that holds JSON's types alone, and is spelt as the library spells it: the usual case.

    Such a one has no key twice, since that would not come out again, and need not be looked through piece by piece.
    """
    from msgpack import packb, unpackb

    try:
        value = unpackb(data, raw=False)
        orjson.dumps(value)
    except _UNREADABLE:
        return None
    return value if packb(value) == data else None


def begins(head: bytes, *, is_all: bool) -> bool:
    """Whether a content that begins with ``head`` is objects of MessagePack, as far as its first object tells.

    Other formats begin with the same bytes. So the first object has to hold text: a map whose keys are, or an array
    that is not numbers alone.
    """
    if head[:1] == b"" or head[0] not in CONTAINERS or _is_text(head):
        return False
    from msgpack import Unpacker
    from msgpack.exceptions import OutOfData, StackError

    reader = Unpacker(strict_map_key=False, unicode_errors=SURROGATES)
    reader.feed(head)
    try:
        reader.skip()
    except OutOfData:
        return not is_all and _is_text_first(head)
    except StackError:  # nested deeper than the library goes, which whoever reads it will tell
        return _is_text_first(head)
    except _UNREADABLE:
        return False
    packed = opened(head[: reader.tell()])
    return packed is not None and _holds_text(packed.value)


def _is_text(head: bytes) -> bool:
    try:
        getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _is_text_first(head: bytes) -> bool:
    """Whether what begins here is a map with a text as its first key, or an array whose first element is no number."""
    from msgpack import Unpacker
    from msgpack.exceptions import OutOfData

    if head[0] in EXTENSIONS:
        return False  # it cannot be told from anything else before it ends
    reader = Unpacker(strict_map_key=False)
    reader.feed(head)
    try:
        if head[0] in MAPS:
            reader.read_map_header()
            return isinstance(reader.unpack(), str)
        reader.read_array_header()
        return head[reader.tell()] in CONTAINERS or isinstance(reader.unpack(), str)
    except (*_UNREADABLE, IndexError, OutOfData):
        return False


def _holds_text(value: Any) -> bool:
    if isinstance(value, dict):
        return bool(value) and not any(key.startswith("\0") for key in value)
    return isinstance(value, list) and any(isinstance(item, str) or _holds_text(item) for item in value)


class _Opening:
    """One look into one object."""

    def __init__(self) -> None:
        self.unread: Counter[str] = Counter()
        self._depth = 0

    def values(self, data: bytes) -> Any:
        """What ``data`` stands for, with bytes in it as they are.

        Raises:
            ValueError: it is no object, has something behind it, or a key twice.
        """
        from msgpack import unpackb

        return unpackb(
            data,
            raw=False,
            strict_map_key=False,
            unicode_errors=SURROGATES,
            ext_hook=self._extension,
            object_pairs_hook=self._members,
            list_hook=self._elements,
        )

    def plain(self, value: Any) -> Any:
        """``value`` as JSON values; of bytes what they hold, None for what holds nothing that can be looked at."""
        kind = value.__class__
        if kind is bytes:
            return self._bytes(value)
        return value if kind in (str, int, float, bool, dict, list) else None

    def _members(self, pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
        found = {name_of(key): self.plain(value) for key, value in pairs}
        if len(found) < len(pairs):
            raise _Twice
        return found

    def _elements(self, items: list[Any]) -> list[Any]:
        return [self.plain(item) for item in items]

    def _bytes(self, data: bytes) -> Any:
        try:
            return data.decode()
        except UnicodeDecodeError:
            pass
        inner = self._inner(data)
        if inner is None:
            self.unread["pickle" if is_pickle(data) else "inside"] += 1
        return inner

    def _inner(self, data: bytes, *, scalars: bool = False) -> Any:
        """The object that bytes are; None when they are none that could hold anything."""
        if self._depth >= _DEEPEST or not data or (data[0] not in CONTAINERS and not scalars):
            return None
        self._depth += 1
        before = self.unread.copy()
        try:
            return self.plain(self.values(data))
        except _Twice:
            raise
        except _UNREADABLE:
            self.unread = before
            return None
        finally:
            self._depth -= 1

    def _extension(self, code: int, data: bytes) -> Any:
        before = self.unread.copy()
        found = self._inner(data, scalars=code == SNAPSHOT)
        if code == _NUMBERS and _is_numeric(found):
            self.unread = before
            return None
        if is_object(found):
            return found[ARGUMENTS]
        return self._bytes(data) if found is None and data else found


def is_pickle(data: bytes) -> bool:
    """Whether bytes begin like pickled Python objects, protocol 2 or later (``pickletools``, standard library)."""
    return data[:1] == b"\x80" and data[1:2] in _PROTOCOLS and len(data) > _SHORTEST_PICKLE and data[2] in _FIRST_CODES


def name_of(key: Any) -> str:
    """A key as a member's name; one that is no text gets a name that no text has."""
    return key if key.__class__ is str else f"\0{key!r}"


def is_object(found: Any) -> bool:
    """Whether an extension type holds a module, a class, arguments, and nothing behind them but the name of a method.

    Whatever else stands there would not be looked at.
    """
    return (
        isinstance(found, list)
        and len(found) > ARGUMENTS
        and all(isinstance(name, str) and _NAME.fullmatch(name) for name in found[:ARGUMENTS] + found[ARGUMENTS + 1 :])
    )


def _is_numeric(found: Any) -> bool:
    """Whether an array of numpy, ``[type, shape, order, buffer]``, has nothing but numbers in it."""
    return (
        isinstance(found, list)
        and len(found) == _ARRAY_PARTS
        and isinstance(found[0], str)
        and _NUMERIC.fullmatch(found[0]) is not None
        and isinstance(found[1], list)
        and all(isinstance(size, int) for size in found[1])
    )


def values_of(data: bytes) -> Any:
    """What one object stands for, with the bytes in it as they are; None when it is none."""
    try:
        return _Opening().values(data)
    except _UNREADABLE:
        return None
