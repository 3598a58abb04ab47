"""What one filter request asks for: its framing, its dialect, and how it tightens what the table says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl

from reticent.compiler import CLASSES
from reticent.serializers import WIRES, build_serializer, build_stream, is_foreign
from reticent_service.problems import BadRequest

if TYPE_CHECKING:
    from reticent.compiler import Decision, Plan
    from reticent.serializers import Serializer, StreamSerializer

DOCUMENT: Final = "json"

WIRE_OF: Final[Mapping[str, str]] = MappingProxyType(
    {
        "": DOCUMENT,
        "application/json": DOCUMENT,
        "application/x-ndjson": "jsonl",
        "application/ndjson": "jsonl",
        "application/jsonl": "jsonl",
        "text/event-stream": "sse",
        "text/plain": "auto",
        "application/vnd.amazon.eventstream": "aws-eventstream",
    }
)
"""The framing that each media type stands for; ``wire=`` in the query says it more exactly."""

PARAMETERS: Final = ("wire", "dialect", "starts_inside", "strip", "unknown_types", "producer", "to")
_TRUE: Final = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, read; ``wire`` is ``json`` for one document, else the framing of a stream."""

    wire: str
    dialect: str | None
    starts_inside: bool
    strip: frozenset[str]
    withhold_unknown: bool
    producer: str | None
    to: str | None

    @property
    def streams(self) -> bool:
        """Whether the body is answered while it arrives."""
        return self.wire != DOCUMENT

    def tightened(self, decision: Decision) -> Decision:
        """The table's answer with more withheld; there is no way to ask for less."""
        if not self.strip and not self.withhold_unknown:
            return decision
        classes = {name: "strip" if name in self.strip else told for name, told in decision.classes.items()}
        return replace(
            decision,
            classes=MappingProxyType(classes),
            verdict="strip" if self.strip else decision.verdict,
            unknown_types="withhold" if self.withhold_unknown else decision.unknown_types,
        )

    def serializer(self, plan: Plan, decision: Decision) -> Serializer:
        """The function for one document.

        Raises:
            ConfigurationError: there is no such dialect or producer.
        """
        return build_serializer(
            plan, self.tightened(decision), dialect=self.dialect, producer=self.producer, to=self.to
        )

    def stream(self, plan: Plan, decision: Decision) -> StreamSerializer:
        """A filter for one stream.

        Raises:
            ConfigurationError: there is no such dialect or producer.
        """
        return build_stream(
            plan,
            self.tightened(decision),
            wire=self.wire,
            dialect=self.dialect,
            starts_inside=self.starts_inside,
            foreign=is_foreign(self.producer, self.to),
        )


def read_asked(query: bytes, content_type: bytes) -> Asked:
    """Read the query and the media type of a request.

    Raises:
        BadRequest: an unknown parameter, word or media type.
    """
    told = _parameters(query)
    return Asked(
        wire=_wire(told.get("wire"), content_type),
        dialect=told.get("dialect"),
        starts_inside=_boolean(told.get("starts_inside", "false")),
        strip=frozenset(_classes(told["strip"])) if "strip" in told else frozenset(),
        withhold_unknown=_withhold(told.get("unknown_types")),
        producer=told.get("producer"),
        to=told.get("to"),
    )


def _parameters(query: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(query.decode("ascii"), keep_blank_values=True, strict_parsing=bool(query), max_num_fields=16)
    except ValueError:
        raise _wrong("the query cannot be read") from None
    told: dict[str, str] = {}
    for name, value in pairs:
        if name not in PARAMETERS or name in told:
            raise _wrong(f"a parameter that does not exist or stands twice; there are {', '.join(PARAMETERS)}")
        told[name] = value
    return told


def _wire(told: str | None, content_type: bytes) -> str:
    if told is not None:
        if told not in WIRES:
            raise _wrong(f"wire is one of {', '.join(WIRES)}")
        return told
    media_type = content_type.partition(b";")[0].strip().lower().decode("latin-1")
    wire = WIRE_OF.get(media_type) or (DOCUMENT if media_type.endswith("+json") else None)
    if wire is None:
        known = ", ".join(name for name in WIRE_OF if name)
        raise BadRequest(
            "unsupported-media-type", HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"content-type is one of {known}, or say wire="
        )
    return wire


def _classes(told: str) -> list[str]:
    names = told.split(",")
    if not set(names) <= set(CLASSES):
        raise _wrong(f"strip is a list of {', '.join(CLASSES)}")
    return names


def _withhold(told: str | None) -> bool:
    if told not in {None, "withhold"}:
        raise _wrong("unknown_types can only be asked for as withhold: a request can only tighten the table")
    return told is not None


def _boolean(told: str) -> bool:
    try:
        return _TRUE[told.lower()]
    except KeyError:
        raise _wrong("starts_inside is true or false") from None


def _wrong(detail: str) -> BadRequest:
    return BadRequest("invalid-request", HTTPStatus.BAD_REQUEST, detail)
