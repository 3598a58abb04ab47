"""A guard for the way back: every opaque carrier of a history by digest, and whether all of them returned as issued.

Signatures and ciphertext count only byte for byte, and nobody sees by eye that one was re-encoded on the way through
a database. Take the digests of what a producer answered, take them again of the request that goes back, compare.
Digests hold no content and can be kept or logged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import orjson

from reticent.dialects import all_dialects
from reticent.edits import DROP, Cut, Edit, Insert, Put, Rename
from reticent.errors import ProducerMismatch
from reticent.serializers import cutting
from reticent.serializers.program import Options, Program, compile_program
from reticent.serializers.report import Report

_TELLERS: Final = ("type", "part_kind", "block_type", "role")
_NAMES: Final = ("id", "call_id", "toolUseId", "tool_call_id")
_NO_CONTENT: Final = frozenset((*_TELLERS, *_NAMES, "status", "index", "name", "format"))


@dataclass(frozen=True, slots=True)
class Digest:
    """One opaque carrier, without a character of it.

    ``kind`` is where it sits (``thinking.signature``, ``reasoning.encrypted_content``), ``name`` tells carriers of one
    kind apart wherever they stand (a hash of the id of its block, empty when it has none), ``sha256`` is the digest of
    its bytes in hexadecimal, ``length`` their number.
    """

    kind: str
    name: str
    sha256: str
    length: int = field(compare=False)


def digests(history: Any) -> tuple[Digest, ...]:
    """The digests of every opaque carrier in ``history``, in the order in which they stand.

    ``history`` is JSON as ``bytes`` or ``str``, or values as every serializer takes them: a response, a request, a list
    of messages. What stands around it does not matter, so that a response compares with the request that repeats it.

    Raises:
        EgressRefused: as for a serializer.
    """
    if isinstance(history, (bytes, bytearray, memoryview)):
        history = cutting.parse(bytes(history))
    elif isinstance(history, str):
        history = cutting.parse(history.encode("utf-8", "surrogatepass"))
    value, edit = cutting.cut_value(history, _program(), Report())
    return tuple(_found(value, edit, value, "value")) if edit is not None else ()


def check_round_trip(issued: Sequence[Digest], going: Sequence[Digest]) -> None:
    """Show that what a producer ``issued`` is what is ``going`` back: all of it, in order, byte for byte, nothing else.

    Raises:
        ProducerMismatch: with the kind and the position of the first carrier that is altered, missing, moved, or that
            was not issued; never with content.
    """
    for position, (mine, theirs) in enumerate(zip(issued, going, strict=False)):
        if mine != theirs:
            raise ProducerMismatch(_said(mine, theirs, position, issued, going))
    if len(going) < len(issued):
        raise ProducerMismatch(f"{issued[len(going)].kind} {len(going)} of {len(issued)} did not go back")
    if len(going) > len(issued):
        raise ProducerMismatch(f"{going[len(issued)].kind} {len(issued)} of {len(going)} was not issued")


def _said(mine: Digest, theirs: Digest, position: int, issued: Sequence[Digest], going: Sequence[Digest]) -> str:
    at = f"{mine.kind} {position} of {len(issued)}"
    if mine in going:
        return f"{at} went back in another order" if theirs in issued else f"{theirs.kind} {position} was not issued"
    if mine.kind == theirs.kind and theirs not in issued:
        return f"{at} was altered: {mine.length} bytes issued, {theirs.length} going back"
    return f"{at} did not go back"


@cache
def _program() -> Program:
    """What finds opaque carriers and nothing else."""
    return compile_program(all_dialects(), Options(withhold=frozenset({"opaque"}), unknown_types="carry"))


def _found(value: Any, edit: Edit, holder: Any, key: str) -> Iterator[Digest]:
    """Digests of what ``edit`` takes out of ``value``, which stands under ``key`` of ``holder``."""
    if isinstance(edit, (Insert, Rename)):
        if edit.edit is not None:
            yield from _found(value, edit.edit, holder, key)
    elif edit is DROP or isinstance(edit, Put):
        if key in _NAMES and value is not holder:
            return  # an id goes with what it refers to and carries nothing itself
        yield from _of_block(value) if isinstance(value, (dict, list)) else [_digest(holder, key, value)]
    elif isinstance(edit, Cut):
        yield from (_digest(holder, key, value[start:end]) for start, end, _ in edit.spans)
    elif isinstance(edit, dict):
        for name, child in _members(value):
            if name in edit:
                inside = (value, str(name)) if isinstance(value, dict) else (holder, key)
                yield from _found(child, edit[name], *inside)


def _members(value: Any) -> Iterator[tuple[Any, Any]]:
    """Members and elements; those of an object by name, so that the order of its keys says nothing."""
    return iter(sorted(value.items())) if isinstance(value, dict) else enumerate(value)


def _of_block(block: Any) -> Iterator[Digest]:
    """Digests of the strings in a carrier that goes as a whole."""
    told = [
        digest
        for name, child in _members(block)
        if name not in _NO_CONTENT
        for digest in (_of_block(child) if isinstance(child, (dict, list)) else _of_scalar(block, name, child))
    ]
    ids = [(name, block[name]) for name in _NAMES if isinstance(block, dict) and name in block]
    yield from told or (_digest(block, name, value) for name, value in ids)


def _of_scalar(block: Any, name: Any, value: Any) -> list[Digest]:
    return [_digest(block if isinstance(block, dict) else {}, str(name), value)] if value not in (None, "") else []


def _digest(holder: Any, key: str, value: Any) -> Digest:
    raw = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else orjson.dumps(value)
    told: Mapping[str, Any] = holder if isinstance(holder, dict) else {}
    label = next((str(told[name])[:64] for name in _TELLERS if isinstance(told.get(name), str)), "")
    name = next((told[name] for name in _NAMES if isinstance(told.get(name), str) and told[name] is not value), "")
    return Digest(
        f"{label}.{key}" if label.replace("_", "a").replace("-", "a").replace(".", "a").isalnum() else key,
        hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16] if name else "",
        hashlib.sha256(raw).hexdigest(),
        len(raw),
    )
