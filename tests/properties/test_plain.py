"""What is taken for plain at a glance is what every reader of texts and every rule leaves alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.signs import KEYS, PROGRAMS, SECRET, VECTORS, by_walk, texts

import reticent
from reticent.integrations._templates import are_values, read_template
from reticent.serializers import cutshort, fieldlines, flat, literals, logtext, scan
from reticent.serializers.report import Report
from reticent.streams.tags import may_hold_reasoning

WORDY = texts() | st.lists(st.sampled_from(["ThInKing", "\u0130", "\u017f", "\u212a", "o", "\\u0065", "é "])).map(
    "".join
)
SHORT = st.text(alphabet="Hereanlysito=Thougt:.<[ \n(\u00e9_", max_size=20)


@given(WORDY | SHORT | st.sampled_from(scan.OPENINGS).map(bytes.decode), st.sampled_from(PROGRAMS))
@settings(max_examples=300)
def test_nothing_is_found_in_a_plain_text(text: str, program: Any) -> None:
    """A text that is plain comes back from the long way as it was, with nothing counted."""
    report = Report()
    if logtext.is_plain(text):
        assert text == logtext.strip(text, program, report)
        assert Report() == report


@pytest.mark.parametrize(
    "text",
    [
        "turn",
        "2026-11-30T02:00:00Z",
        "GET /orders/17?page=2 took 12 ms",
        "user_id=17 (new)",
        "Grüße aus Köln [ok]",
        "x" * 5000,
    ],
)
def test_what_logs_mostly_say_is_plain(text: str) -> None:
    """Lines without a word of the vocabulary need no second look."""
    assert logtext.is_plain(text)


@pytest.mark.parametrize(
    "text",
    [
        "Here is my thought process: x",
        "Thought: x\nAction: y",
        "assistantanalysisx",
        "ReasoningContent: x y z",
        "reason\x1b[0ming_content: x y z",
        "&lt;think&gt;x",
        ":::thinking",
        '"reasoning"',
        '["<think>x"]',
        '["\\u003cthink>x"]',
        "\u00a0Thought: x\nAction: y",
    ],
)
def test_what_readers_look_for_is_not_plain(text: str) -> None:
    """A prose form, a field or JSON is not plain, however short."""
    assert not logtext.is_plain(text)


@given(WORDY)
@settings(max_examples=300)
def test_one_word_after_the_other_finds_what_the_pattern_finds(text: str) -> None:
    """The quick search for words that rules look for agrees with the pattern in any mixture of cases and scripts."""
    assert literals.names_marker(text) == (cutshort.MARKERS.search(text) is not None)


def test_every_name_of_a_field_holds_a_word() -> None:
    """A text without a word of the vocabulary names no field, and only one name has no underscore."""
    assert all(literals.names_marker(name) for name in fieldlines.NAMES)
    assert all("_" in name for name in fieldlines.NAMES[1:])


@given(st.dictionaries(st.sampled_from(KEYS) | texts(), WORDY | SHORT | st.floats() | st.integers(), max_size=5))
@settings(max_examples=300)
def test_nothing_is_found_in_a_plain_record(record: dict[Any, Any]) -> None:
    """A record that is plain loses nothing on the walk, whatever its names and the surface."""
    for program in PROGRAMS:
        report = Report()
        if flat.is_plain(record, program):
            assert by_walk(record, program, report) is None
            assert Report() == report


@pytest.mark.parametrize("vector", [v for v in VECTORS if v.wire == "json"], ids=lambda vector: vector.id)
def test_no_vector_hides_in_a_plain_text(vector: Any) -> None:
    """The text of a vector is plain only if nothing would be taken out of it."""
    text = vector.payload.decode("utf-8", "replace")
    assert not logtext.is_plain(text) or logtext.strip(text, PROGRAMS[0], Report()) == text


def test_a_plain_call_forgets_the_last_report() -> None:
    """A call that finds nothing at a glance leaves an empty report, like any that finds nothing."""
    to_logs = reticent.load_plan().serializer("logs")
    to_logs.text(f"<think>{SECRET}</think>x")
    assert to_logs.report.total == 1
    assert to_logs.text("all is well") == "all is well"
    assert to_logs.report.total == 0
    to_logs.text(f"<think>{SECRET}</think>x")
    assert to_logs.value({"status": "well"}) == {"status": "well"}
    assert to_logs.report.total == 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)


@given(
    st.text(alphabet="%sdrfgeEGFiuaxXco()-+ #0123.n ", max_size=12),
    st.lists(SCALARS | JSON, max_size=4).map(tuple) | st.dictionaries(st.text(max_size=3), JSON, max_size=2),
)
@settings(max_examples=500)
def test_arguments_that_fit_do_not_fail(message: str, args: tuple[Any, ...] | dict[str, Any]) -> None:
    """Where a template is said to fit its arguments, writing the line never raises."""
    template = read_template(message)
    if template is not None and are_values(args) and template.fits(args):
        assert isinstance(message % args, str)


class _Odd(str):
    """A text whose repr fails."""

    __slots__ = ()

    def __repr__(self) -> str:
        raise ValueError


def test_a_lone_dictionary_is_one_argument() -> None:
    """What ``logging`` hands over of a single dictionary fits one conversion that takes anything, and no other."""
    value = {"answer": {"content": [{"type": "text", "text": "Grüße"}]}}
    template = read_template("turn %s")
    assert template is not None
    assert template.fits(value)
    assert not template.fits({"answer": [_Odd("x")]})
    for message in ("turn %d", "turn %s of %s", "turn", "turn %(answer)s"):
        template = read_template(message)
        assert template is not None
        assert not template.fits(value)


def test_usual_templates_fit() -> None:
    """Ordinary records are told without writing the line."""
    template = read_template("%s took %5.1f ms, %d of 100 %%: %r")
    assert template is not None
    assert template.fits(("step", 1.5, 7, None))
    assert not template.fits(("step", "1.5", 7, None))
    assert not template.fits(("step", 1.5, 7))
    assert template.fits(({"a": [1, None]}, 1.5, 7, []))
    assert read_template("reasoning_content: %s") is None
    assert read_template("answer={%s}") is None
    assert not may_hold_reasoning("step took 1.5 ms")
