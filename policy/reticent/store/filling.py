"""Fill gaps: in Python values or in JSON bytes, the same gaps the same way.

What is not filled is copied: bytes as they are spelt, values as they are. A client may have simplified what it was
shown: a list of one text sent as a string, a member that was null left out. That is undone where something goes in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from reticent.edits import Cut
from reticent.serializers import jsonbytes
from reticent.store.gaps import Gap, decode, on_the_wire

if TYPE_CHECKING:
    from collections.abc import Sequence


def fill(value: Any, gap: Gap, carriers: Sequence[bytes]) -> Any:
    """``value`` with the gaps filled, copied along the touched path; the input is not changed."""
    if gap.put is not None:
        return decode(carriers[gap.put])
    if gap.text:
        return _texts(value, gap, carriers)
    if isinstance(value, dict):
        return _object(value, gap, carriers)
    return _list(_as_list(value, gap), gap, carriers)


def _as_list(value: Any, gap: Gap) -> Any:
    if isinstance(value, str):
        return [{**(gap.list_of_text or {}), "text": value}] if value else []
    return [] if value is None else value


def _texts(value: Any, gap: Gap, carriers: Sequence[bytes]) -> Any:
    if isinstance(value, list):  # a string that the client sends as a list of one text
        (block,) = value
        return [{**block, "text": _texts(block["text"], gap, carriers)}]
    return _cut(gap, carriers).apply(value)


def _cut(gap: Gap, carriers: Sequence[bytes]) -> Cut:
    return Cut(tuple((at, at + length, decode(carriers[number])) for at, length, number in gap.text))


def _object(value: dict[Any, Any], gap: Gap, carriers: Sequence[bytes]) -> dict[Any, Any]:
    out: dict[Any, Any] = {}
    inside = dict(gap.inside)
    waiting = _members(value, gap)
    for key, number in waiting.pop(None, ()):
        out[key] = decode(carriers[number])
    for name, child in value.items():
        inner = inside.pop(name, None)
        out[name] = child if inner is None else fill(child, inner, carriers)
        for key, number in waiting.pop(name, ()):
            out[key] = decode(carriers[number])
    for name, inner in inside.items():
        out[name] = fill(None, inner, carriers)
    return out


def _members(value: dict[Any, Any], gap: Gap) -> dict[Any, list[tuple[str, int]]]:
    """The members to add, by the key they go behind; None is the front. Without that key they go to the end."""
    last = next(reversed(value), None)
    waiting: dict[Any, list[tuple[str, int]]] = {}
    for key, before, number, only_when_absent in gap.members:
        if only_when_absent and key in value:
            continue
        waiting.setdefault(before if before is None or before in value else last, []).append((key, number))
    return waiting


def _list(value: Any, gap: Gap, carriers: Sequence[bytes]) -> list[Any]:
    out: list[Any] = []
    at = 0
    for position, number in gap.elements:
        out += _filled(value, at, position, gap, carriers)
        out.append(decode(carriers[number]))
        at = position
    return out + _filled(value, at, len(value), gap, carriers)


def _filled(value: Any, start: int, end: int, gap: Gap, carriers: Sequence[bytes]) -> list[Any]:
    return [fill(value[at], gap.inside[at], carriers) if at in gap.inside else value[at] for at in range(start, end)]


# --- bytes ------------------------------------------------------------------------------------------------------------


def fill_bytes(data: bytes, gap: Gap, carriers: Sequence[bytes]) -> bytes:
    """``data``, one JSON value without white space around it, with the gaps filled and every other byte copied."""
    if gap.put is not None:
        return on_the_wire(carriers[gap.put])
    if gap.text:
        return _texts_bytes(data, gap, carriers)
    if data[:1] == b"{":
        return _object_bytes(data, gap, carriers)
    return _list_bytes(_as_list_bytes(data, gap), gap, carriers)


def _as_list_bytes(data: bytes, gap: Gap) -> bytes:
    if data[:1] == b"[":
        return data
    if data in (b'""', b"null"):
        return b"[]"
    told = b"".join(
        orjson.dumps(name) + b":" + orjson.dumps(word) + b"," for name, word in (gap.list_of_text or {}).items()
    )
    return b"[{" + told + b'"text":' + data + b"}]"


def _texts_bytes(data: bytes, gap: Gap, carriers: Sequence[bytes]) -> bytes:
    if data[:1] == b'"':
        return jsonbytes.cut_token(data, _cut(gap, carriers))
    ((_, _, start, end),) = jsonbytes.entries(data)
    block = data[start:end]
    at = {key: (low, high) for key, _, low, high in jsonbytes.entries(block)}["text"]
    filled = jsonbytes.cut_token(block[at[0] : at[1]], _cut(gap, carriers))
    return data[:start] + block[: at[0]] + filled + block[at[1] :] + data[end:]


def _object_bytes(data: bytes, gap: Gap, carriers: Sequence[bytes]) -> bytes:
    entries = jsonbytes.entries(data)
    waiting = _members(dict.fromkeys(key for key, *_ in entries), gap)
    inside = dict(gap.inside)
    pieces = [_member(key, on_the_wire(carriers[number])) for key, number in waiting.pop(None, ())]
    gaps_between = [b","] * len(pieces)
    end = 0
    for key, start, value, stop in entries:
        inner = inside.pop(key, None)
        filled = data[value:stop] if inner is None else fill_bytes(data[value:stop], inner, carriers)
        gaps_between.append(data[end:start] if end else b",")
        pieces.append(data[start:value] + filled)
        for name, number in waiting.pop(key, ()):
            gaps_between.append(b",")
            pieces.append(_member(name, on_the_wire(carriers[number])))
        end = stop
    pieces += [_member(name, fill_bytes(b"null", inner, carriers)) for name, inner in inside.items()]
    return _around(data, entries, pieces, gaps_between)


def _member(key: str, raw: bytes) -> bytes:
    return orjson.dumps(key) + b":" + raw


def _around(
    data: bytes, entries: Sequence[tuple[Any, int, int, int]], pieces: Sequence[bytes], between: Sequence[bytes]
) -> bytes:
    """A container with new pieces: the first has nothing in front, those without a gap of their own a comma."""
    front, back = (data[: entries[0][1]], data[entries[-1][3] :]) if entries else (data[:1], data[-1:])
    commas = [*between, *[b","] * (len(pieces) - len(between))]
    body = b"".join(
        (comma if at else b"") + piece for at, (comma, piece) in enumerate(zip(commas, pieces, strict=True))
    )
    return front + body + back


def _list_bytes(data: bytes, gap: Gap, carriers: Sequence[bytes]) -> bytes:
    entries = jsonbytes.entries(data)
    pieces: list[bytes] = []
    between: list[bytes] = []
    waiting = list(gap.elements)
    for at, (_, start, value, stop) in enumerate(entries):
        while waiting and waiting[0][0] <= at:
            pieces.append(on_the_wire(carriers[waiting.pop(0)[1]]))
            between.append(b",")
        inner = gap.inside.get(at)
        pieces.append(data[value:stop] if inner is None else fill_bytes(data[value:stop], inner, carriers))
        between.append(data[entries[at - 1][3] : start] if at else b",")
    pieces += [on_the_wire(carriers[number]) for _, number in waiting]
    return _around(data, entries, pieces, between)
