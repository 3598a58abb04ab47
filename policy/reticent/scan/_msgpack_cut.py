"""MessagePack without what a judge took out: everything else is copied byte for byte.

Numbers keep their width, extension types their codes, and objects the number of their arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from reticent.edits import DROP, Children, Cut, Edit, Insert, Put, Rename
from reticent.errors import DialectFailure
from reticent.scan._msgpack import (
    ARGUMENTS,
    EXTENSIONS,
    KEYWORD,
    MAPS,
    NIL,
    POSITIONAL,
    SNAPSHOT,
    SURROGATES,
    is_object,
    name_of,
    values_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_BINARY: Final = frozenset({0xC4, 0xC5, 0xC6})


def without(data: bytes, edit: Edit) -> bytes:
    """One object less what ``edit`` takes out of the values that it stands for."""
    if edit is DROP:
        return NIL
    if isinstance(edit, Put):
        return packed(edit.value)
    if data[0] in EXTENSIONS:
        return _extension(data, edit)
    if isinstance(edit, Cut):
        return _cut(data, edit)
    if not isinstance(edit, dict):
        raise DialectFailure("an edit that fits no object")
    if data[0] in _BINARY:
        return packed(without(_read(data), edit))
    return _container(data, edit)


def packed(value: Any) -> bytes:
    """JSON values, or bytes, as MessagePack."""
    from msgpack import packb

    return packb(value, use_bin_type=True, unicode_errors=SURROGATES)


def _read(data: bytes) -> Any:
    from msgpack import unpackb

    return unpackb(data, raw=False, strict_map_key=False, unicode_errors=SURROGATES)


def _cut(data: bytes, edit: Cut) -> bytes:
    told = _read(data)
    return packed(edit.apply(told.decode()).encode() if isinstance(told, bytes) else edit.apply(told))


def _extension(data: bytes, edit: Edit) -> bytes:
    """An extension type with another content; arguments that go leave nothing in their place, so that all are there."""
    from msgpack import ExtType

    code, inner = _read(data)
    if not is_object(values_of(inner)):
        if isinstance(edit, Cut) and code != SNAPSHOT:
            return packed(ExtType(code, edit.apply(inner.decode()).encode()))
        return packed(ExtType(code, without(inner, edit)))
    if isinstance(edit, dict) and code in (POSITIONAL, KEYWORD):
        edit = {key: Put(None) if below is DROP else below for key, below in edit.items()}
    return packed(ExtType(code, _container(inner, {ARGUMENTS: edit})))


def _container(data: bytes, edits: Children) -> bytes:
    """A map or an array less what ``edits`` take out of it."""
    from msgpack import Packer

    is_map = data[0] in MAPS
    pieces: list[bytes] = []
    for name, start, value, end in _entries(data, is_map=is_map):
        edit = edits.get(name)
        if edit is None:
            pieces.append(data[start:end])
        else:
            pieces += _edited(data[start:value], data[value:end], edit)
    packer = Packer()
    header = packer.pack_map_header(len(pieces)) if is_map else packer.pack_array_header(len(pieces))
    return b"".join([header, *pieces])


def _edited(key: bytes, value: bytes, edit: Edit) -> list[bytes]:
    """What is left of one entry: the entry without what goes, nothing, or in a stored stream also others around it."""
    if isinstance(edit, Insert):
        own = [] if edit.edit is DROP else [value if edit.edit is None else without(value, edit.edit)]
        return [*map(packed, edit.before), *own, *map(packed, edit.after)]
    if isinstance(edit, Rename):
        return [packed(edit.key) + (value if edit.edit is None else without(value, edit.edit))]
    return [] if edit is DROP else [key + without(value, edit)]


def _entries(data: bytes, *, is_map: bool) -> Iterator[tuple[Any, int, int, int]]:
    """Name or position of each entry, where it begins, where its value does, and where it ends."""
    from msgpack import Unpacker

    reader = Unpacker(strict_map_key=False, unicode_errors=SURROGATES, max_buffer_size=len(data))
    reader.feed(data)
    for at in range(reader.read_map_header() if is_map else reader.read_array_header()):
        start = reader.tell()
        name = name_of(reader.unpack()) if is_map else at
        value = reader.tell()
        reader.skip()
        yield name, start, value, reader.tell()
