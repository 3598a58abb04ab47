"""A history as bytes: read once, and written back with everything that did not change copied as it was.

Accepted are a JSON array of entries, a request body (an object with ``messages``, ``input`` or ``contents``), JSON
Lines, and session logs whose lines wrap a message. Numbers keep their spelling, members their order, text its escapes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast

from reticent.errors import InputTooDeep, MalformedInput
from reticent.history.changes import Action, Change

if TYPE_CHECKING:
    from reticent.history.entries import Path

KEYS = ("messages", "input", "contents")
"""Members of a request body that hold its history."""

_BLANK = re.compile(r"[ \t\r\n]*")


class _Slot(NamedTuple):
    """One element or line: where it stands, and where the entry in it stands."""

    start: int
    end: int
    inner: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Document:
    """A history in its bytes. ``wrapped`` says that the entries stand inside lines of a log."""

    text: str
    entries: list[Any]
    slots: list[_Slot]
    wrapped: bool
    model: str | None
    lines: bool
    """Elements stand on lines of their own, without commas."""

    def rewritten(self, changes: Sequence[Change]) -> bytes:
        """The document with ``changes`` carried out; without any, the bytes it came from."""
        if not changes or not self.slots:
            return self.text.encode("utf-8", "surrogatepass")
        at: dict[int, list[Change]] = {}
        for change in changes:
            at.setdefault(change.position, []).append(change)
        pieces: list[tuple[str, str]] = []
        for index, slot in enumerate(self.slots):
            between = self.text[self.slots[index - 1].end : slot.start] if index else ""
            pieces += self._pieces(slot, between, at.get(index, ()))
        pieces += [(self._comma(), _dumped(change.value)) for change in at.get(len(self.slots), ())]
        body = "".join(
            (between or self._comma()) * bool(index) + piece for index, (between, piece) in enumerate(pieces)
        )
        whole = self.text[: self.slots[0].start] + body + self.text[self.slots[-1].end :]
        return whole.encode("utf-8", "surrogatepass")

    def _comma(self) -> str:
        return "\n" if self.lines else ","

    def _pieces(self, slot: _Slot, between: str, changes: Sequence[Change]) -> list[tuple[str, str]]:
        new = [(between, _dumped(change.value)) for change in changes if change.action is Action.INSERT]
        if any(change.action is Action.DROP for change in changes):
            return new
        edits = [(change.path, change) for change in changes if change.action is not Action.INSERT]
        piece = self.text[slot.start : slot.end]
        if edits:
            start, end = slot.inner
            inner = _spliced(self.text, start, end, edits)
            piece = self.text[slot.start : start] + inner + self.text[end : slot.end]
        return [*new, (between, piece)]


def read_document(data: bytes) -> Document:
    """Read a history.

    Raises:
        MalformedInput: not UTF-8, not JSON, or no history in it.
        InputTooDeep: nested deeper than the reader goes.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedInput(f"the history is not UTF-8 at byte {error.start}") from None
    try:
        return _read(text)
    except RecursionError:
        raise InputTooDeep("the history nests deeper than the reader goes") from None


def members_of(data: bytes) -> dict[str, bytes]:
    """The members of a JSON object, each as the bytes it is; of a name that occurs twice, the last.

    Raises:
        MalformedInput: not UTF-8, or no JSON object.
    """
    try:
        text = data.decode("utf-8")
        start = _skip(text, 0)
        found = {m.key: text[m.start : m.end].encode("utf-8") for m in _members(text, start)} if text[start:] else {}
    except (UnicodeDecodeError, RecursionError):
        raise MalformedInput("the body is not a JSON object") from None
    return found


def _read(text: str) -> Document:
    start = _skip(text, 0)
    if text[start : start + 1] == "[":
        return _document(text, _elements(text, start), model=None, lines=False)
    value, end = _value(text, start)
    if _skip(text, end) == len(text) and isinstance(value, dict):
        return _body(text, start, cast("dict[str, Any]", value))
    return _document(text, _line_values(text), model=None, lines=True)


def _body(text: str, start: int, value: dict[str, Any]) -> Document:
    key = next((key for key in KEYS if isinstance(value.get(key), list)), None)
    model = value.get("model")
    name = model if isinstance(model, str) else None
    if key is None:
        if "role" not in value and _unwrapped(value) is None:
            raise MalformedInput(f"the object holds no history; one of {', '.join(KEYS)} lists it")
        return _document(text, [(start, _value(text, start)[1], value)], model=name, lines=True)
    member = next(m for m in reversed(_members(text, start)) if m.key == key)
    return _document(text, _elements(text, member.start), model=name, lines=False)


def _document(text: str, found: list[tuple[int, int, Any]], *, model: str | None, lines: bool) -> Document:
    wrapped = any(_unwrapped(value) is not None for _, _, value in found)
    # Lines of a sub-agent stand among the main ones; in a file of its own they are the transcript.
    main = [row for row in found if not _is_side(row[2])]
    found = main if any(_unwrapped(value) is not None for _, _, value in main) else found
    entries: list[Any] = []
    slots: list[_Slot] = []
    for start, end, value in found:
        if not wrapped:
            entries.append(value)
            slots.append(_Slot(start, end, (start, end)))
            continue
        inner = _unwrapped(value)
        if inner is not None:
            entries.append(inner)
            slots.append(_Slot(start, end, (start, end)))
    return Document(text, _joined(entries) if wrapped else entries, slots, wrapped, model, lines)


def _unwrapped(value: Any) -> dict[str, Any] | None:
    """The message inside a line of a session log; None for a line about something else, and for a plain entry."""
    if not isinstance(value, dict) or "role" in value:
        return None
    fields = cast("dict[str, Any]", value)
    inner = fields.get("message")
    if isinstance(inner, dict) and "role" in inner:
        return cast("dict[str, Any]", inner)
    payload = fields.get("payload")
    if fields.get("type") == "response_item" and isinstance(payload, dict):
        return cast("dict[str, Any]", payload)
    return None


def _is_side(value: Any) -> bool:
    return isinstance(value, dict) and cast("dict[str, Any]", value).get("isSidechain") is True


def _joined(entries: list[Any]) -> list[Any]:
    """Lines that hold blocks of one message carry its stop word many times; it belongs to the last."""
    found: list[Any] = []
    after: list[Any] = [*entries[1:], {}]
    for entry, following in zip(entries, after, strict=True):
        same = entry.get("id") is not None and entry.get("id") == following.get("id")
        found.append({key: item for key, item in entry.items() if key != "stop_reason"} if same else entry)
    return found


# --- scanning ---------------------------------------------------------------------------------------------------------


class _Member(NamedTuple):
    """A member of an object: its key, where the key starts, and where its value stands."""

    key: str
    at: int
    start: int
    end: int


def _refuse(_: str) -> NoReturn:
    raise MalformedInput("the history holds a number that JSON has not")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def _value(text: str, at: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise MalformedInput(f"not JSON at character {error.pos}") from None


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _expect(text: str, at: int, wanted: str) -> int:
    if text[at : at + 1] not in wanted or at >= len(text):
        raise MalformedInput(f"not JSON at character {at}")
    return at + 1


def _elements(text: str, at: int) -> list[tuple[int, int, Any]]:
    found: list[tuple[int, int, Any]] = []
    at = _skip(text, at + 1)
    while text[at : at + 1] != "]":
        if found:
            at = _skip(text, _expect(text, at, ","))
        value, end = _value(text, at)
        found.append((at, end, value))
        at = _skip(text, end)
    return found


def _members(text: str, at: int) -> list[_Member]:
    found: list[_Member] = []
    at = _skip(text, at + 1)
    while text[at : at + 1] != "}":
        if found:
            at = _skip(text, _expect(text, at, ","))
        key_at = at
        _expect(text, at, '"')
        key, at = _value(text, at)
        start = _skip(text, _expect(text, _skip(text, at), ":"))
        _, end = _value(text, start)
        found.append(_Member(key, key_at, start, end))
        at = _skip(text, end)
    return found


def _line_values(text: str) -> list[tuple[int, int, Any]]:
    found: list[tuple[int, int, Any]] = []
    at = 0
    # Only a line feed ends a line; U+2028 and its kin may stand inside a string.
    for line in text.split("\n"):
        start = _skip(text, at)
        if start < at + len(line):
            value, end = _value(text, start)
            if _skip(text, end) < at + len(line):
                raise MalformedInput(f"not JSON Lines at character {end}")
            found.append((start, end, value))
        at += len(line) + 1
    return found


# --- splicing ---------------------------------------------------------------------------------------------------------


def _spliced(text: str, start: int, end: int, edits: Sequence[tuple[Path, Change]]) -> str:
    """The value at ``start`` with the edits below it; all other characters are copied."""
    whole = next((change for path, change in edits if not path), None)
    if whole is not None:
        return _dumped(whole.value)
    below: dict[str | int, list[tuple[Path, Change]]] = {}
    for path, change in edits:
        below.setdefault(path[0], []).append((path[1:], change))
    places = _places(text, start)
    pieces: list[tuple[str, str]] = []
    for index, (key, at, value_at, value_end) in enumerate(places):
        inner = below.get(key, [])
        if any(not path and change.action is Action.REMOVE for path, change in inner):
            continue
        between = text[places[index - 1][3] : at] if index else ""
        value = _spliced(text, value_at, value_end, inner) if inner else text[value_at:value_end]
        pieces.append((between or ",", text[at:value_at] + value))
    if not places:
        return text[start:end]
    body = "".join(between * bool(index) + piece for index, (between, piece) in enumerate(pieces))
    return text[start : places[0][1]] + body + text[places[-1][3] : end]


def _places(text: str, start: int) -> list[tuple[str | int, int, int, int]]:
    if text[start] == "[":
        return [(index, at, at, end) for index, (at, end, _) in enumerate(_elements(text, start))]
    return [(m.key, m.at, m.start, m.end) for m in _members(text, start)]


def _dumped(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text
