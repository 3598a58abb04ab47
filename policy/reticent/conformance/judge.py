"""Whether an output keeps to its vector: canaries gone in every spelling, the rest there, the shape as expected."""

from __future__ import annotations

import base64
import binascii
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from reticent.errors import MalformedInput
from reticent.streams.detect import open_framing

if TYPE_CHECKING:
    from reticent.conformance import Vector

_FRAMED = ("sse", "jsonl", "json-array", "aws-eventstream", "ai-sdk-v4")
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{16,}={0,2}")


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with one output: ``leak``, ``lost``, ``changed`` or ``crash``; ``what`` names canaries only."""

    vector: str
    kind: str
    what: str


def judge(vector: Vector, output: bytes) -> list[Finding]:
    """Everything that is wrong with ``output``."""
    if vector.surface_class == "pass":
        return [] if output == vector.payload else [Finding(vector.id, "changed", "bytes differ on a pass surface")]
    stack = haystack(output, vector.wire)
    found = [Finding(vector.id, "leak", canary) for canary in vector.absent if contains(stack, canary)]
    found += [Finding(vector.id, "lost", text) for text in vector.present if not contains(stack, text)]
    if not found and vector.expected is not None and not _is_expected(vector, output):
        found.append(Finding(vector.id, "changed", "not the expected output"))
    return found


def contains(stack: list[str], needle: str) -> bool:
    """Whether any spelling in ``stack`` holds ``needle``."""
    return any(needle in hay for hay in stack)


def haystack(output: bytes, wire: str) -> list[str]:
    """Every spelling of an output worth searching: as bytes, decoded strings, joined pieces, base64 opened."""
    pieces: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for value in payloads(output, wire):
        for path, leaf in leaves(value):
            pieces[path].append(leaf)
    joined = ["".join(parts) for parts in pieces.values()]
    single = [leaf for parts in pieces.values() for leaf in parts]
    return [output.decode("utf-8", "replace"), *joined, *single, *_opened(output)]


def payloads(output: bytes, wire: str) -> list[Any]:
    """The values in an output, whatever frames them; what is not JSON comes as text."""
    if wire not in _FRAMED:
        return [_parsed(output)]
    try:
        framing = open_framing(wire)
        frames = [*framing.feed(output), *framing.flush()]
    except MalformedInput:
        return [output.decode("utf-8", "replace")]
    return [_parsed(frame.data) for frame in frames if frame.data is not None]


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every string with its path; positions do not count, and JSON in a string is opened."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, path)
    elif isinstance(value, str):
        yield path, value
        inner = _parsed(value.encode()) if value.strip()[:1] in ("{", "[") else None
        if isinstance(inner, (dict, list)):
            yield from leaves(inner, (*path, "$json"))


def _opened(output: bytes) -> Iterator[str]:
    for match in _BASE64.finditer(output):
        try:
            yield base64.b64decode(match[0].translate(bytes.maketrans(b"-_", b"+/")) + b"==").decode("utf-8", "replace")
        except binascii.Error:
            continue


def _parsed(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except ValueError:
        return data.decode("utf-8", "replace")


def _is_expected(vector: Vector, output: bytes) -> bool:
    if vector.form == "stream" and isinstance(vector.expected, list):
        wanted = [item["data"] for item in vector.expected]
        return payloads(output, vector.wire) == wanted
    if isinstance(vector.expected, str):
        return output.decode("utf-8", "replace") == vector.expected
    return bool(_parsed(output) == vector.expected)
