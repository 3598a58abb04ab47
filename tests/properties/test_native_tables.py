"""The native pass by itself, with tables of a few made-up signs: what is JSON, and what each sign does."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.properties.signs import spellings

from reticent.testing import json_values

reticent_native = pytest.importorskip("reticent_native", reason="the native pass is not installed: make native")

PLAIN = {
    **dict.fromkeys(("open", "openings"), ()),
    "words": ("Some_words", "otherWord"),
    **dict.fromkeys(("untyped", "hooked", "rooted"), frozenset()),
    "signs": ['"sign":', '"kind":"bad"', '"kind":"ba_', '"list":[', '"flag":true', '"start', "a_word"],
    "known": {"content": frozenset({"text"})},
    "lone": [],
    "opener": "Here",
    "hint": "<tag>",
    "markers": ["zzzz"],
    "caseless": "\u0130",
    "depth": 60,
}


@given(st.binary(max_size=12).map(lambda raw: b'{"a":' + raw + b"}"))
@settings(max_examples=300)
@example(b'{"a":1e400}')
@example(b'{"a":"\\ud800"}')
@example(b'{"a":1,"a":2}')
@example(b'{"a":01}')
@example(b'{"a":-}')
@example(b'{"a":[1,]}')
@example(b'{"a":"\t"}')
@example(b'{"a":"\xff"}')
@example(b'{"a":1}}')
@example(b'{"a":nul}')
def test_only_json_is_settled(data: bytes) -> None:
    """Whatever the pass calls clean, the parser takes, and no member of it comes twice."""
    if reticent_native.Settler(PLAIN).settle(data) is not None:
        value = orjson.loads(data)
        assert len(value) == data.count(b'"a":') or b'"a":' in data[2:]


@given(json_values(), st.sampled_from(["a", "type", "\u00e9"]))
@settings(max_examples=50)
def test_plain_json_is_settled(value: Any, key: str) -> None:
    """JSON that nothing can be said against comes back as the same object, in any spelling."""
    settler = reticent_native.Settler(PLAIN)
    for data in spellings({key: [value, -1.5e-7, None, True]}):
        told = settler.settle(data)
        assert told is None or told is data
    numbers = b'{"a": [1, -0.5e+3, "x\\n\\u00e9\\ud83e\\udd14", null, true, false, {}, []],'
    data = numbers + b' "b": {"c": "{\\"d\\": [1, \\"eeee eeee\\"]}  "}}'
    assert settler.settle(data) is data


@pytest.mark.parametrize(
    "data",
    [
        b'{"sign":1}',
        b'{"kind":"bad"}',
        b'{"kind":"ba_1"}',
        b'{"k\\u0069nd":"x"}',
        b'{"kind":"b\\u0061d"}',
        b'{"list":[]}',
        b'{"flag":true}',
        b'{"starting":1}',
        b'{"x":"is a_word there"}',
        b'{"x":"is Some_words: there"}',
        b'{"x":"is an otherWord there"}',
        b'{"x":"is a <TAG> there"}',
        b'{"x":"(a ZzZz)"}',
        '{"x":"(\u0130 ......)"}'.encode(),
        b'{"x":"\\u0028a zzzz"}',
        b'{"x":"  Here I am"}',
        b'{"x":"{\\"aaaaaaaaaaa\\": {\\"sign\\": 1}}"}',
        b'{"x":"[\\"aaaaaaaaaaa\\", {\\"aaaa\\": 1}]"}',
        b'{"content":[{"type":"odd"}]}',
        b'{"content":[{"a":1}]}',
        b'{"a":1,"b":2,"a":3}',
        b'{"a":{"b":1,"c":2,"b":{}}}',
        b'[{"a":1}]',
        b'"a"',
        b"",
        b" ",
    ],
)
def test_each_kind_of_sign_is_seen(data: bytes) -> None:
    """One of everything that must stop the pass stops it."""
    assert reticent_native.Settler(PLAIN).settle(data) is None


@pytest.mark.parametrize("sign", ["", 'a"b', '"a":1', '"a":"b"c', '"a\\u0062":', '"a":"b","c":'])
def test_a_sign_of_unknown_form_is_refused(sign: str) -> None:
    """Tables that the pass cannot understand are an error, and never half of what they mean."""
    with pytest.raises(ValueError, match="does not know"):
        reticent_native.Settler({**PLAIN, "signs": [sign]})
