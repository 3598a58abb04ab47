"""Recognise and cut, on bytes: the one seam that a native pass with the same answers can take over.

``cut_bytes`` is the whole contract of such a pass: JSON text in, the same text without reasoning out, the very same
object when there is none, a typed refusal otherwise.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from reticent.edits import Edit, apply
from reticent.errors import CyclicInput, EgressRefused, InputTooDeep, InputTooLarge, MalformedInput, UnsupportedType
from reticent.serializers import jsonbytes, native
from reticent.serializers.plain import plain
from reticent.serializers.scan import has_all_members, is_exact
from reticent.serializers.walk import NotPlain, Walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from reticent.serializers.layout import Found
    from reticent.serializers.program import Program
    from reticent.serializers.report import Report

_SHORT = 4096
_BOM = b"\xef\xbb\xbf"

Find: TypeAlias = "Callable[[Any, Program, Report], Edit | None]"
"""``(values, program, report) -> edits``: what is to go from JSON values, counted into the report."""


def everything(value: Any, program: Program, report: Report) -> Edit | None:
    """Everything that ``program`` withholds."""
    return Walk(program, report).root(value)


def cut_bytes(data: bytes, program: Program, report: Report, find: Find = everything) -> bytes:
    """``data``, one JSON document in UTF-8, without what ``find`` finds (by default all that ``program`` withholds).

    Raises:
        InputTooLarge, InputTooDeep, MalformedInput: with place and length, never with content.
    """
    if len(data) > program.options.max_bytes:
        raise InputTooLarge(f"{len(data)} bytes, the limit is {program.options.max_bytes}")
    if data.startswith(_BOM):
        rest = data[len(_BOM) :]
        if rest.startswith(_BOM):
            raise MalformedInput("two byte order marks")
        cut = cut_bytes(rest, program, report, find)
        return data if cut is rest else _BOM + cut
    settled = native.settled(data, program, report) if find is everything else None
    if settled is not None:
        return settled
    value = parse(data)
    if find is everything:
        written = program.scanner.write(value, short=len(data) < _SHORT)
        if written is not None and has_all_members(data, written):
            return _cut(data, value, written, program, report)
    return _cut_walked(data, value, program, report, find)


def _cut(data: bytes, value: Any, written: bytes, program: Program, report: Report) -> bytes:
    """``data`` without what ``program`` withholds; it holds no member twice and is not deep."""
    edit, found = _settled(value, written, program, report)
    if edit is None:
        return data
    if written == data:
        return orjson.dumps(apply(value, edit)) if found is None else found.written
    shorter = None if found is None else jsonbytes.without_elements(data, found.elements())
    return jsonbytes.splice(data, edit) if shorter is None else shorter


def _settled(value: Any, written: bytes, program: Program, report: Report) -> tuple[Edit | None, Found | None]:
    """The edits of ``value``: by a search through what was ``written`` of it where that tells enough, else by the walk.

    Raises:
        NotPlain: as the walk does.
    """
    scanner = program.scanner
    found = scanner.find(written, value)
    if found is not None:
        found.count(report)
        return found.edit, found
    walk = Walk(program, report)
    walk.unsettled = scanner.unsettled(value)
    return walk.root(value), None


def _cut_walked(data: bytes, value: Any, program: Program, report: Report, find: Find) -> bytes:
    edit = find(value, program, report)
    canonical = _dumps(value) == data
    if canonical:
        return data if edit is None else orjson.dumps(apply(value, edit))
    value, cleaned, superseded = jsonbytes.without_superseded(data, value)
    if superseded:
        report.clear()
        report.add("json/duplicate-key", superseded)
        edit = find(value, program, report)
    return cleaned if edit is None else jsonbytes.splice(cleaned, edit)


def parse(data: bytes) -> Any:
    """The values of one JSON document.

    Raises:
        MalformedInput: ``data`` is not JSON in UTF-8; the message says where, not what.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        place, length = error.pos, len(data)
    except RecursionError:
        raise InputTooDeep("nested deeper than the parser goes") from None
    raise MalformedInput(f"not JSON at character {place} of {length} bytes")


def dump_cut(value: Any, program: Program, report: Report, find: Find = everything) -> bytes:
    """``value`` as JSON bytes, without what ``find`` finds.

    Raises:
        EgressRefused: as ``cut_value`` and ``dump`` do.
    """
    settled = native.dumped(value, program, report) if find is everything else None
    if settled is not None:
        return settled
    written = _exactly_written(value, program) if find is everything else None
    if written is not None:
        try:
            edit, found = _settled(value, written, program, report)
        except NotPlain:
            report.clear()
        else:
            if edit is None:
                return written
            return dump(apply(value, edit)) if found is None else found.written
    return dump(apply(*_walked_value(value, program, report, find)))


def cut_value(
    value: Any, program: Program, report: Report, find: Find = everything, *, hidden: bool = False
) -> tuple[Any, Edit | None]:
    """``value`` as JSON values, and the edits that take reasoning out of it.

    ``hidden`` looks into fields of SDK objects that a dump leaves out.
    """
    settled = native.edit_of(value, program, report) if find is everything else None
    if settled is not None:
        return value, settled[0]
    written = _exactly_written(value, program) if find is everything else None
    if written is not None:
        try:
            return value, _settled(value, written, program, report)[0]
        except NotPlain:
            report.clear()
    return _walked_value(value, program, report, find, hidden=hidden)


def _exactly_written(value: Any, program: Program) -> bytes | None:
    """A dict as compact JSON, or None when it holds something that JSON would not give back."""
    written = program.scanner.write(value) if value.__class__ is dict else None
    return written if written is not None and (b"null" not in written or is_exact(value)) else None


def _walked_value(
    value: Any, program: Program, report: Report, find: Find, *, hidden: bool = False
) -> tuple[Any, Edit | None]:
    try:
        return value, find(value, program, report)
    except NotPlain:
        report.clear()
    except (InputTooDeep, RecursionError):
        if _is_cyclic(value):
            raise CyclicInput("a value contains itself") from None
        raise
    converted = plain(value, max_depth=program.options.max_depth, hidden=hidden)
    return converted, find(converted, program, report)


def dump(value: Any) -> bytes:
    """JSON bytes of JSON values; whole numbers of any size keep their digits.

    Raises:
        MalformedInput: a string with half a surrogate pair, or a number that is not finite.
        UnsupportedType: a key or a value of a class that JSON does not have.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        pass
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except TypeError:
        failure: type[EgressRefused] = UnsupportedType
    except ValueError:
        failure = MalformedInput
    raise failure("a key, a number or a string of the value has no JSON form")


def _dumps(value: Any) -> bytes | None:
    try:
        return orjson.dumps(value)
    except TypeError:  # a number beyond 64 bits was read as a float that orjson spells otherwise
        return None


def _is_cyclic(value: Any) -> bool:
    try:
        plain(value, max_depth=900)
    except CyclicInput:
        return True
    except (InputTooDeep, RecursionError):
        return False
    return False
