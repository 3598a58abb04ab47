"""The laws of a strip surface, over generated payloads."""

from __future__ import annotations

import copy
import json
from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

import reticent
from reticent.edits import DROP, Cut, Insert, Put, apply
from reticent.serializers import jsonbytes
from reticent.testing import json_values, leaks, payloads

SECRET = "CANARY-property-5a1f"
PLAN = reticent.load_plan()
LOGS = PLAN.serializer("logs")
MEMORY = PLAN.serializer("request_memory")


@given(payloads(SECRET))
def test_no_canary_leaves(payload: Any) -> None:
    """Whatever stands around it, reasoning is in no spelling of the output and in no error."""
    assert leaks(LOGS(payload), SECRET) == []
    assert leaks(json.dumps(LOGS.value(payload)), SECRET) == []
    assert leaks(LOGS.text(json.dumps(payload)), SECRET) == []
    assert SECRET not in repr(LOGS.report.to_dict())


@given(payloads(SECRET))
def test_strip_is_idempotent(payload: Any) -> None:
    """What was stripped holds nothing more to strip, and the same bytes object says so."""
    once = LOGS(payload)
    assert LOGS(once) is once


@given(payloads(SECRET))
def test_the_input_is_never_changed(payload: Any) -> None:
    """The caller's value is as it was, whatever was taken out of the copy."""
    before = copy.deepcopy(payload)
    LOGS.value(payload)
    LOGS(payload)
    assert payload == before


@given(payloads(SECRET), st.sampled_from([None, 2]), st.booleans())
def test_bytes_and_values_agree(payload: Any, indent: int | None, ascii_only: bool) -> None:
    """Stripping a body gives what stripping its values gives, however the body is spelt."""
    body = json.dumps(payload, indent=indent, ensure_ascii=ascii_only).encode()
    assert orjson.loads(LOGS(body)) == LOGS.value(orjson.loads(body))


@given(json_values())
def test_nothing_to_strip_is_the_same_object(value: Any) -> None:
    """A body without reasoning comes back as the very same bytes, a value as the very same object."""
    body = json.dumps(value).encode()
    assert LOGS(body) is body
    assert LOGS.value(value) is value


@given(payloads(SECRET))
def test_pass_is_identity(payload: Any) -> None:
    """A pass surface returns the very same object and the very same bytes."""
    body = json.dumps(payload).encode()
    assert MEMORY(body) is body
    assert MEMORY.value(payload) is payload


@given(payloads(SECRET), st.data())
def test_streamed_lines_equal_whole_ones(payload: Any, data: st.DataObject) -> None:
    """A JSON line gives the same bytes cut anywhere as it gives whole."""
    body = orjson.dumps(payload) + b"\n"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=6)))
    stream = PLAN.stream("logs", wire="jsonl")
    pieces = [stream.feed(body[start:end]) for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    whole = PLAN.stream("logs", wire="jsonl")
    assert b"".join([*pieces, stream.flush()]) == whole.feed(body) + whole.flush()


@given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_garbage_is_refused_or_filtered(data: bytes) -> None:
    """Any bytes give an answer or the typed refusal, and nothing else."""
    refusals: list[reticent.EgressRefused] = []
    try:
        orjson.loads(LOGS(data))
    except reticent.EgressRefused as error:
        refusals.append(error)
    assert all(refusal.__cause__ is None for refusal in refusals)


def _edits(value: Any, data: st.DataObject) -> Any:
    """Some edit of ``value``, of any kind that fits it."""
    if isinstance(value, dict) and value and data.draw(st.booleans()):
        keys = data.draw(st.lists(st.sampled_from(sorted(value)), min_size=1, unique=True))
        return {key: _edits(value[key], data) for key in keys}
    if isinstance(value, list) and value and data.draw(st.booleans()):
        places = data.draw(st.lists(st.integers(0, len(value) - 1), min_size=1, unique=True))
        return {at: _element(_edits(value[at], data), data) for at in places}
    if isinstance(value, str) and len(value) > 1 and data.draw(st.booleans()):
        start = data.draw(st.integers(0, len(value) - 1))
        return Cut(
            ((start, data.draw(st.integers(start + 1, len(value))), data.draw(st.sampled_from(["", 'new "é"']))),)
        )
    return data.draw(st.sampled_from([DROP, Put(7), Put({"k": ["é"]})]))


def _element(edit: Any, data: st.DataObject) -> Any:
    if data.draw(st.integers(0, 3)):
        return edit
    return Insert(data.draw(st.sampled_from([(), (1,), ({"n": 1}, 2)])), edit, data.draw(st.sampled_from([(), ("x",)])))


@given(json_values(), st.data(), st.sampled_from([None, 2]), st.booleans())
def test_both_appliers_carry_out_the_same_edits(
    value: Any, data: st.DataObject, indent: int | None, ascii_only: bool
) -> None:
    """Edits applied to bytes and to values give the same JSON, for every kind of edit and spelling."""
    edit = _edits(value, data)
    body = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode()
    assert orjson.loads(jsonbytes.splice(body, edit)) == apply(value, edit)
