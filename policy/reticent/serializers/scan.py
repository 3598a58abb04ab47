"""Settling a payload without walking it: what one search over its bytes can prove.

Nothing can be withheld from a payload unless some rule, hook or text machine starts it, and each of them needs a
sign that canonical JSON spells in one way only: a key with its colon, a type with its key, a string that opens like
JSON or like thinking, a tag. One multi-pattern search over the bytes (the compact form that ``orjson`` writes) shows
whether any sign is there. When none is, the walk would find nothing and need not run.

The search knows no positions, so a sign counts wherever it stands: what it calls clean is clean, and what it cannot
call clean the walk decides. ``docs/decisions/0045-settle-before-walking.md`` has the argument.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import orjson

from reticent.serializers import fieldlines, layout, panels
from reticent.serializers.literals import CASELESS
from reticent.serializers.walk import EVENT_LISTS
from reticent.streams._markers import LONGEST_MARKER
from reticent.streams._phrases import GRANITE_OPENER
from reticent.streams.tags import may_hold_marker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from reticent.serializers.program import Program

    Search = Callable[[bytes], list[tuple[int, int, int]]]

DEEPEST_WRITTEN: Final = 254
"""Levels that ``orjson`` writes at most, which makes it a gauge of depth."""
NESTED_DEPTH: Final = 48
"""Levels that JSON in a string may have to be settled here; deeper ones are for the walk to count."""

_SIGN, _LIST, _EMPTY, _INSIDE = range(4)
_SHORTEST_JSON: Final = 20
_NOT_READ: Final = object()
_ASCII_END: Final = 0x80
_LONG: Final = 4
_TRIED: Final = 3
_BLANK: Final = re.compile(rb"(?: |\\[nrt])*+")
_WIDE_BLANKS: Final = ("\x85", "\xa0", "\u1680", *map(chr, range(0x2000, 0x200B)), *"\u2028\u2029\u202f\u205f\u3000")
_SCALARS: Final = frozenset({str, int, bool, type(None)})
AS_IS: Final = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
"""Python objects that the walk knows nothing of are not written."""
_DIRECTIVE: Final = ":::thinking"
_TAG_OPENERS: Final = tuple(map(str.encode, ("\u25c1", "\uff1c", "\u25ba **", "/*", _DIRECTIVE, *panels.CORNERS)))
"""How marks of reasoning open that open neither with an angle bracket nor with a square one."""
OPENINGS: Final = (
    b"Thought:",
    b"analysis",
    b"assistantanalysis",
    b"to=",
    b"Question:",
    b"&lt;think",
    b"> Thinking .",
    b"Reasoning:",
    b"*Thinking",
)
"""How a prose form opens (``tags.may_hold_reasoning``); ``Here`` is looked at more closely."""
MARKERS: Final = ("hink", "easo", "houg", "ncry", "ignat", "edac", "onal", "ompac")
"""A piece of every word that a text must name before anybody looks for literals in it (``literals.may_hold``)."""
_LITERAL: Final = (b"(", b"=", b"{", b"[")
WORDS: Final = fieldlines.NAMES
"""Words that are signs wherever in a text they stand; the bare words among ``signs_of`` are others."""
ANYWHERE: Final = (*WORDS, _DIRECTIVE)
"""What is a sign wherever in a text it stands, as the native pass is told."""
_FIELD_ENDS: Final = {
    end.encode(): tuple(name.removesuffix(end).encode() for name in WORDS if name.endswith(end))
    for end in dict.fromkeys(re.findall(r"(?:_[a-z]+|[A-Z][a-z]+)(?= )", " ".join(WORDS) + " "))
}
"""How names of fields end, and what stands before each of these ends."""
_SLASH, _BRACKET, _BRACE_OPEN, _QUOTE = ord("\\"), ord("["), ord("{"), ord('"')


class Scanner:
    """The signs of one program, compiled; safe to share between threads."""

    __slots__ = ("_deepest", "_gauges", "_kinds", "_layout", "_marks", "_search", "_spare", "_words")

    def __init__(self, program: Program) -> None:
        """Compile the tables of ``program``."""
        signs = dict.fromkeys(signs_of(program))
        words = [sign.encode() for sign in signs if not sign.startswith('"')]
        self._words = _searcher([*words, *_TAG_OPENERS, *_FIELD_ENDS], few=True)
        patterns = _patterns(sign for sign in signs if sign.startswith('"'))
        self._kinds = list(patterns.values())
        self._search = _searcher(patterns)
        self._marks = _searcher(_caseless())
        self._layout = layout.Layout(program)
        self._deepest = program.options.max_depth - NESTED_DEPTH
        self._spare = max(1, DEEPEST_WRITTEN - self._deepest)
        self._gauges: list[tuple[list[Any], list[Any]]] = []

    def write(self, value: Any, *, short: bool = False) -> bytes | None:
        """``value`` as compact JSON, or None when it has no such form or nests too deep to be settled here.

        ``short``: the text is; then counting brackets is cheaper than measuring the depth, and tells enough.
        """
        if short:
            return _written_flat(value, self._deepest)
        try:
            shell, cell = self._gauges.pop()
        except IndexError:  # another thread has it
            shell, cell = _gauge(self._spare)
        cell[0] = value
        try:
            return orjson.dumps(shell, option=AS_IS)[self._spare : -self._spare]
        except TypeError:
            return None
        finally:
            cell[0] = None
            self._gauges.append((shell, cell))

    def find(self, canon: bytes, value: Any) -> layout.Found | None:
        """What goes from ``value``, as the walk would find it; None when the walk has to look.

        ``canon`` is ``write(value)``.
        """
        found = self._layout.read(value)
        if found is None:
            return None
        if found.edit is not None:
            canon = found.written = orjson.dumps(found.rest)
        return found if self._is_clean(canon, found.lists) else None

    def unsettled(self, value: Any) -> tuple[list[Any], list[int]] | None:
        """The longest array of the root, and those of its elements that have to be walked.

        None when it is short, or when so many of its elements have to be that looking at each does not pay.
        """
        arrays = [child for child in value.values() if child.__class__ is list] if value.__class__ is dict else []
        items: list[Any] = max(arrays, key=len, default=[])
        if len(items) < _LONG:
            return None
        unsettled: list[int] = []
        for at, item in enumerate(items):
            if not self._is_clean_element(item):
                unsettled.append(at)
                if len(unsettled) > _TRIED + at // 4:
                    return None
        return items, unsettled

    def _is_clean_element(self, value: Any) -> bool:
        if value.__class__ is not dict:
            return False
        lists = self._layout.lists(value)
        return lists is not None and self._is_clean(orjson.dumps(value), lists)

    def _is_clean(self, canon: bytes, lists: int, *, nested: bool = False) -> bool:
        """Whether no sign stands in ``canon``; ``lists`` is how many closed lists were looked through already."""
        literal = b"(" in canon or b"=" in canon
        kinds = self._kinds
        inside: list[int] = []
        for pattern, start, _ in self._search(canon):
            kind = kinds[pattern]
            if kind == _LIST:
                lists -= 1
            elif kind == _SIGN:
                return False
            elif kind != _EMPTY or canon[start - 1] not in b":,":
                inside.append(start)
        if lists != 0 or (b"<" in canon and _has_tag(canon)) or self._has_word(canon):
            return False
        literal = literal or any(canon[start] != _QUOTE or canon[start + 1] in b"{[" for start in inside)
        if literal and self._may_hold_literal(canon):
            return False
        return all(self._is_clean_inside(canon, start, nested=nested) for start in inside)

    def _has_word(self, canon: bytes) -> bool:
        """Whether a word stands in ``canon``; of a field's name the rarer half is searched for."""
        return any(
            canon[start:end] not in _FIELD_ENDS or canon.endswith(_FIELD_ENDS[canon[start:end]], 0, start)
            for _, start, end in self._words(canon)
        )

    def _is_clean_inside(self, canon: bytes, start: int, *, nested: bool) -> bool:
        """Whether what stands at ``start``, inside a string or where one opens, is no carrier."""
        first = canon[start]
        if first == _QUOTE:
            return self._is_clean_start(canon, start, nested=nested)
        bracket = start if first == _BRACKET else start + 1
        if canon[bracket] == _BRACKET and _is_tag(canon, bracket):
            return False
        return first == _BRACKET or not _is_object(canon, start)

    def _is_clean_start(self, canon: bytes, quote: int, *, nested: bool) -> bool:
        """Whether the string that opens at ``quote`` is neither JSON nor a prose form nor anything like them."""
        second = canon[quote + 1]
        if second == _BRACKET and _is_tag(canon, quote + 1):
            return False
        if canon[quote - 1] == _SLASH:  # a quote inside a string
            return second != _BRACE_OPEN or not _is_object(canon, quote + 1)
        blank = _BLANK.match(canon, quote + 1)
        at = blank.end() if blank is not None else quote + 1
        first = canon[at]
        if first in b"{[" or (first == _SLASH and canon[at + 1] == _QUOTE):
            return self._is_clean_json(canon, quote, nested=nested)
        if first == _SLASH:
            return canon[at + 1] == _SLASH  # other escapes are control characters, and some of those are blank
        if canon.startswith(b"Here", at):
            return GRANITE_OPENER.match(_window(canon, at)) is None
        return not canon.startswith(OPENINGS, at) and (first < _ASCII_END or not _window(canon, at)[:1].isspace())

    def _is_clean_json(self, canon: bytes, quote: int, *, nested: bool) -> bool:
        """Whether the string at ``quote`` is no JSON that the walk would open, or an object that holds no sign."""
        text: str = orjson.loads(canon[quote : _closing_quote(canon, quote + 1) + 1])
        try:
            value = orjson.loads(text) if len(text) >= _SHORTEST_JSON else _NOT_READ
        except ValueError:
            value = _NOT_READ
        if value is _NOT_READ:  # it may be a literal all the same
            return not _is_object(canon, quote + 1)
        if nested or value.__class__ is not dict:
            return False
        inner = _written_flat(value, NESTED_DEPTH)
        lists = self._layout.lists(value)
        if inner is None or lists is None or not has_all_members(text.encode(), inner):
            return False
        return self._is_clean(inner, lists, nested=True)

    def _may_hold_literal(self, canon: bytes) -> bool:
        """Whether some string names a word that carriers have, and has a bracket or an equals sign in it as well."""
        end = 0
        for _, start, _ in self._marks(canon):
            if start < end:
                continue
            text, end = _string_around(canon, start)
            if any(char in text for char in _LITERAL):
                return True
        return False


def has_all_members(data: bytes, canon: bytes) -> bool:
    """Whether JSON text has no member that parsing drops; ``canon`` is its value, written again.

    Every member has one colon outside strings, and colons inside are the same in both unless ``data`` escapes one.
    """
    return data == canon or (data.count(b":") == canon.count(b":") and b"\\u003" not in data)


def is_exact(value: Any) -> bool:
    """Whether a value that was written as JSON is what a parser would make of it: no tuples, no NaN in it.

    ``orjson`` writes NaN as null, so only a value with a null in it has to be asked.
    """
    for child in value.values() if value.__class__ is dict else value:
        kind = child.__class__
        if kind in _SCALARS:  # mostly
            continue
        if kind is dict or kind is list:
            if not is_exact(child):
                return False
        elif kind is not float or child - child != 0.0:
            return False
    return True


def _written_flat(value: Any, brackets: int) -> bytes | None:
    """``value`` as compact JSON, or None when that has more ``brackets``, and so may nest deeper."""
    try:
        written = orjson.dumps(value)
    except TypeError:
        return None
    return written if written.count(b"{") + written.count(b"[") <= brackets else None


def _gauge(levels: int) -> tuple[list[Any], list[Any]]:
    """Arrays inside one another, and the innermost of them."""
    cell: list[Any] = [None]
    shell = cell
    for _ in range(levels - 1):
        shell = [shell]
    return shell, cell


def _has_tag(canon: bytes) -> bool:
    at = canon.find(b"<")
    while at >= 0:
        if _is_tag(canon, at):
            return True
        at = canon.find(b"<", at + 1)
    return False


def _is_tag(canon: bytes, at: int) -> bool:
    return may_hold_marker(_window(canon, at))


def _window(canon: bytes, at: int) -> str:
    """The text from ``at`` on, as far as a marker reaches, with blanks that were escaped."""
    raw = canon[at : at + LONGEST_MARKER]
    text = raw.decode("utf-8", "replace")
    return re.sub(r"\\(?:[nrtf]|u000b)", " ", text) if "\\" in text else text


def _is_object(canon: bytes, at: int) -> bool:
    """Whether the text around ``at`` may be one that holds an object (``literals.may_hold``)."""
    text, _ = _string_around(canon, at)
    return b":" in text and (b"'" in text or b'"' in text)


def _string_around(canon: bytes, at: int) -> tuple[bytes, int]:
    """The inside of the string around ``at``, as it is written, and where it ends."""
    opening = at
    while True:
        opening = before = canon.rfind(b'"', 0, opening)
        while canon[before - 1] == _SLASH:
            before -= 1
        if (opening - before) % 2 == 0:
            break
    end = _closing_quote(canon, opening + 1)
    return canon[opening + 1 : end], end


def _closing_quote(canon: bytes, at: int) -> int:
    """Where the string ends whose inside ``at`` is the beginning of."""
    while True:
        at = before = canon.find(b'"', at)
        while canon[before - 1] == _SLASH:
            before -= 1
        if (at - before) % 2 == 0:
            return at
        at += 1


def _searcher(patterns: Iterable[bytes], *, few: bool = False) -> Search:
    """The offsets of ``patterns`` in a text; a handful of rare ones is searched for with vector instructions."""
    from ahocorasick_rs import BytesAhoCorasick, Implementation, MatchKind

    kind = MatchKind.LeftmostFirst if few else MatchKind.Standard
    automaton = BytesAhoCorasick(list(patterns), kind, None if few else Implementation.DFA)
    search: Search = automaton.find_matches_as_indexes
    return search


def _caseless() -> list[bytes]:
    """The markers in every mixture of cases, the letters that case folding adds, and an escape inside a literal."""
    found = [b"\\\\u00", *(letter.encode() for letter in CASELESS)]
    for marker in MARKERS:
        found += ["".join(letters).encode() for letters in product(*((char, char.upper()) for char in marker))]
    return found


def _patterns(signs: Iterable[str]) -> dict[bytes, int]:
    """What to search for and what to do about it; each begins with one of three bytes, which is what makes it fast."""
    found = {sign.encode(): _SIGN for sign in signs}
    found |= {f'"{name}":['.encode(): _LIST for name in layout.LISTS}
    found |= {bytes((ord("{"), byte)): _INSIDE for byte in range(256) if byte not in b'"}'}
    found |= {bytes((_BRACKET, byte)): _INSIDE for byte in range(256) if byte not in b'"[{]'}
    found |= {b"{}": _EMPTY, b"[]": _EMPTY}
    starts = (b" ", b"\\", b"{", b"[", b"Here", *OPENINGS, *(blank.encode() for blank in _WIDE_BLANKS))
    return found | {b'"' + start: _INSIDE for start in starts}


def signs_of(program: Program) -> Iterable[str]:
    """What some rule or hook needs to see before it can start anything."""
    for key in program.members:
        yield f'"{key}":'
    for key, table in program.discriminators.items():
        yield from (f'"{key}":"{value}"' for value in table)
    for signs in program.signs.values():
        yield from signs
    yield from (f'"{key}":[' for key in EVENT_LISTS if key is not None)
