"""Marked messages: the conformance vectors of a dialect, with fresh marks in the place of their canaries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import orjson

from reticent.errors import UnknownDialect
from reticent.probe.marks import new_mark

if TYPE_CHECKING:
    from reticent.conformance import Vector
    from reticent.serializers import Serializer

_WHOLE = ("message", "history", "text", "log")
_CANARY = "canary"
_VISIBLE = "VIS-"


@dataclass(frozen=True, slots=True)
class ProbeMessage:
    """One message: ``payload`` is a Python value, or text where the dialect is text.

    ``marks`` stand where its reasoning is. ``visible`` stands in its visible text; it is empty when there is none that
    could carry a mark.
    """

    dialect: str
    payload: Any
    marks: tuple[str, ...]
    visible: str


def messages(*dialects: str) -> tuple[ProbeMessage, ...]:
    """One marked message for each of ``dialects``; without any, for every dialect that has vectors.

    Raises:
        UnknownDialect: there are no vectors for it; the error suggests the nearest name.
    """
    return tuple(message(name) for name in dialects or sorted(_vectors()))


def message(dialect: str) -> ProbeMessage:
    """One message of ``dialect`` with marks that nobody has seen before.

    Raises:
        UnknownDialect: there are no vectors for it; the error suggests the nearest name.
    """
    known = _vectors()
    if dialect not in known:
        raise UnknownDialect(dialect, known)
    marked = [_marked(vector) for vector in known[dialect]]
    return max(marked, key=lambda one: (bool(one.visible and one.marks), len(one.marks)))


@cache
def _vectors() -> dict[str, list[Vector]]:
    from reticent.conformance import load_vectors

    found: dict[str, list[Vector]] = {}
    for vector in load_vectors():
        if vector.form in _WHOLE and vector.surface_class == "strip" and vector.absent and not vector.starts_inside:
            found.setdefault(vector.dialect, []).append(vector)
    return found


def _marked(vector: Vector) -> ProbeMessage:
    is_text = isinstance(vector.input, str)
    spelled = vector.input if is_text else orjson.dumps(vector.input).decode()
    marks: list[str] = []
    for canary in sorted(vector.absent, key=len, reverse=True):
        start = canary.lower().find(_CANARY)
        if start >= 0 and canary in spelled:
            marks.append(new_mark("mk"))
            # What stands before the canary's own letters says what kind of thing it is, such as rs_ in an id.
            spelled = spelled.replace(canary, canary[:start] + marks[-1])
    visible = next((text for text in vector.present if text.startswith(_VISIBLE) and text in spelled), "")
    mark = new_mark("vis") if visible else ""
    spelled = spelled.replace(visible, mark) if visible else spelled
    payload = spelled if is_text else json.loads(spelled)
    given = ProbeMessage(vector.dialect, payload, tuple(marks), mark)
    return given if visible else _with_visible_mark(given)


def _with_visible_mark(given: ProbeMessage) -> ProbeMessage:
    """The message with a mark behind the longest text that a strip surface lets through as it is."""
    if isinstance(given.payload, str):
        return given
    there = {*_texts(given.payload)}
    texts = [text for text in _texts(_strip().value(given.payload)) if " " in text and text in there]
    if not texts:
        return given
    visible = new_mark("vis")
    longest = max(texts, key=len)
    return replace(given, payload=_put(given.payload, longest, f"{longest} {visible}"), visible=visible)


@cache
def _strip() -> Serializer:
    from reticent.compiler import load_plan

    return load_plan().serializer("logs")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(item)


def _put(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {name: _put(item, old, new) for name, item in value.items()}
    if isinstance(value, list):
        return [_put(item, old, new) for item in value]
    return new if value == old else value
