"""The model of a surface table: shapes and types only.

Whether a row is *right* is decided in Rego; this module knows no rule. Everything is frozen, unknown keys are
refused, and every default is the one that withholds more, except ``derived``, which the design carries.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal, Self

import orjson
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    PrivateAttr,
    model_validator,
)

from reticent.surfaces.document import Positions

Verdict = Literal["pass", "strip"]
Lifetime = Literal["request", "task", "durable"]
ContentClass = Literal["text", "summary", "opaque", "derived"]
ReasoningClass = Literal["text", "summary", "opaque"]

PUBLIC_KEY_BYTES = 32

Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_.-]*$", max_length=100)]
Count = Annotated[int, Field(gt=0, le=2**53)]
Sentence = Annotated[str, Field(pattern=r"\S")]


def _decoded(value: str) -> str:
    """Let only 32 bytes in base64 through, after the name of the algorithm."""
    scheme, _, text = value.partition(":")
    try:
        fits = scheme == "ed25519" and len(base64.b64decode(text, validate=True)) == PUBLIC_KEY_BYTES
    except ValueError:
        fits = False
    if not fits:
        msg = "write a public key as `reticent verify --new-key` prints it: ed25519: and 32 bytes in base64"
        raise ValueError(msg)
    return value


def _plain_date(value: object) -> object:
    """Let only the spelling through in which dates can be compared as text."""
    if isinstance(value, str) and len(value) != len("2026-11-29"):
        msg = "write the date as year-month-day"
        raise ValueError(msg)
    return value


def _as_type(value: object) -> object:
    """A bare string in the vocabulary names a block type."""
    return {"type": value} if isinstance(value, str) else value


PlainDate = Annotated[date, BeforeValidator(_plain_date, json_schema_input_type=date)]


Age = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,5}[smhd]$")]
PublicKey = Annotated[str, AfterValidator(_decoded)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=False, hide_input_in_errors=True)


class Place(_Frozen):
    """Something that content can reach and that is not one of our surfaces."""

    kind: Literal["person", "system", "store"] = Field(
        description="What it is: someone who reads, a machine, or something kept."
    )
    producer: bool = Field(
        default=False,
        strict=True,
        description="True for the one system that issued the reasoning: provider, account, region, model family.",
    )
    lifetime: Lifetime | None = Field(
        default=None, description="How long a store keeps what it gets. Stores must say it."
    )


class Holding(_Frozen):
    """Where the content of a surface rests, and for how long."""

    kind: Literal["memory", "store"] = Field(description="For the reader only; the medium never changes a verdict.")
    lifetime: Lifetime = Field(description="`request` and `task` end with the work or before it, `durable` does not.")


class WantedEvidence(_Frozen):
    """What has to show that a condition holds, and how long it counts."""

    probe: Name = Field(description="The probe that looks: one that ships (docs/evidence.md) or one of your own.")
    settings: Mapping[str, JsonValue] = Field(
        default_factory=dict[str, JsonValue],
        description="What the probe is told. `${NAME}` in a text is read from the environment when it looks.",
    )
    max_age: Age = Field(description="How long a look counts: a whole number and `s`, `m`, `h` or `d`, such as `24h`.")


class Condition(_Frozen):
    """A claim that cuts arrows of its row, or bounds how long the surface keeps its own copy."""

    cuts: tuple[Name, ...] = Field(
        default=(),
        description="Arrows of this row, by where they lead, that content cannot take while the condition holds.",
    )
    bounds: Literal["request", "task"] | None = Field(
        default=None,
        description="The lifetime the surface's own copy is bound to. Copies that have flowed on are not bound by it.",
    )
    evidence: WantedEvidence | None = Field(
        default=None,
        description="What has to show that it holds. While it is not shown, it does not hold; left out, it is a claim.",
    )


class Limits(_Frozen):
    """How much a serializer of this surface reads before it refuses."""

    max_bytes: Count | None = Field(default=None, description="The longest payload, in bytes.")
    max_depth: Count | None = Field(default=None, description="The deepest nesting.")


class Surface(_Frozen):
    """One row: a destination, the facts about it, and the verdict its owner signs."""

    verdict: Verdict = Field(description="What the owner signs. The proof must come to the same answer.")
    holds: Holding = Field(description="Where content rests here, and how long.")
    flows: tuple[Name, ...] = Field(
        description="Surfaces and places that content gets to from here. Empty when there are none."
    )
    conditions: Mapping[Name, Condition] = Field(
        default_factory=dict[str, Condition], description="What keeps content from taking an arrow, or from staying."
    )
    owner: Sentence = Field(description="Who answers for the row.")
    why: Sentence = Field(description="What a reviewer should know, in a sentence or two.")
    derived: Verdict = Field(
        default="pass",
        description="Whether text that a model wrote from reasoning, such as a compaction block, is carried.",
    )
    on_strip: Literal["drop", "mark"] = Field(
        default="drop",
        description="What becomes of blocks that are withheld, and of a message that is left with nothing: gone, or a "
        "mark with type, count and length in their place.",
    )
    unknown_types: Literal["withhold", "suspect", "carry"] = Field(
        default="withhold",
        description="A block type nobody knows is withheld, withheld if its name looks like reasoning, or carried.",
    )
    limits: Limits = Field(default_factory=Limits, description="Size and depth limits of this surface.")


class SignedException(_Frozen):
    """A signed "yes" against the answer, for named classes of content, until a day."""

    surface: Name = Field(description="The surface it is for.")
    classes: Annotated[tuple[ContentClass, ...], Field(min_length=1)] = Field(description="The classes that may pass.")
    reason: Sentence = Field(description="Why.")
    owner: Sentence = Field(description="Who signed.")
    expires: PlainDate = Field(description="The first day on which it no longer counts.")


class Signer(_Frozen):
    """Somebody whose signature under evidence counts."""

    key: PublicKey = Field(description="Their Ed25519 public key: `ed25519:` and 32 bytes in base64.")
    owner: Sentence = Field(description="Who holds the private key.")


class BlockName(_Frozen):
    """A block type or a field of the team's own."""

    type: str | None = Field(default=None, min_length=1, description="The value of a block's `type`.")
    key: str | None = Field(default=None, min_length=1, description="The name of a field.")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.type is None) == (self.key is None):
            msg = "write either `type` or `key`"
            raise ValueError(msg)
        return self


class ReasoningName(BlockName):
    """A block type or field that is reasoning, and of which class."""

    model_config = ConfigDict(populate_by_name=True)
    reasoning_class: ReasoningClass = Field(
        default="text", alias="class", description="The class of content it belongs to."
    )


class Vocabulary(_Frozen):
    """The team's own block types and fields, so that they need no code."""

    reasoning: tuple[
        Annotated[ReasoningName, BeforeValidator(_as_type, json_schema_input_type=str | ReasoningName)], ...
    ] = Field(default=(), description="Withheld where reasoning is withheld.")
    visible: tuple[Annotated[BlockName, BeforeValidator(_as_type, json_schema_input_type=str | BlockName)], ...] = (
        Field(default=(), description="Never taken for reasoning or for unknown.")
    )


class SurfaceTable(_Frozen):
    """The whole table, as read; :meth:`document` is what an engine sees of it."""

    version: Literal[1] = Field(description="The version of this format.")
    places: Mapping[Name, Place] = Field(description="Everything content can reach that is not a surface.")
    surfaces: Mapping[Name, Surface] = Field(description="One row for each destination.")
    flows: Mapping[Name, tuple[Name, ...]] = Field(
        default_factory=dict[str, tuple[str, ...]], description="Where content goes on from a place."
    )
    exceptions: tuple[SignedException, ...] = Field(default=(), description="Signed exceptions.")
    signers: Annotated[Mapping[Name, Signer], Field(min_length=1)] | None = Field(
        default=None, description="Whose signatures under evidence count. Needed when a condition asks for evidence."
    )
    vocabulary: Vocabulary = Field(default_factory=Vocabulary, description="Block types and fields of your own.")

    _positions: Positions = PrivateAttr(default_factory=Positions)

    def document(self, today: date, evidence: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The table as plain JSON values with ``today`` beside it: the whole input of an engine.

        ``evidence`` is what ``reticent.evidence.facts`` makes of evidence files; it is left out for a table that asks
        for none, whose answer then depends on nothing but the day.
        """
        asked = {"evidence": dict(evidence)} if evidence is not None and self.asks_for_evidence else {}
        return {**self._facts(), "today": today.isoformat(), **asked}

    @property
    def asks_for_evidence(self) -> bool:
        """Whether a condition of this table has to be shown to hold."""
        return any(claim.evidence for row in self.surfaces.values() for claim in row.conditions.values())

    def taken_as_said(self) -> Self:
        """The same table with every condition taken at its word, as if none asked for evidence.

        For reviews and tests of what the table says; never for a plan that serves.
        """
        facts = self._facts()
        for row in facts["surfaces"].values():
            for claim in row.get("conditions", {}).values():
                claim.pop("evidence", None)
        return type(self).model_validate(facts).read_at(self._positions)

    @property
    def digest(self) -> str:
        """``sha256:`` and the hash of what the table says; layout and comments do not change it."""
        facts = orjson.dumps(self._facts(), option=orjson.OPT_SORT_KEYS)
        return f"sha256:{hashlib.sha256(facts).hexdigest()}"

    def read_at(self, positions: Positions) -> Self:
        """This table, remembering where each key stood in its file."""
        self._positions = positions
        return self

    @property
    def positions(self) -> Positions:
        """Where each key stood in the file the table was read from; empty for one made in Python."""
        return self._positions

    def _facts(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)
