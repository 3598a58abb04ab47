"""The native pass answers what the library answers in Python, or leaves it to the library; it never fails."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.hostile.generate import FILE
from tests.properties.signs import (
    FRAGMENTS,
    OPTIONS,
    PROGRAMS,
    SECRET,
    VECTORS,
    answer,
    by_walk,
    compiled,
    histories,
    spellings,
    texts,
    values,
)

from reticent.errors import EgressRefused
from reticent.serializers import cutting, literals, native
from reticent.serializers.program import Options
from reticent.serializers.report import Report
from reticent.streams.tags import may_hold_marker, reasoning_spans
from reticent.testing import payloads

if TYPE_CHECKING:
    from reticent.serializers.program import Program

reticent_native = pytest.importorskip("reticent_native", reason="the native pass is not installed: make native")

NATIVE = tuple(compiled(options, native=True) for options in OPTIONS)
PAIRS = tuple(zip(NATIVE, PROGRAMS, strict=True))
FIRST = NATIVE[0].settler
assert FIRST is not None
CALM = {"role": "user", "content": "hello"}
BLOCKS = [
    {"type": "thinking", "thinking": "a \u00e4 \U0001f914 b", "signature": "c2ln"},
    {"type": "text", "text": "shown (to a person), see [1]"},
    {"type": "redacted_thinking", "data": "cmVk"},
]


def settles(data: bytes) -> Any:
    """What the pass itself says of ``data`` on the first surface."""
    assert FIRST is not None
    return FIRST.settle(data)


def check(data: bytes, pair: tuple[Program, Program] = PAIRS[0]) -> None:
    """The answer, the report and any refusal with its message are the same with and without the pass."""
    quick, plain = pair
    expected = answer(data, plain, cutting.everything)
    assert expected == answer(data, quick, cutting.everything)
    if quick.settler is not None and quick.settler.settle(data) is not None:
        assert expected == answer(data, plain, by_walk)


def refusal(data: bytes, program: Program) -> str | None:
    """What a refusal says."""
    try:
        cutting.cut_bytes(data, program, Report())
    except EgressRefused as refused:
        return repr(refused)
    return None


@given(values() | histories() | payloads(SECRET), st.sampled_from(PAIRS))
@settings(max_examples=80)
def test_generated_payloads_get_the_same_answer(value: Any, pair: tuple[Program, Program]) -> None:
    """A payload of any mixture of signs, in any spelling, on any kind of surface."""
    for data in (*spellings(value), json.dumps(value, separators=(" ,\t", " :\r\n")).encode()):
        check(data, pair)


@pytest.mark.parametrize("vector", [v for v in VECTORS if v.wire == "json"], ids=lambda vector: vector.id)
def test_vectors_get_the_same_answer(vector: Any) -> None:
    """Every conformance vector in every spelling: alone, as a message, beside blocks that go, and in a string."""
    value = orjson.loads(vector.payload)
    check(vector.payload)
    around = ({"messages": [CALM, value, {"role": "assistant", "content": BLOCKS}]}, {"log": json.dumps(value)})
    for data in (*spellings(value), *map(orjson.dumps, around)):
        check(data)
    for pair in PAIRS[1:]:
        check(vector.payload, pair)


@given(st.sampled_from(VECTORS), st.randoms(use_true_random=False), st.integers(1, 3))
@settings(max_examples=100)
def test_mutations_get_the_same_answer(vector: Any, chance: random.Random, times: int) -> None:
    """Flipped, inserted, doubled and missing bytes change neither the answer nor the refusal."""
    data = vector.payload
    for _ in range(times):
        data = mutated(data, chance)
    check(data)
    assert refusal(data, PROGRAMS[0]) == refusal(data, NATIVE[0])


def mutated(data: bytes, chance: random.Random) -> bytes:
    """``data`` with one small thing wrong or different."""
    at, end = sorted((chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)))
    pieces = (b'"', b"\\", b"\\u0074", b"\x00", b"\xff", b"\xed\xa0\x80", b"{", b"]", b",", b":", b" ", b"\n", b"1e999")
    members = (
        b'"type":"thinking",',
        b'"content":[',
        b'"role":"assistant",',
        b'"thinking":"x",',
        b'"t\\u0079pe":"text",',
    )
    return chance.choice(
        (
            data[:at] + data[at + 1 :],
            data[:at],
            data[:at] + chance.choice(pieces) + data[at:],
            data[:at] + chance.choice(members) + data[at:],
            data.replace(b"{", b"{" + chance.choice(members), 1),
            data[:end] + data[at:end] + data[end:],
            bytes((*data[:at], *(byte ^ 1 << chance.randrange(8) for byte in data[at : at + 1]), *data[at + 1 :])),
            data.replace(b'":', b'" :\t'),
        )
    )


@pytest.mark.parametrize("document", json.loads(FILE.read_text(encoding="utf-8"))["documents"], ids=lambda d: d["name"])
def test_hostile_documents_get_the_same_answer(document: dict[str, Any]) -> None:
    """Nothing that was made to break a parser gets another answer, or another refusal."""
    if "parts" in document:
        data = "".join(text * times for text, times in document["parts"]).encode()
    else:
        data = (
            bytes.fromhex(document["hex"]) if "hex" in document else document["text"].encode("utf-8", "surrogatepass")
        )
    assert refusal(data, PROGRAMS[0]) == refusal(data, NATIVE[0])
    if len(data) < 1 << 20:
        check(data)


@given(texts() | st.text(max_size=40), st.sampled_from(["{}", " {}", "\u00a0{}", "x {}", "\x1c{}"]))
@settings(max_examples=300)
@example("call_1__thought__Zm9v", "{}")
@example("K(\u212a thin\u212a", "{}")
def test_no_text_is_clean_that_the_library_would_read(text: str, shape: str) -> None:
    """A text that any reader of the library looks closer at is never settled, unless it is JSON that is clean."""
    text = shape.replace("{}", text)
    found = settles(orjson.dumps({"some": text}))
    readers = (may_hold_marker(text), literals.may_hold(text), bool(reasoning_spans(text)))
    if len(text) >= 7 and any(readers) and not text.lstrip().startswith(("{", "[", '"')):
        assert found is None
    check(orjson.dumps({"some": text}))
    check(json.dumps({"role": "tool", "content": text}).encode())


@given(values(), st.sampled_from(["{}", " {}", "x {}", "[{}]", "{} ", "{}x"]), st.booleans())
@settings(max_examples=100)
def test_json_in_strings_gets_the_same_answer(value: Any, shape: str, ascii_only: bool) -> None:
    """JSON in strings, twice over too, in fields of models, tools and records."""
    text = shape.replace("{}", json.dumps(value, ensure_ascii=ascii_only))
    for inner in (text, json.dumps({"inner": text})):
        for holder in ({"log": inner}, {"role": "assistant", "content": inner}, {"arguments": inner, "n": [inner]}):
            check(orjson.dumps(holder))


def test_a_program_that_it_cannot_read_is_settled_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dialect's sign of another form switches the pass off for that program."""
    program = compiled(Options(), native=True)
    program.signs["odd"] = ('"a":"b","c":',)
    assert program.settler is None
    monkeypatch.setenv(native.SWITCH, "0")
    assert compiled(Options(), native=True).settler is None
    monkeypatch.delenv(native.SWITCH)
    monkeypatch.setattr(reticent_native, "CONTRACT", native.CONTRACT + 1)
    assert compiled(Options(), native=True).settler is None


def test_common_layouts_are_settled() -> None:
    """What most payloads are is settled, so that the tests here test something: clean ones, and with blocks that go."""
    clean = orjson.dumps({"messages": [CALM, {"role": "assistant", "content": [BLOCKS[1]]}], "model": "m", "n": 1.5})
    assert settles(clean) is clean
    for data in spellings({"messages": [CALM, {"role": "assistant", "content": BLOCKS}, CALM]}):
        left, gone = settles(data)
        assert orjson.loads(left)["messages"][1]["content"] == [BLOCKS[1]]
        assert [("anthropic-messages/thinking", 19, 1, 0), ("anthropic-messages/redacted_thinking", 21, 1, 2)] == gone
    left, gone = settles(orjson.dumps({"type": "message", "role": "assistant", "content": BLOCKS[:2]}))
    assert [("anthropic-messages/thinking", 19, None, 0)] == gone
    assert orjson.loads(left)["content"] == BLOCKS[1:2]


@given(values() | histories())
@settings(max_examples=80)
def test_values_get_the_same_answer(value: Any) -> None:
    """Values are settled as their JSON is, with the edits and the report of the library."""
    found: list[Any] = []
    for program in (NATIVE[0], PROGRAMS[0]):
        written, valued = Report(), Report()
        out = cutting.dump_cut(value, program, written)
        found.append((out, written.to_dict(), cutting.cut_value(value, program, valued), valued.to_dict()))
    assert found[1] == found[0]


def test_a_tuple_that_json_hides_is_left_to_the_library() -> None:
    """A sequence that is no list is not taken for the list that JSON makes of it."""
    for value in (
        {"role": "assistant", "content": tuple(BLOCKS)},
        {"messages": ({"role": "assistant", "content": BLOCKS},)},
    ):
        found = [cutting.cut_value(value, program, Report()) for program in (NATIVE[0], PROGRAMS[0])]
        assert found[1] == found[0]


def test_garbage_never_breaks_it() -> None:
    """Random pieces of JSON, UTF-8 and noise are settled or not, and nothing is raised."""
    chance = random.Random(48425)  # noqa: S311 - the same noise in every run
    pieces = [piece.encode("utf-8", "surrogatepass") for piece in FRAGMENTS]
    pieces += [b'"', b'":', b'{"', b"}", b"[", b"]", b",", b"\\", b"\\u", b"\xf0\x9f", b"1", b"-", b"e", b".", b"true"]
    pieces += [b'{"role":"assistant","content":[', b'{"type":"thinking","thinking":"', b'{"messages":[', b'"}', b"]}"]
    for _ in range(20_000):
        settles(b"".join(chance.choices(pieces, k=chance.randrange(12))))


@pytest.mark.parametrize("depth", [*range(48, 54), *range(148, 158), *range(196, 206), 1000, 100_000])
def test_depth_is_refused_where_the_library_refuses_it(depth: int) -> None:
    """Limits of depth do not move, and no depth exhausts the stack."""
    for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
        data = b'{"a":' + opening * depth + b"1" + closing * depth + b"}"
        assert refusal(data, PROGRAMS[0]) == refusal(data, NATIVE[0])
        if depth < 1000:
            check(data)
