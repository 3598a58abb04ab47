"""What is settled without a walk is what the walk would have found, whatever the payload."""

from __future__ import annotations

import dataclasses
import enum
import json
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.signs import (
    PROGRAM,
    PROGRAMS,
    SECRET,
    VECTORS,
    agrees,
    answer,
    by_walk,
    histories,
    records,
    spellings,
    values,
)

import reticent
from reticent.edits import apply
from reticent.errors import EgressRefused
from reticent.serializers import cutshort, cutting, jsonbytes, logtext, scan
from reticent.serializers.report import Report
from reticent.streams._markers import MARKERS
from reticent.streams._phrases import GRANITE_OPENER
from reticent.testing import json_values, payloads

if TYPE_CHECKING:
    from reticent.serializers.program import Program


@given(values() | histories() | records() | payloads(SECRET), st.sampled_from(PROGRAMS))
@settings(max_examples=250)
def test_search_and_walk_agree(value: Any, program: Program) -> None:
    """A payload of any mixture of signs gets the answer and the report that the walk alone gives."""
    assert all(agrees(data, program) for data in spellings(value))


@given(values(), st.sampled_from(["{}", " {}", "x {}", "[{}]"]), st.booleans())
def test_search_and_walk_agree_about_strings(value: Any, shape: str, as_repr: bool) -> None:
    """JSON and reprs in strings of any field get the walk's answer too."""
    text = shape.replace("{}", repr(value) if as_repr else json.dumps(value))
    for holder in ({"log": text}, {"role": "assistant", "content": text}, {"role": "user", "content": [text]}):
        assert agrees(orjson.dumps(holder))


@pytest.mark.parametrize("vector", [v for v in VECTORS if v.wire == "json"], ids=lambda vector: vector.id)
def test_search_and_walk_agree_about_vectors(vector: Any) -> None:
    """Every conformance vector gets the walk's answer, alone and as one message among many."""
    value = orjson.loads(vector.payload)
    assert agrees(vector.payload)
    calm = [{"role": "user", "content": "hello"}] * 5
    assert agrees(orjson.dumps({"messages": [*calm, value, *calm]}))


@pytest.mark.parametrize("marker", MARKERS, ids=lambda marker: str(marker.name))
def test_every_marker_is_a_sign(marker: Any) -> None:
    """No mark of reasoning begins with a character that the search does not stop at."""
    for atoms in (marker.opener, marker.closer) if marker.lone else (marker.opener,):
        opening = atoms[0].removeprefix("(?-i:").removesuffix(")").removeprefix("\\")
        assert opening in ("<", "\u25c1", "\uff1c", "/", "[", "\u25ba", ":")
        if opening == "/":
            assert atoms[1] == "\\*"


@pytest.mark.parametrize(
    "opener", [":::thinking", "\u25ba **THINKING**", "&lt;think&gt;", "> Thinking ...", "Reasoning:\n_"]
)
@pytest.mark.parametrize("before", ["", "a\n", "a: \u00e9\n\n"])
@pytest.mark.parametrize("key", ["content", "response", "text"])
def test_marks_of_markdown_are_signs(opener: str, before: str, key: str) -> None:
    """A mark without an angle bracket is seen wherever it counts."""
    assert agrees(orjson.dumps({"role": "assistant", key: f"{before}{opener} x\ny"}))
    assert agrees(orjson.dumps({key: f"{before}{opener} x\ny", "done": True}))
    assert before or not logtext.is_plain(f"{opener} x\ny")


def test_every_word_of_literals_is_a_marker() -> None:
    """Whatever word makes the walk look for literals in a text makes the search stop, in any case."""
    words = cutshort.MARKERS.pattern.split("|")
    assert words
    for word in words:
        assert word.startswith("\\\\u00") or any(marker in word for marker in scan.MARKERS)
    assert scan._caseless() == list(dict.fromkeys(scan._caseless()))
    assert b"HiNk" in scan._caseless()


@pytest.mark.parametrize(
    "text", ["Here's my thought process:\nx\nHere's my response:\ny", "  Here is my thought process: x"]
)
def test_prose_forms_are_signs(text: str) -> None:
    """The forms that count only where a text begins are found behind blanks, too."""
    assert GRANITE_OPENER.search(text)
    assert agrees(orjson.dumps({"role": "assistant", "content": text}))


@pytest.mark.parametrize(
    "text",
    [
        "{'type':'think'}",
        '{"thought": "x"}',
        "{[THINK]x[/THINK]y",
        "x {[THINK]x\ny",
        '"[THINK]x[/THINK]"y',
        "{[] : 'x'}",
        "{'thinking': 'x'} \x1b[",
        "\x1b[\x1b[mm <think>x</think>",
    ],
)
def test_short_and_odd_texts_get_the_walks_answer(text: str) -> None:
    """A literal too short to be JSON and a mark behind a bracket are seen."""
    for holder in ({"log": text}, {"role": "assistant", "content": text}, {"role": "tool", "content": text}):
        assert agrees(orjson.dumps(holder))


@pytest.mark.parametrize(
    "text",
    [
        "got {'type': 'summary_text', 'text': 'a b c'}",
        "got ThinkingBlock(thinking='a b c')",
        "got type=thinking thinking='a b c' REASON",
        '{"type": "summary_text", "text": "a b c"}',
        '  {"type": "summary_text", "text": "a b c"}',
        '[{"type": "summary_text", "text": "a b c"}]',
        '{"a": "{\\"type\\": \\"summary_text\\", \\"text\\": \\"a b c\\"}"}',
        '{"\\u0074ype": "summary_text", "text": "a b c"}',
        '{"aaaa": 1, "aaaa": 2, "bbbb": 3}',
        '{"role": "assistant", "content": [{"type": "frobnicate", "x": 1}]}',
        "call_1__thought__Zm9vYmFy",
        "<assistant_thinking>a b c</assistant_thinking>",
    ],
)
def test_each_kind_of_text_is_seen(text: str) -> None:
    """One carrier of each kind that a string can be gets the walk's answer, and it is not the input."""
    holders: list[Any] = [{"log": text, "n": 1}, {"role": "tool", "tool_call_id": text, "content": text}]
    holders += [{"role": "user", "content": text}, {"messages": [{"role": "user", "content": "hi"}] * 6, "log": text}]
    assert all(agrees(orjson.dumps(holder)) for holder in holders)
    assert any(answer(data, PROGRAM, by_walk)[0] != data for data in map(orjson.dumps, holders))


@pytest.mark.parametrize("depth", [*range(48, 52), *range(148, 156), *range(196, 206), 250, 256])
def test_depth_is_refused_where_the_walk_refuses_it(depth: int) -> None:
    """Limits of depth do not move, for arrays, objects and JSON in strings."""
    nested: Any = "x" * 30
    for _ in range(depth):
        nested = [nested]
    written = json.dumps(nested)
    for value in ({"a": nested}, {"a": '{"b":' + written + "}"}, {"a": [{"b": '{"c": ' + written + "}"}] * 2}):
        assert agrees(json.dumps(value, separators=(",", ":")).encode())


@given(json_values(), st.sampled_from(["a", "type", "\\u0061", "a\\u003a"]))
def test_members_that_parsing_drops_are_noticed(value: Any, key: str) -> None:
    """A body whose text has a member that its value has not is never taken for its value."""
    data = f'{{"{key}":{json.dumps(value)},"{key}":{json.dumps([value])}}}'.encode()
    assert not scan.has_all_members(data, orjson.dumps(orjson.loads(data)))
    assert agrees(data)


@given(histories(), st.booleans())
def test_elements_are_cut_as_edits_are(value: Any, ascii_only: bool) -> None:
    """Finding blocks by their spelling gives the bytes that carrying out the edits gives."""
    written = PROGRAM.scanner.write(value)
    found = None if written is None else PROGRAM.scanner.find(written, value)
    if found is None or found.edit is None:
        return
    assert orjson.dumps(found.rest) == orjson.dumps(apply(value, found.edit))
    data = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "replace")
    out = jsonbytes.without_elements(data, found.elements())
    assert out in (None, jsonbytes.splice(data, found.edit))


class _Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class _Block:
    type: str = "thinking"
    thinking: str = SECRET
    _signature: str = SECRET


@pytest.mark.parametrize(
    "value",
    [
        {"a": float("nan"), "b": None},
        {"a": float("inf")},
        {"a": (1, 2), "b": None},
        {"a": ({"type": "thinking", "thinking": SECRET},)},
        {"a": _Colour.RED},
        {"a": _Block()},
        {"role": "assistant", "content": [_Block()]},
        {"role": "assistant", "content": ({"type": "frobnicate", "x": SECRET},)},
        {1: "x"},
        {"a": 1 << 70},
    ],
    ids=lambda value: type(next(iter(value.values()))).__name__,
)
def test_values_that_json_lacks_get_the_walks_answer(value: Any) -> None:
    """Python objects are not taken for the JSON that a quick writer makes of them."""
    serializer = reticent.load_plan().serializer("logs")
    found: list[Any] = []
    for find in (cutting.everything, by_walk):
        try:
            found.append(cutting.dump_cut(value, PROGRAM, Report(), find))
        except EgressRefused as refusal:
            found.append(type(refusal))
    assert found[0] == found[1]
    if isinstance(found[0], bytes):
        assert SECRET.encode() not in serializer(value)


@given(values() | histories())
def test_values_get_the_walks_answer(value: Any) -> None:
    """Stripping values settles what it settles for bytes."""
    quick, walked = Report(), Report()
    assert cutting.dump_cut(value, PROGRAM, quick) == cutting.dump_cut(value, PROGRAM, walked, by_walk)
    assert quick.to_dict() == walked.to_dict()
