"""Facts as data: what a transcript's parts are, and what each provider demands of them.

Two files hold them, ``transcripts.yaml`` and ``profiles.yaml``; nothing in the code repeats a line of either. They are
read on first use, so that importing :mod:`reticent.history` stays cheap.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from reticent.errors import ConfigurationError, UnknownDialect
from reticent.history.entries import PartKind, Role, StopClass

if TYPE_CHECKING:
    from collections.abc import Mapping

_HERE = Path(__file__).parent

Reasoning = Literal["free", "all-or-none", "alike", "owed-with-calls", "untouched", "none"]
"""What may become of settled reasoning; the words are explained in ``profiles.yaml``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFact:
    """One part type: its kind, and whether the provider's own server runs the call."""

    kind: PartKind
    server: bool = False
    whole: bool = False
    """Call and result in one item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """One dialect's section of ``transcripts.yaml``."""

    name: str
    url: str
    read: str
    version: str
    alternates: bool
    user_first: bool
    roles: Mapping[str, Role]
    parts: Mapping[str, PartFact]
    suffixes: Mapping[str, PartFact]
    attributes: tuple[str, ...]
    stops: Mapping[str, StopClass]
    id_optional: frozenset[str]

    def part(self, name: str) -> PartFact | None:
        """What ``name`` is, by its own line or by its family's ending; None for a type nobody has listed."""
        fact = self.parts.get(name)
        if fact is not None:
            return fact
        return next((fact for ending, fact in self.suffixes.items() if name.endswith(ending)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What one provider, or one family of its models, demands of a history that comes back to it."""

    name: str
    title: str
    url: str
    read: str
    version: str
    models: tuple[str, ...]
    dialects: tuple[str, ...] = field(default=())
    reasoning: Reasoning
    edits: Literal["any", "strip-only", "none"]
    coupled: bool
    at_rest: Literal["any", "reduce-only", "none"]
    replays: bool

    @property
    def together(self) -> bool:
        """Whether settled reasoning goes all at once or not at all."""
        return self.coupled or self.reasoning in {"all-or-none", "alike"}


_WORDS: dict[str, PartFact] = {
    "text": PartFact(kind=PartKind.TEXT),
    "reasoning": PartFact(kind=PartKind.REASONING),
    "call": PartFact(kind=PartKind.CALL),
    "result": PartFact(kind=PartKind.RESULT),
    "server-call": PartFact(kind=PartKind.CALL, server=True),
    "server-result": PartFact(kind=PartKind.RESULT, server=True),
    "server-item": PartFact(kind=PartKind.CALL, server=True, whole=True),
    "checkpoint": PartFact(kind=PartKind.CHECKPOINT),
    "control": PartFact(kind=PartKind.CONTROL),
    "refusal": PartFact(kind=PartKind.REFUSAL),
    "media": PartFact(kind=PartKind.MEDIA),
    "opaque": PartFact(kind=PartKind.OPAQUE),
}


@cache
def dialect_facts() -> Mapping[str, Facts]:
    """Every dialect the history code reads, by id."""
    data = _read("transcripts.yaml")
    return {name: _facts(name, data["version"], row) for name, row in data["dialects"].items()}


@cache
def profiles() -> Mapping[str, Profile]:
    """Every provider profile, in the order in which models are matched."""
    data = _read("profiles.yaml")
    return {name: _profile(name, data["version"], row) for name, row in data["profiles"].items()}


def facts_of(dialect: str) -> Facts:
    """The section of ``dialect``.

    Raises:
        UnknownDialect: no section has this name.
    """
    known = dialect_facts()
    if dialect not in known:
        raise UnknownDialect(dialect, known)
    return known[dialect]


def _facts(name: str, version: str, row: dict[str, Any]) -> Facts:
    return Facts(
        name=name,
        url=row["url"],
        read=row["read"],
        version=version,
        alternates=row["alternates"],
        user_first=row["user_first"],
        roles={word: Role(role) for word, role in row["roles"].items()},
        parts={word: _WORDS[kind] for word, kind in row["parts"].items()},
        suffixes={word: _WORDS[kind] for word, kind in row.get("suffixes", {}).items()},
        attributes=tuple(row.get("attributes", ())),
        stops={word: StopClass(stop) for word, stop in row["stops"].items()},
        id_optional=frozenset(row.get("id_optional", ())),
    )


def _profile(name: str, version: str, row: dict[str, Any]) -> Profile:
    given: dict[str, Any] = {**row, "models": tuple(row["models"]), "dialects": tuple(row.get("dialects", ()))}
    return Profile(name=name, version=version, **given)


def _read(name: str) -> dict[str, Any]:
    from ruamel.yaml import YAML

    try:
        reader: Any = YAML(typ="safe", pure=True)
        loaded = reader.load((_HERE / name).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{name} is missing from this installation") from error
    return cast("dict[str, Any]", loaded)
