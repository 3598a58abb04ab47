"""Calls with what came back for them, in one form for every dialect and for tools that are played in plain text."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from reticent.history.changes import encode
from reticent.history.entries import Entry, PartKind, Role
from reticent.history.operations.results import text_of
from reticent.history.pairing import FOREVER, Call, Pairing
from reticent.history.shapes import value_at

if TYPE_CHECKING:
    from reticent.history.entries import Context, Part
    from reticent.history.shapes import Shape


class Spelled(str):
    """A JSON number as it was spelt: ``1845.00`` stays what it is."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One call and its result. Content shows in no ``repr``."""

    tool: str
    call_id: str
    position: int
    """The entry that holds the result; the call's own while the result is due."""
    called: int
    """The entry that holds the call."""
    arguments: Any = field(repr=False)
    """As JSON, parsed when the provider sends it as text; in plain text what the assistant said."""
    body: str = field(repr=False)
    failed: bool = False
    answered: bool = True

    def value(self) -> Any:
        """The body as JSON, numbers in their spelling; None when it is no JSON."""
        return parsed(self.body)


def exchanges_in(entries: Sequence[Entry], shape: Shape, context: Context) -> list[Exchange]:
    """Every call of a client's tool among ``entries``, in the order of the calls."""
    played = _played(entries, shape, context)
    pairing = Pairing(context)
    pairing.feed(entries)
    at = {entry.pos: entry for entry in entries}
    native = [_exchange(call, at, shape) for call in pairing.calls if not call.server]
    return sorted([*native, *played], key=lambda found: (found.called, found.position))


def _exchange(call: Call, at: Mapping[int, Entry], shape: Shape) -> Exchange:
    arguments = _argued(shape, at[call.pos], call.part)
    answered = call.closed != FOREVER and not call.abandoned
    result = at[call.closed] if answered else None
    part = None if result is None else _result_part(result, call.part)
    return Exchange(
        tool=call.part.name or "?",
        call_id=call.part.id or f"entry-{call.pos}",
        position=call.closed if answered else call.pos,
        called=call.pos,
        arguments=arguments,
        body="" if result is None or part is None else _body(shape, result, part),
        failed=call.failed,
        answered=answered,
    )


def _argued(shape: Shape, entry: Entry, part: Part) -> Any:
    try:
        found = shape.arguments(entry.raw, part)
    except (KeyError, IndexError, TypeError):
        return None
    value = parsed(found) if isinstance(found, str) else found
    return found if value is None else value


def _result_part(entry: Entry, call: Part) -> Part | None:
    results = [part for part in entry.parts if part.kind is PartKind.RESULT and part.final]
    by_id = [part for part in results if call.id is not None and part.id == call.id]
    by_name = [part for part in results if part.name == call.name]
    return next(iter([*by_id, *by_name, *results]), None)


def _body(shape: Shape, entry: Entry, part: Part) -> str:
    try:
        body = value_at(entry.raw, shape.body_path(entry.raw, part))
    except (KeyError, IndexError, TypeError, StopIteration):
        return ""
    text = text_of(body)
    return encode(body).decode("utf-8", "replace") if text is None else text


def _played(entries: Sequence[Entry], shape: Shape, context: Context) -> list[Exchange]:
    found: list[Exchange] = []
    asked: Entry | None = None
    nth = 0
    for entry in entries:
        if entry.role is Role.ASSISTANT:
            asked, nth = entry, 0
        if entry.text_output:
            found.append(_played_one(entry, asked, nth, shape, context.text_prefix or ""))
            nth += 1
    return found


def _played_one(entry: Entry, asked: Entry | None, nth: int, shape: Shape, prefix: str) -> Exchange:
    text = shape.user_text(entry.raw)
    tool, _, body = text[len(prefix) :].partition("):")
    said = "" if asked is None else "\n".join(shape.texts(asked.raw))
    return Exchange(
        tool=tool.strip() or "?",
        call_id=_played_id(entry, said + text),
        position=entry.pos,
        called=entry.pos if asked is None else asked.pos,
        arguments=_embedded(said, nth),
        body=body.strip(),
    )


def _played_id(entry: Entry, content: str) -> str:
    """A name that outlives a compaction: by sequence number where the harness keeps one, else by what was said."""
    if entry.seq is not None:
        return f"seq-{entry.seq}"
    return "text-" + hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _embedded(said: str, nth: int) -> Any:
    """The JSON object number ``nth`` in what the assistant wrote: its arguments; without one, the whole of it."""
    at = said.find("{")
    while at >= 0:
        try:
            value, end = _DECODER.raw_decode(said, at)
        except (ValueError, RecursionError):
            return said
        if nth == 0:
            return value
        nth -= 1
        at = said.find("{", end)
    return said


def _refuse(_: str) -> NoReturn:
    raise ValueError


_DECODER = json.JSONDecoder(parse_float=Spelled, parse_int=Spelled, parse_constant=_refuse)


def parsed(text: str) -> Any:
    """``text`` as JSON with numbers as they are spelt; None when it is no JSON, or nothing but ``null``."""
    try:
        value, end = _DECODER.raw_decode(text, len(text) - len(text.lstrip()))
    except (ValueError, RecursionError):
        return None
    return value if not text[end:].strip() else None


def canonical(value: Any) -> str:
    """``value`` in one spelling: sorted keys, composed text, ``1``, ``1.0`` and ``1e0`` alike; JSON in text is opened.

    For comparing what two calls were made with. Values without a JSON form compare by their type.
    """
    opened = parsed(value) if isinstance(value, str) and not isinstance(value, Spelled) else None
    plain = _plain(value if opened is None else opened)
    return json.dumps(
        plain, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=lambda v: type(v).__name__
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        fields: Mapping[Any, Any] = value
        return {unicodedata.normalize("NFC", str(key)): _plain(item) for key, item in fields.items()}
    if isinstance(value, list | tuple):
        items: Sequence[Any] = value
        return [_plain(item) for item in items]
    return _leaf(value)


def _leaf(value: Any) -> Any:
    if isinstance(value, Spelled):
        return _number(value)
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return _number(str(value)) if number else value


def _number(spelt: str) -> Any:
    """A number by its value, as an object that no text can be mistaken for."""
    from decimal import Decimal, InvalidOperation

    try:
        number = Decimal(spelt)
    except InvalidOperation:
        return spelt
    if not number.is_finite():
        return spelt
    # Normalised, so that 1, 1.0 and 1e0 meet; long exponents stay exponents.
    return {"#": str(number.normalize() + 0)} if number else {"#": "0"}
