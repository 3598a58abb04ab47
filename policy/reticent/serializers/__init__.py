"""From a decision to bytes: what a plan hands out for one surface.

``program`` compiles a decision and the vocabulary into tables, ``walk`` finds what is to go, ``reticent.edits`` says
what that is, ``cutting`` carries it out, ``serializer`` and ``stream`` are what callers hold.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from reticent.dialects import Kinds, all_dialects, get_dialect
from reticent.dialects._rules import BlockRule, MemberRule
from reticent.serializers.ageing import AgeingSerializer, Clock, EndingStream, as_of_now
from reticent.serializers.producers import Producer
from reticent.serializers.program import MAX_BYTES, MAX_DEPTH, Options, Program, compile_program
from reticent.serializers.report import Removal, Report
from reticent.serializers.roundtrip import RoundTripSerializer
from reticent.serializers.serializer import PassSerializer, Serializer, StripSerializer
from reticent.serializers.stream import WIRES, PassStream, StreamSerializer, StripStream

if TYPE_CHECKING:
    from reticent.compiler.decision import Decision
    from reticent.compiler.plan import Plan, Vocabulary, VocabularyName
    from reticent.serializers.program import UnknownTypes

__all__ = [
    "WIRES",
    "Producer",
    "Removal",
    "Report",
    "Serializer",
    "StreamSerializer",
    "build_serializer",
    "build_stream",
    "is_foreign",
    "options_at_rest",
    "program_of",
]

_REASONING = frozenset({"text", "summary", "opaque"})
_EVERYWHERE = ("content", "parts", "output")


def build_serializer(
    plan: Plan,
    decision: Decision,
    *,
    dialect: str | None = None,
    producer: str | Producer | None = None,
    to: str | Producer | None = None,
) -> Serializer:
    """The function of one surface; see ``Plan.serializer``."""
    if dialect is not None:
        get_dialect(dialect)
    issued, going = _producer(producer), _producer(to)

    def built(answer: Decision) -> Serializer:
        row = _row(plan, answer, dialect)
        if going is None:
            return row
        options = _options(answer, foreign=True, dialect=dialect)
        return RoundTripSerializer(_program(options, plan.vocabulary), going, issued, row)

    return built(decision) if decision.changes_at is None else AgeingSerializer(decision, built)


def _row(plan: Plan, decision: Decision, dialect: str | None) -> Serializer:
    """What the row says, whoever the producer is."""
    options = _options(decision, foreign=False, dialect=dialect)
    if not options.withhold:
        return PassSerializer(decision.surface)
    return StripSerializer(decision.surface, _program(options, plan.vocabulary))


def build_stream(
    plan: Plan,
    decision: Decision,
    *,
    wire: str,
    dialect: str | None,
    starts_inside: bool,
    foreign: bool = False,
) -> StreamSerializer:
    """The filter of one stream; see ``Plan.stream``. A ``foreign`` one goes to a system that did not produce it."""
    if dialect is not None:
        get_dialect(dialect)
    answer = as_of_now(decision, Clock().now())
    options = _options(answer, foreign=foreign, dialect=dialect)
    made: StreamSerializer = (
        StripStream(decision.surface, _program(options, plan.vocabulary), wire=wire, starts_inside=starts_inside)
        if options.withhold
        else PassStream(decision.surface)
    )
    return made if answer.changes_at is None else EndingStream(made, answer.changes_at)


def options_at_rest(decision: Decision, *, unknown_types: UnknownTypes) -> Options:
    """What a surface withholds, for a look through what rests on it already.

    ``unknown_types`` stands in for the row's own answer: what nobody listed is withheld on its way to a surface, but
    a store full of one's own types is not a store full of reasoning.
    """
    return replace(_options(decision, foreign=False, dialect=None), unknown_types=unknown_types)


def program_of(options: Options, vocabulary: Vocabulary) -> Program:
    """The tables for ``options``; both are plain values, so that another process can make them again."""
    return _program(options, vocabulary)


def _producer(named: str | Producer | None) -> Producer | None:
    return Producer.parse(named) if isinstance(named, str) else named


def is_foreign(producer: str | Producer | None, to: str | Producer | None) -> bool:
    """Whether a stream of ``producer`` goes to a system that is not known to have produced it.

    Raises:
        ConfigurationError: one of them names no producer.
    """
    issued, going = _producer(producer), _producer(to)
    return going is not None and (issued is None or not issued.same_as(going))


def _options(decision: Decision, *, foreign: bool, dialect: str | None) -> Options:
    classes = {name for name, verdict in decision.classes.items() if verdict == "strip"}
    return Options(
        withhold=frozenset(classes | _REASONING | {"derived"} if foreign else classes),
        on_strip=decision.on_strip,
        unknown_types="withhold" if foreign else decision.unknown_types,
        max_depth=_limit(decision, "max_depth", MAX_DEPTH),
        max_bytes=_limit(decision, "max_bytes", MAX_BYTES),
        dialect=dialect,
    )


def _limit(decision: Decision, name: str, default: int) -> int:
    told = getattr(decision.limits, name)
    return default if told is None else int(told)


@lru_cache(maxsize=64)
def _program(options: Options, vocabulary: Vocabulary) -> Program:
    return compile_program(all_dialects(), options, extra=(_own_words(vocabulary),))


def _own_words(vocabulary: Vocabulary) -> Kinds:
    """The section of the vocabulary that the table itself writes."""
    return Kinds(
        dialect="table",
        title="the table's own vocabulary",
        url="",
        read="",
        status="stable",
        blocks=tuple(_block(entry) for entry in vocabulary.reasoning if entry.kind == "type"),
        members=tuple(_member(entry) for entry in vocabulary.reasoning if entry.kind == "key"),
        lifts={},
        visible={at: frozenset(entry.name for entry in vocabulary.visible) for at in _EVERYWHERE},
        opens=(),
        untyped=tuple(entry.name for entry in vocabulary.visible if entry.kind == "key"),
        data={},
    )


def _block(entry: VocabularyName) -> BlockRule:
    return BlockRule(f"table/{entry.name}", "type", entry.name, entry.reasoning_class or "text")


def _member(entry: VocabularyName) -> MemberRule:
    kinds: Any = frozenset({"string", "list", "object"})
    return MemberRule(f"table/{entry.name}", entry.name, entry.reasoning_class or "text", kinds)
