"""Fields of log lines that nothing quotes: the value goes to the end of the record, and what says nothing stays."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reticent
from reticent.dialects import all_dialects
from reticent.integrations.stdlib_logging import ReticentFilter
from reticent.serializers import logtext
from reticent.serializers.fieldlines import NAMES
from reticent.serializers.logrecords import RECORD_LIMIT
from reticent.serializers.program import Options, compile_program
from reticent.serializers.report import Report

_LOGS = reticent.load_plan().serializer("logs")
_CANARY = "CANARY-5b1e"
_STARTS = ("2026-11-29 12:00:01 INFO next", "ERROR next", "[2026-11-29] next", '{"level":"info","msg":"next"}')


def _streamed(text: str, size: int) -> str:
    stream = reticent.load_plan().stream("logs", wire="log")
    data = text.encode()
    parts = [stream.feed(data[at : at + size]) for at in range(0, len(data), size)]
    return b"".join([*parts, stream.flush()]).decode()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lead", ["{}: ", "{}=", "{} -> ", "message.{} => ", "choices[0].delta.{}: ", "{}:"])
def test_a_text_behind_a_name_goes(name: str, lead: str) -> None:
    """Whatever stands between name and text, and whichever line of it the canary is in."""
    line = f"INFO turn 3 {lead.format(name)}The user {_CANARY} wants\n\n- {_CANARY}\n{_CANARY}: x"

    assert _LOGS.text(line).startswith("INFO turn 3")
    assert _CANARY not in _LOGS.text(line)
    assert _CANARY.encode() not in _LOGS({"message": line, "level": "info"})
    assert ["log-text/field"] == list(_LOGS.report.removals)


@pytest.mark.parametrize("start", _STARTS)
def test_the_next_record_stays(start: str) -> None:
    """A line that begins a record ends the value; streamed in chunks of any size it is the same."""
    log = f"DEBUG reasoning_content: a {_CANARY}\nand {_CANARY}\n{start}\nplain\n"

    assert _LOGS.text(log) == f"DEBUG \n{start}\nplain\n"
    assert {_LOGS.text(log)} == {_streamed(log, size) for size in (1, 5, 1000)}


@pytest.mark.parametrize("rest", ["\x1b[", "\x1b", "\x1b[3", "\x1b[\x1b[mm", "\x1b[\u2028m"])
def test_a_colour_that_was_cut_short(rest: str) -> None:
    """A record that ends inside the code of a colour is judged like any other, and kept when nothing is found."""
    assert f"INFO turn 3 done {rest}" == _LOGS.text(f"INFO turn 3 done {rest}")
    assert _CANARY not in _LOGS.text(f"\x1b[1mreasoning_content\x1b[0m: The user {_CANARY} wants it{rest}")


@pytest.mark.parametrize(
    "line",
    [
        "reasoning_content: None",
        "reasoning_content=null tokens=3",
        "reasoning_content: <redacted>",
        "reasoning_details: 4 items=2",
        "the field reasoning_content is deprecated",
        "see docs/reasoning_content.md - encrypted_content",
        "thinking: on, reasoning: high",
    ],
)
def test_what_says_nothing_stays(line: str) -> None:
    """Empty values, prose that names a field, and words that are not only names."""
    assert line == _LOGS.text(line)


def test_pairs_keep_their_neighbours() -> None:
    """In a line of pairs a value ends where the next key begins."""
    assert "level=info tokens=3" == _LOGS.text(f"level=info reasoning_content={_CANARY} tokens=3")


def test_a_value_longer_than_a_record_goes_as_well() -> None:
    """What follows after a record was judged for its length goes until the next record begins."""
    line = f"{_CANARY} and so on\n"
    log = f"INFO reasoning_text: {line}" + line * (2 * RECORD_LIMIT // len(line)) + "INFO next\n"

    assert "INFO \nINFO next\n" == _streamed(log, 1 << 16)


def test_logging_looks_at_a_template_that_names_a_field() -> None:
    """An argument is judged as what the template calls it."""
    record = logging.makeLogRecord({"msg": "reasoning_content: %s (%d)", "args": (f"The {_CANARY}", 3)})
    ReticentFilter("logs").filter(record)

    assert _CANARY not in record.getMessage()


@given(st.text(alphabet="ab:=- \n\"'{", max_size=40), st.sampled_from(NAMES))
def test_twice_is_once(around: str, name: str) -> None:
    """What was stripped is stripped no further."""
    once = _LOGS.text(f"{around}{name}: {around} x")

    assert once == _LOGS.text(once)


@pytest.mark.parametrize(
    ("shown", "line", "left"),
    [
        ("text", f"encrypted_content: {_CANARY}", ""),
        ("text", f"a encrypted_content={_CANARY} b=1", "a encrypted_content=[reasoning removed] b=1"),
        ("text", "reasoning_content: the user wants", "reasoning_content: the user wants"),
        ("opaque", f"reasoning_content: {_CANARY}", ""),
        ("opaque", "encrypted_content: gAAAA", "encrypted_content: gAAAA"),
    ],
)
def test_a_name_is_of_a_class(shown: str, line: str, left: str) -> None:
    """Ciphertext and readable reasoning are told apart, for surfaces that show one of them."""
    options = Options(withhold=frozenset({"text", "summary", "opaque"}) - {shown})

    assert left == logtext.strip(line, compile_program(all_dialects(), options), Report())


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(
    "record",
    [
        "ERROR could not parse LLM output: `<think>\n{}\n</think>\nanswer`",
        "<think>\n{}\n</think>\nanswer",
        "Generating TTS [<thinking>\n{}]",
        'reasoning_content = """\n{}\n"""',
        "resp=Message(content=[\nThinkingBlock(thinking='{}', signature='s'),\n])",
        ":::thinking\n{}\n:::\nanswer",
    ],
)
def test_a_streamed_log_keeps_a_record_of_several_lines_together(record: str, size: int) -> None:
    """A block, an object or a quotation that was opened goes on in the next lines, however the bytes are cut."""
    log = f"2026-11-30 01:02:03 INFO first\n{record.format(_CANARY)}\n2026-11-30 01:02:04 INFO last\n"
    shown = _streamed(log, size)

    assert _CANARY not in shown
    assert shown.startswith("2026-11-30 01:02:03 INFO first\n")
    assert shown.endswith("2026-11-30 01:02:04 INFO last\n")
