"""The vocabulary of a dialect as frozen rules, read once from ``kinds.json``.

``kinds.yaml`` is the file people edit and review; ``kinds.json`` is the same content in a form that loads in a
millisecond, and a test holds the two together. A rule names *where* reasoning hides; how it is cut is decided by the
program of the surface, so that a new block type is a line of data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

import orjson

from reticent.errors import UnknownDialect

CLASSES: tuple[str, ...] = ("text", "summary", "opaque", "derived")


@dataclass(frozen=True, slots=True)
class BlockRule:
    """An object that is reasoning as a whole, told by one discriminator.

    ``key`` and ``value`` are the discriminator (``type``/``thinking``); ``needs`` are fields of which at least one
    must be present (none: the discriminator alone decides); ``fields`` maps fields to content classes, so that a
    surface which may show one class keeps that field and loses the others; ``where`` limits the position.
    """

    name: str
    key: str
    value: str
    reasoning_class: str
    needs: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    where: str = "any"


@dataclass(frozen=True, slots=True)
class MemberRule:
    """A member of an object that is reasoning, told by its key, its kind of value and its position."""

    name: str
    key: str
    reasoning_class: str
    kinds: frozenset[str]
    where: str = "any"


@dataclass(frozen=True, slots=True)
class WrapRule:
    """An event around an event of another protocol, told by one discriminator.

    ``key`` and ``value`` are the discriminator, ``"*"`` any value; ``at`` are the keys that lead to the inner event.
    ``lanes`` are members of the outer event that tell apart several streams on one connection (a sub-agent's and its
    caller's). ``coding`` says how the inner event is written: ``json`` a string of JSON, ``base64`` the same encoded
    once more, ``""`` as it is.
    """

    name: str
    key: str
    value: str
    at: tuple[str, ...]
    lanes: tuple[str, ...] = ()
    coding: str = ""


@dataclass(frozen=True, slots=True)
class Kinds:
    """One dialect's section of the vocabulary."""

    dialect: str
    title: str
    url: str
    read: str
    status: str
    blocks: tuple[BlockRule, ...]
    members: tuple[MemberRule, ...]
    lifts: Mapping[str, str]
    visible: Mapping[str, frozenset[str]]
    opens: tuple[str, ...]
    untyped: tuple[str, ...]
    data: Mapping[str, Any]
    wraps: tuple[WrapRule, ...] = ()


@cache
def _document() -> dict[str, Any]:
    raw = resources.files("reticent.dialects").joinpath("kinds.json").read_bytes()
    document: dict[str, Any] = orjson.loads(raw)
    return document


def vocabulary_version() -> str:
    """The date that the shipped vocabulary carries, ``YYYY-MM-DD``."""
    return str(_document()["version"])


def vocabulary_dialects() -> tuple[str, ...]:
    """Ids of every dialect that the shipped vocabulary describes."""
    return tuple(_document()["dialects"])


@cache
def kinds(dialect: str) -> Kinds:
    """The section of ``dialect``.

    Raises:
        UnknownDialect: the shipped vocabulary has no such section.
    """
    sections = _document()["dialects"]
    if dialect not in sections:
        raise UnknownDialect(dialect, sections)
    return parse_section(dialect, sections[dialect])


def parse_section(dialect: str, section: Mapping[str, Any]) -> Kinds:
    """Turn one section (as read from YAML or JSON) into rules; other packages call it for their own file."""
    return Kinds(
        dialect=dialect,
        title=section.get("title", dialect),
        url=section.get("url", ""),
        read=str(section.get("read", "")),
        status=section.get("status", "preview"),
        blocks=tuple(_blocks(dialect, section.get("blocks", {}))),
        members=tuple(_members(dialect, section.get("members", {}))),
        lifts=dict(section.get("lifts", {})),
        visible={at: frozenset(names) for at, names in section.get("visible", {}).items()},
        opens=tuple(section.get("open", ())),
        untyped=tuple(section.get("untyped", ())),
        data=dict(section.get("data", {})),
        wraps=tuple(_wraps(dialect, section.get("wraps", {}))),
    )


def _blocks(dialect: str, entries: Mapping[str, Any]) -> list[BlockRule]:
    return [
        BlockRule(
            name=f"{dialect}/{name}",
            key=key,
            value=value,
            reasoning_class=entry["class"],
            needs=tuple(entry.get("needs", ())),
            fields=dict(entry.get("fields", {})),
            where=entry.get("where", "any"),
        )
        for name, entry in entries.items()
        for key in _several(entry.get("by", "type"))
        for value in _several(entry.get("is", name))
    ]


def _several(told: str | list[str]) -> list[str]:
    """One name, or a list of them, as a list."""
    return told if isinstance(told, list) else [told]


def _members(dialect: str, entries: Mapping[str, Any]) -> list[MemberRule]:
    return [
        MemberRule(
            name=f"{dialect}/{name}",
            key=entry.get("key", name),
            reasoning_class=entry["class"],
            kinds=frozenset(entry.get("kinds", ("string",))),
            where=entry.get("where", "any"),
        )
        for name, entry in entries.items()
    ]


def _wraps(dialect: str, entries: Mapping[str, Any]) -> list[WrapRule]:
    return [
        WrapRule(
            name=f"{dialect}/{name}",
            key=entry.get("by", "type"),
            value=entry.get("is", name),
            at=tuple(entry["at"].split(".")),
            lanes=tuple(entry.get("lanes", ())),
            coding=entry.get("coding", ""),
        )
        for name, entry in entries.items()
    ]
