"""Bad input, and what it gets: a typed refusal without a word of content."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reticent.errors import ConfigurationError, MalformedInput, ReticentError, UnsupportedType
from reticent.history import Context, boundary_report, compact
from reticent.history.context_json import read_context
from reticent.history.document import read_document

CANARY = "canary-7f3a"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[",
        b'["' + CANARY.encode(),
        b'{"' + CANARY.encode() + b'": 1}',
        b'[{"role": "user"},]',
        b"\xff\xfe",
        b"[" * 100_000,
        b'[{"role": "user", "content": NaN}]',
        b'{"role": "user"} {"role": "user"}\n',
        b'{"messages": {}}',
        b"null",
        b'"' + CANARY.encode() + b'"',
        b"[1, 2]",
        b'[["' + CANARY.encode() + b'"]]',
    ],
)
def test_bytes_that_are_no_history(data: bytes) -> None:
    """No document and no report comes of them, and the error repeats nothing."""
    with pytest.raises(ReticentError) as caught:
        boundary_report(read_document(data).entries)
    assert CANARY not in str(caught.value) + repr(caught.value)


@pytest.mark.parametrize("entry", [1, CANARY, None, ["x"], object()])
def test_entries_that_are_no_objects(entry: Any) -> None:
    """The error says which entry, and of which type."""
    with pytest.raises(UnsupportedType, match="entry 1 of the history"):
        boundary_report([{"role": "user", "content": "a"}, entry])


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"role": "assistant"},
        {"role": "assistant", "content": 5},
        {"role": "assistant", "content": [None, 1, "x", [], {}]},
        {"role": ["x"], "content": "a"},
        {"role": "assistant", "tool_calls": [1, {"id": 5, "function": "x"}]},
        {"type": "function_call"},
        {"type": "function_call_output", "call_id": None},
        {"type": 5, "role": "user"},
        {"role": "model", "parts": [1, {}, {"functionCall": 5}, {"functionResponse": None}]},
        {"role": "assistant", "content": [{"toolUse": 5}, {"reasoningContent": None}, {"toolResult": []}]},
        {"role": "assistant", "content": [{"type": "tool_use"}, {"type": ["x"]}]},
    ],
)
@pytest.mark.parametrize(
    "dialect", ["anthropic-messages", "openai-responses", "openai-chat", "gemini", "bedrock-converse"]
)
def test_strange_entries_are_live_and_break_nothing(entry: dict[str, Any], dialect: str) -> None:
    """Whatever an entry holds, the search ends, and an entry it cannot read is never settled by itself."""
    history = [{"role": "user", "content": "a"}, entry]
    report = boundary_report(history, dialect=dialect)
    assert 0 == report.boundary
    assert compact(history, dialect=dialect).history is history


def test_a_cyclic_entry_is_refused() -> None:
    """A value that contains itself has no JSON form."""
    entry: dict[str, Any] = {"role": "user", "content": "a"}
    entry["self"] = entry
    with pytest.raises(ReticentError):
        compact([entry])


@pytest.mark.parametrize(
    "values",
    [
        [],
        {"task": {}},
        {"tasks": []},
        {"tasks": {"a": 1}},
        {"tasks": {"a": "done"}},
        {"abandoned": "c1"},
        {"abandoned": [1]},
        {"concurrency": 0},
        {"concurrency": True},
        {"ordered": "yes"},
    ],
)
def test_a_context_is_checked(values: Any) -> None:
    """A wrong member stops before anything is decided by it."""
    with pytest.raises(ConfigurationError):
        read_context(values)


def test_a_context_is_read() -> None:
    """Lists become sets, and what is not given keeps its default."""
    context = read_context({"tasks": {"*": "running"}, "abandoned": ["c1"], "text_tools": "Out:", "concurrency": 2})
    assert Context(tasks={"*": "running"}, abandoned=frozenset({"c1"}), text_tools="Out:", concurrency=2) == context


def test_names_from_outside_are_shown_only_when_they_are_names() -> None:
    """An unlisted type that is a sentence is counted and not repeated."""
    entries = [
        {"role": "user", "content": [{"type": f"{CANARY} and more", "x": 1}]},
        {"role": "assistant", "content": [{"type": "text", "text": "b"}], "stop_reason": "end_turn"},
    ]
    report = boundary_report(entries, dialect="anthropic-messages")
    assert ("?",) == report.unknown
    assert CANARY not in report.render() + json.dumps(report.to_json())


def test_surrogates_and_escapes_are_copied() -> None:
    """What a string was escaped as, it stays."""
    data = rb'[{"role": "user", "content": "\ud83d\ude00 \ud800 \u0041"}, {"role": "assistant", "content": "b"}]'
    read = read_document(data)
    assert data == read.rewritten(())
    assert isinstance(compact(read.entries).history, list)


def test_a_second_value_on_a_line_is_refused() -> None:
    """JSON Lines hold one value a line."""
    with pytest.raises(MalformedInput):
        read_document(b'{"role":"user"}\n{"role":"user"} {"role":"user"}\n')
