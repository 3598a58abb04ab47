"""JSON as bytes: find the places that edits name and cut them, copying everything else byte for byte.

Everything here works on text that a parser has already accepted, so the scanner looks for boundaries only. It splits
the text at its quotes, which the interpreter does at the speed of memory: what stands between two strings is a few
characters of punctuation, and skipping a value is counting brackets in those. One pass, no recursion on input.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any, cast

import orjson

from reticent.edits import DROP, Children, Cut, Edit, Insert, Put, Rename

_SPACE = re.compile(rb"[ \t\n\r]*+")
_COLON = re.compile(rb"[ \t\n\r]*+:[ \t\n\r]*+")
_NEXT = re.compile(rb"[ \t\n\r]*+([,\]}])[ \t\n\r]*+")
_SCALAR = re.compile(rb"[^,\]}\s]++")
_KEY_END = re.compile(rb'"[ \t\n\r]*+:')
_UNIT = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]++",
    re.DOTALL,
)
_BRACKET = re.compile(rb"[\[\]{}]")
_OPEN, _CLOSE = frozenset(b"[{"), frozenset(b"]}")
_QUOTE = ord('"')
_AROUND_COLON = b" \t\r\n:"
_AROUND_COMMA = b" \t\r\n,"
_SPELLINGS = tuple(
    tuple(
        json.JSONEncoder(ensure_ascii=is_ascii, separators=separators).encode
        for separators in ((", ", ": "), (",", ":"))
    )
    for is_ascii in (False, True)
)
"""How the standard library writes a value, spaced or compact: for a text with letters outside ASCII, and without."""

Splice = tuple[int, int, bytes]


@dataclass(frozen=True, slots=True)
class _Entry:
    """One member or element: where it starts (its key, for a member) and where its value ends."""

    key: str | int
    start: int
    end: int


def member_count(data: bytes) -> int:
    """How many ``"key":`` pairs valid JSON spells out, copies of one key counted each."""
    return len(_KEY_END.findall(_unescaped(data)))


def _unescaped(data: bytes) -> bytes:
    """``data``, as long as before, with its escape pairs that matter blanked, so that every quote left is a delimiter.

    A backslash occurs inside strings only and always opens a pair; taking the pairs from the left keeps them aligned.
    """
    if b"\\" not in data:
        return data
    return data.replace(b"\\\\", b"..").replace(b'\\"', b"..")


def without_superseded(data: bytes, value: Any) -> tuple[Any, bytes, int]:
    """``(value, data, characters)`` without members that a later copy of their key replaces.

    ``value`` is ``data`` parsed. Text that is exactly what a serializer would write for ``value`` has no such member,
    which settles nearly every payload for the price of one ``dumps``.
    """
    if is_canonical(data, value) or member_count(data) == _members(value):
        return value, data, 0
    cleaned, length = drop_superseded(data)
    return orjson.loads(cleaned), cleaned, length


def is_canonical(data: bytes, value: Any) -> bool:
    """Whether ``data`` is ``value`` exactly as ``orjson`` writes it: then what is left of it can be written anew."""
    try:
        return orjson.dumps(value) == data
    except TypeError:  # a number that orjson reads and does not write
        return False


def _members(value: Any) -> int:
    if value.__class__ is dict:
        return len(value) + sum(_members(child) for child in value.values() if child.__class__ in (dict, list))
    if value.__class__ is list:
        return sum(_members(child) for child in value if child.__class__ in (dict, list))
    return 0


def splice(data: bytes, edit: Edit) -> bytes:
    """``data`` with ``edit`` carried out and every other byte copied; no key may occur twice in one object."""
    return _join(data, cuts(data, edit))


def cuts(data: bytes, edit: Edit) -> list[Splice]:
    """The byte ranges that ``edit`` replaces, ``(start, end, replacement)``, sorted and disjoint."""
    return sorted(_Scanner(data).cuts(edit))


def entries(data: bytes) -> list[tuple[str | int, int, int, int]]:
    """Members or elements of the container that ``data`` is: key or position, start, start of the value, end."""
    scanner = _Scanner(data)
    found: list[tuple[str | int, int, int, int]] = []
    for key, start in scanner.entries():
        value = scanner.at
        scanner.skip()
        found.append((key, start, value, scanner.at))
    return found


def without_elements(data: bytes, elements: Iterable[tuple[Any, bool]]) -> bytes | None:
    """``data`` without elements of arrays that occur in it as often and in the order they are given.

    Each comes with whether an element that stays follows it in its array; one that stays must stand before it
    otherwise. None when the text is not spelt as the standard library spells JSON, so that they cannot be found.
    """
    elements = list(elements)
    for spell in _SPELLINGS[data.isascii()]:
        parts: list[bytes] = []
        at = 0
        for element, followed in elements:
            spelled = spell(element).encode()
            start = data.find(spelled, at)
            if start < 0:
                break
            end = start + len(spelled)
            if followed:
                end = cast("re.Match[bytes]", _NEXT.match(data, end)).end()
            else:
                start = at + len(data[at:start].rstrip(_AROUND_COMMA))
            parts.append(data[at:start])
            at = end
        else:
            return b"".join((*parts, data[at:]))
    return None


def text_spans(data: bytes, spans: list[Splice]) -> list[tuple[int, int, str]]:
    """Byte ranges of UTF-8 ``data`` as character ranges of the text it encodes."""
    if data.isascii():
        return [(start, end, replacement.decode()) for start, end, replacement in spans]
    found: list[tuple[int, int, str]] = []
    byte = char = 0
    for start, end, replacement in spans:
        first = char + len(data[byte:start].decode())
        char = first + len(data[start:end].decode())
        byte = end
        found.append((first, char, replacement.decode()))
    return found


def drop_superseded(data: bytes) -> tuple[bytes, int]:
    """``data`` without members that a later one of the same key replaces, and how many characters went.

    Parsers disagree on which copy counts; nearly all take the last, so that one is what a reader may keep.
    """
    spans = sorted(_Scanner(data).superseded())
    return _join(data, spans), sum(end - start for start, end, _ in spans)


def _join(data: bytes, spans: list[Splice]) -> bytes:
    parts: list[bytes] = []
    at = 0
    for start, end, replacement in spans:
        parts += (data[at:start], replacement)
        at = end
    parts.append(data[at:])
    return b"".join(parts)


class _Scanner:
    """Walks over JSON text once, from left to right."""

    __slots__ = ("_at", "_data", "_piece", "_pieces", "_starts")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._pieces = _unescaped(data).split(b'"')
        self._starts = [0, *accumulate(len(piece) + 1 for piece in self._pieces)]
        self._piece = 0
        self._at = self._space(0)

    @property
    def at(self) -> int:
        """Where the scanner stands."""
        return self._at

    def cuts(self, edit: Edit) -> Iterator[Splice]:
        """The ranges that ``edit`` of the value here replaces; afterwards the scanner stands behind the value."""
        start = self._at
        if isinstance(edit, dict):
            yield from self._child_cuts(edit)
        elif isinstance(edit, Insert):
            yield from self._inserts(edit)
        else:
            self.skip()
            yield start, self._at, self._replacement(edit, start)

    def superseded(self) -> Iterator[Splice]:
        """The ranges of members, anywhere, that a later one of the same key replaces."""
        if self._data[self._at] not in _OPEN:
            self.skip()
            return
        entries: list[_Entry] = []
        inner: list[list[Splice]] = []
        for key, start in self.entries():
            inner.append(list(self.superseded()))
            entries.append(_Entry(key, start, self._at))
        last: dict[Any, int] = {entry.key: at for at, entry in enumerate(entries)}
        gone = [last[entry.key] != at for at, entry in enumerate(entries)]
        yield from _gaps(entries, gone)
        yield from (splice for at, splices in enumerate(inner) if not gone[at] for splice in splices)

    def _replacement(self, edit: Edit, start: int) -> bytes:
        if isinstance(edit, Put):
            return orjson.dumps(edit.value)
        if isinstance(edit, Cut):
            return cut_token(self._data[start : self._at], edit)
        return b"null"

    def _child_cuts(self, edits: Children) -> Iterator[Splice]:
        entries: list[_Entry] = []
        gone: list[bool] = []
        for key, start in self.entries():
            edit = edits.get(key)
            if isinstance(edit, Insert) and not edit.before and not edit.after:
                edit = edit.edit
            if isinstance(edit, Rename):
                yield start, start + len(self._data[start : self._at].rstrip(_AROUND_COLON)), orjson.dumps(edit.key)
                edit = edit.edit
            if edit is None or edit is DROP:
                self.skip()
            else:
                yield from self.cuts(edit)
            entries.append(_Entry(key, start, self._at))
            gone.append(edit is DROP)
        yield from _gaps(entries, gone)

    def _inserts(self, edit: Insert) -> Iterator[Splice]:
        """New elements around the one here; where that one goes, the new ones take its place."""
        before, after = list(map(orjson.dumps, edit.before)), list(map(orjson.dumps, edit.after))
        start = self._at
        if edit.edit is DROP:
            self.skip()
            yield start, self._at, b",".join(before + after)
            return
        if before:
            yield start, start, b",".join(before) + b","
        if edit.edit is None:
            self.skip()
        else:
            yield from self.cuts(edit.edit)
        if after:
            yield self._at, self._at, b"," + b",".join(after)

    def entries(self) -> Iterator[tuple[str | int, int]]:
        """``(key or position, start)`` of each entry of the container here, standing at its value.

        Whoever iterates moves the scanner behind the value before it asks for the next.
        """
        data = self._data
        keyed = data[self._at] == ord("{")
        self._at = self._space(self._at + 1)
        position = 0
        while data[self._at] not in _CLOSE:
            start = self._at
            yield (self._key() if keyed else position), start
            position += 1
            gap = cast("re.Match[bytes]", _NEXT.match(data, self._at))
            self._at = gap.end() if gap[1] == b"," else gap.start(1)
        self._at += 1

    def _key(self) -> str:
        start = self._at
        self._string()
        raw = self._data[start : self._at]
        self._at = cast("re.Match[bytes]", _COLON.match(self._data, self._at)).end()
        return orjson.loads(raw) if b"\\" in raw else raw[1:-1].decode()

    def _string(self) -> None:
        self._piece += 2
        self._at = self._starts[self._piece]

    def skip(self) -> None:
        """Move behind the value here."""
        first = self._data[self._at]
        if first == _QUOTE:
            self._string()
        elif first in _OPEN:
            self._skip_container()
        else:
            self._at = cast("re.Match[bytes]", _SCALAR.match(self._data, self._at)).end()

    def _skip_container(self) -> None:
        pieces, piece = self._pieces, self._piece
        depth, end = _depth_behind(pieces[piece], self._at - self._starts[piece])
        while end < 0:
            piece += 2
            low, net = _brackets(pieces[piece])
            if depth + low <= 0:
                end = _closing(pieces[piece], depth)
            depth += net
        self._piece = piece
        self._at = self._starts[piece] + end

    def _space(self, at: int) -> int:
        return cast("re.Match[bytes]", _SPACE.match(self._data, at)).end()


def _depth_behind(text: bytes, at: int) -> tuple[int, int]:
    """How deep the end of ``text`` stands in the value at ``at``, and -1; or 0, and where the value ends in ``text``.

    Reads no further than the value goes, because a text without a quote can hold a million values.
    """
    depth = 0
    for found in _BRACKET.finditer(text, at):
        depth += 1 if found[0] in b"[{" else -1
        if depth == 0:
            return 0, found.end()
    return depth, -1


@lru_cache(maxsize=4096)
def _brackets(text: bytes) -> tuple[int, int]:
    """``(lowest depth at a closing bracket, depth at the end)`` of punctuation, counted from zero."""
    low, depth = 1, 0
    for char in text:
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth -= 1
            low = min(low, depth)
    return low, depth


def _closing(text: bytes, depth: int) -> int:
    """Where in ``text`` the bracket is closed that brings ``depth`` to zero: the offset behind it."""
    for at, char in enumerate(text):
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth -= 1
            if depth <= 0:
                return at + 1
    return len(text)


def _gaps(entries: list[_Entry], gone: list[bool]) -> Iterator[Splice]:
    """One range for each run of dropped entries, with the comma that must go with it."""
    last_kept = max((at for at, dropped in enumerate(gone) if not dropped), default=-1)
    at = 0
    while at <= last_kept:
        if not gone[at]:
            at += 1
            continue
        run = at
        while gone[at]:
            at += 1
        yield entries[run].start, entries[at].start, b""
    if last_kept + 1 < len(entries):
        first = entries[last_kept].end if last_kept >= 0 else entries[0].start
        yield first, entries[-1].end, b""


def cut_token(raw: bytes, cut: Cut) -> bytes:
    """A JSON string token with characters of its decoded text cut; what stays keeps its spelling."""
    text = raw[1:-1].decode()
    if "\\" not in text:
        return b'"' + Cut(tuple((s, e, _inside(r)) for s, e, r in cut.spans)).apply(text).encode() + b'"'
    at = _raw_offsets(text, [offset for start, end, _ in cut.spans for offset in (start, end)])
    spans = tuple((at[start], at[end], _inside(replacement)) for start, end, replacement in cut.spans)
    return b'"' + Cut(spans).apply(text).encode() + b'"'


def _inside(replacement: str) -> str:
    return orjson.dumps(replacement)[1:-1].decode() if replacement else ""


def _raw_offsets(text: str, wanted: list[int]) -> dict[int, int]:
    """Where each decoded offset of ``wanted`` (ascending) sits in the escaped ``text``."""
    found: dict[int, int] = {}
    queue = iter(wanted)
    want = next(queue, None)
    decoded = 0
    for unit in _UNIT.finditer(text):
        width = 1 if unit[0][0] == "\\" else len(unit[0])
        while want is not None and want < decoded + width:
            found[want] = unit.start() + (want - decoded if width > 1 else 0)
            want = next(queue, None)
        decoded += width
    while want is not None:
        found[want] = len(text)
        want = next(queue, None)
    return found
