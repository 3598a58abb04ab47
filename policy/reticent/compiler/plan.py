"""A compiled table: frozen, with a digest, and an answer for every surface and class of content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from time import time
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from reticent.compiler.decision import ALWAYS, CLASSES, READERS, Condition, Decision, Lapse
from reticent.errors import UnknownSurface

if TYPE_CHECKING:
    from pathlib import Path

    from reticent.serializers import Producer, Serializer, StreamSerializer

PLAN_VERSION = 2
"""The version of the plan file that this release writes."""


@dataclass(frozen=True, slots=True)
class VocabularyName:
    """A name of the team's own: the value of a block's ``type``, or the name of a field (``key``)."""

    kind: Literal["type", "key"]
    name: str
    reasoning_class: Literal["text", "summary", "opaque"] | None = None


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the table adds to the known names: ``reasoning`` is withheld where reasoning is, ``visible`` never."""

    reasoning: tuple[VocabularyName, ...] = ()
    visible: tuple[VocabularyName, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """Every answer of one table, decided by one policy.

    ``digest`` names what was decided, ``table_digest`` and ``policy_digest`` what it was decided from. Two engines
    that agree give plans with one digest. ``table`` holds the facts as plain JSON values; ``valid_until`` is the day
    on which the first exception ends, ``closes_at`` the moment at which the first evidence is too old. From then on the
    plan itself says strip where the rules said it would, and must be loaded again for anything else.

    ``evidence`` is what the rules were told of it, None when the table asks for none; ``moment`` is when they were
    told, in seconds since 1970.
    """

    plan_version: int
    digest: str
    table_digest: str
    policy_digest: str
    engine: str
    compiled: date
    table: Mapping[str, Any]
    decisions: Mapping[str, Decision]
    vocabulary: Vocabulary
    evidence: Mapping[str, Any] | None = None
    moment: int | None = None

    @property
    def surfaces(self) -> tuple[str, ...]:
        """The names of all surfaces, in the table's order."""
        return tuple(self.decisions)

    @property
    def valid_until(self) -> date | None:
        """The day on which an answer changes because an exception ends; None when none will."""
        return min((lapse.starts for lapse in self._lapses() if lapse.starts != ALWAYS), default=None)

    @property
    def closes_at(self) -> int | None:
        """The moment, in seconds since 1970, at which an answer changes because evidence is too old; None for never."""
        return min((lapse.moment for lapse in self._lapses() if lapse.moment), default=None)

    @property
    def lost(self) -> tuple[Condition, ...]:
        """Every condition that asks for evidence and is not shown to hold, by surface and name."""
        return tuple(
            condition
            for name, decision in self.decisions.items()
            for condition in decision.conditions
            if condition.surface == name and condition.lost
        )

    def decision(self, name: str) -> Decision:
        """The answer for one surface.

        Raises:
            UnknownSurface: the plan has no such surface; the error suggests the nearest name.
        """
        try:
            return self.decisions[name]
        except KeyError:
            raise UnknownSurface(name, self.decisions) from None

    def as_of(self, day: date, moment: float | None = None) -> Plan:
        """This plan as it stands on ``day`` at ``moment``: what was allowed until then is strip again.

        ``moment`` is in seconds since 1970 and defaults to now. The digest stays.
        """
        now = time() if moment is None else moment
        decisions = {name: told.as_of(day, now) for name, told in self.decisions.items()}
        if all(told is self.decisions[name] for name, told in decisions.items()):
            return self
        return replace(self, decisions=MappingProxyType(decisions))

    def _lapses(self) -> Iterator[Lapse]:
        return (lapse for decision in self.decisions.values() for lapse in decision.lapses)

    def serializer(
        self,
        name: str,
        *,
        dialect: str | None = None,
        producer: str | Producer | None = None,
        to: str | Producer | None = None,
    ) -> Serializer:
        """What turns payloads into what surface ``name`` may have.

        ``to`` names the producer that a body goes to (``anthropic``, ``bedrock/eu-west-1/anthropic/claude-sonnet-4``):
        what it issued passes byte for byte, what another did goes, also inside one history. ``producer`` is who issued
        what says nothing better about itself; without it such blocks go. Both can only tighten what the row says.

        Raises:
            UnknownSurface: the plan has no such surface.
            UnknownDialect: there is no such dialect.
            ConfigurationError: ``producer`` or ``to`` names no producer.
        """
        from reticent.serializers import build_serializer

        return build_serializer(self, self.decision(name), dialect=dialect, producer=producer, to=to)

    def stream(
        self,
        name: str,
        *,
        wire: str = "auto",
        dialect: str | None = None,
        starts_inside: bool = False,
        producer: str | Producer | None = None,
        to: str | Producer | None = None,
    ) -> StreamSerializer:
        """A filter for one stream to surface ``name``: bytes in, bytes out, or events in, events out.

        ``to`` names the producer that the stream goes to and ``producer`` the one that it comes from; where the two
        are not one system, or nobody says who it comes from, reasoning goes.

        Raises:
            UnknownSurface: the plan has no such surface.
            UnknownDialect: there is no such dialect.
            UnknownWire: there is no such framing.
            ConfigurationError: ``producer`` or ``to`` names no producer.
        """
        from reticent.serializers import build_stream, is_foreign

        return build_stream(
            self,
            self.decision(name),
            wire=wire,
            dialect=dialect,
            starts_inside=starts_inside,
            foreign=is_foreign(producer, to),
        )

    def kind_of(self, node: str) -> str:
        """What ``node`` is: ``surface``, ``person``, ``system``, ``producer``, ``store`` or ``unknown``."""
        if node in self.table["surfaces"]:
            return "surface"
        place = self.table["places"].get(node, {})
        return "producer" if place.get("producer") else place.get("kind", "unknown")

    def describe(self, path: tuple[str, ...], kind: str) -> str:
        """``path`` in one line, with what stands at its end: ``logs → log_aggregator → on_call (person)``."""
        return f"{' → '.join(path)} ({READERS[kind]})"

    def to_json(self) -> bytes:
        """The plan as a file that other languages can read; see ``reticent.compiler.plan_file``."""
        from reticent.compiler.plan_file import to_json

        return to_json(self)

    @staticmethod
    def from_json(content: bytes | str | Path, *, today: date | None = None, now: float | None = None) -> Plan:
        """A plan from its file, as it stands ``today`` and ``now`` (seconds since 1970).

        Raises:
            PlanError: another version, another digest, a hole, or a word nobody knows.
        """
        from reticent.compiler.plan_file import from_json

        return from_json(content, today=today, now=now)


def vocabulary_from(table: Mapping[str, Any]) -> Vocabulary:
    """The vocabulary of a table given as plain values."""
    told = table.get("vocabulary", {})
    return Vocabulary(
        reasoning=tuple(_entry(item) for item in told.get("reasoning", ())),
        visible=tuple(_entry(item) for item in told.get("visible", ())),
    )


def _entry(item: Mapping[str, Any]) -> VocabularyName:
    kind: Literal["type", "key"] = "type" if "type" in item else "key"
    return VocabularyName(kind, item[kind], item.get("class"))


__all__ = ["CLASSES", "PLAN_VERSION", "Decision", "Plan", "Vocabulary", "VocabularyName", "vocabulary_from"]
