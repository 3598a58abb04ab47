"""Every vector, through every entry that can take it: bytes, values, text, streams cut at every size."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import orjson
import pytest

import reticent
from reticent.conformance import Vector, load_vectors
from reticent.conformance.judge import contains, haystack, judge
from reticent.conformance.run import own_filter

FOLDER = Path(__file__).parent
VECTORS = load_vectors(FOLDER)
STRIPPED = [vector for vector in VECTORS if vector.surface_class == "strip"]
WHOLE = [vector for vector in STRIPPED if vector.form in ("message", "history") and vector.wire == "json"]
STREAMED = [vector for vector in STRIPPED if vector not in WHOLE and vector.form != "log"]

# A plan is frozen, so one serves every vector: reading it anew for each costs more than the vectors themselves.
PLAN = reticent.load_plan()
own = cache(own_filter)


def _named(vectors: list[Vector] | tuple[Vector, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", vectors, ids=lambda vector: vector.id)


@_named(VECTORS)
def test_output_keeps_to_the_vector(vector: Vector) -> None:
    """Canaries are gone in every spelling and everything else is there."""
    assert judge(vector, own()(vector)) == []


@_named(STREAMED)
@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_streams_do_not_depend_on_the_cuts(vector: Vector, size: int) -> None:
    """A stream cut into small pieces gives the bytes that it gives in one piece."""
    assert own(chunk=size)(vector) == own()(vector)


@_named(STRIPPED)
def test_stripping_twice_changes_nothing(vector: Vector) -> None:
    """What was stripped holds nothing more to strip."""
    once = own()(vector)
    if vector.wire == "aws-eventstream" or vector.form in ("text", "stream", "log"):
        stream = PLAN.stream("logs", wire=vector.wire if vector.form != "log" else "log")
        assert stream.feed(once) + stream.flush() == once
    else:
        assert own()(replace(vector, input=once.decode())) == once


@_named(WHOLE)
def test_values_and_bytes_agree(vector: Vector) -> None:
    """Stripping parsed values gives what stripping their bytes gives, and the caller's value is not touched."""
    serializer = PLAN.serializer("logs")
    value = json.loads(vector.payload)
    before = json.dumps(value)
    assert serializer.value(value) == json.loads(serializer(vector.payload))
    assert json.dumps(value) == before


@_named(WHOLE)
def test_spelling_does_not_matter(vector: Vector) -> None:
    """Spaces, line breaks and escapes in the body do not let anything through."""
    serializer = PLAN.serializer("logs")
    value = json.loads(vector.payload)
    for spelled in (json.dumps(value), json.dumps(value, indent=2), json.dumps(value, ensure_ascii=False)):
        out = serializer(spelled.encode())
        stack = haystack(out, "json")
        assert not any(contains(stack, canary) for canary in vector.absent)
        assert json.loads(out) == json.loads(serializer(vector.payload))


@_named(VECTORS)
def test_pass_is_identity(vector: Vector) -> None:
    """On a pass surface the very same object comes back."""
    payload = vector.payload
    assert PLAN.serializer("request_memory")(payload) is payload


def test_vectors_keep_to_the_schema() -> None:
    """Every vector file is of the published format, with ids that occur once."""
    jsonschema = pytest.importorskip("jsonschema")
    schema = orjson.loads((FOLDER / "schema" / "vector.json").read_bytes())
    for file in sorted(FOLDER.glob("*/*.json")):
        if file.parent.name not in ("schema", "history"):
            jsonschema.validate(orjson.loads(file.read_bytes()), schema)
    ids = [vector.id for vector in VECTORS]
    assert len(ids) == len(set(ids))


def test_most_vectors_hold_reasoning() -> None:
    """More vectors must lose something than must not."""
    assert sum(bool(vector.absent) for vector in VECTORS) > len(VECTORS) / 2
