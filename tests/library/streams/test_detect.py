"""What the first bytes of a stream say about its framing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reticent.errors import UnknownWire
from reticent.streams.detect import SNIFF_LIMIT, detect, open_framing

WHOLE = {
    "sse": [
        b"data: x\n\n",
        b"event: ping\ndata: {}\n\n",
        b": PROCESSING\n\n: PROCESSING\n\ndata: {}\n\n",
        b"retry: 10\r\n\r\nid: 1\r\nevent: a\r\ndata: {}\r\n\r\n",
        b"id: 1\rdata:x\r\r",
        b"\xef\xbb\xbfdata: x\n\n",
        b"\n\ndata: x\n\n",
        b"message:\ndata:{}\n\n",
    ],
    "jsonl": [
        b'{"a":1}\n',
        b'{"a":1}\n{"b":2}\n',
        b'{"a":1}\r\n{"b":2}',
        b'{}{"two on a line":1}',
        b'{"a":1} and then some',
        b'["messages",[{"a":1}]]\n["messages",[]]\n',
        b'"one"\n"two"\n',
        b'\x1e{"a":1}\n\x1e{"b":2}\n',
        b'"{\\"type\\":\\"x\\"}" and more',
    ],
    "ai-sdk-v4": [b'g:"x"\n0:"y"\n', b'f:{"messageId":"m"}\n', b'2:[{"a":1}]\r\n', b'0:"y"', b'g:"cut o'],
    "json-array": [b'[{"a":1}', b"[\r\n {\n", b'[[{"a":1}]]', b"[{", b'["a",{"b":1}] and more'],
    "json": [
        b'{"a":1}',
        b'{\n  "a": 1\n}\n',
        b'{"a": "cut o',
        b"[]",
        b"[1, 2]",
        b'["a", "b"]\n',
        b'"a string"',
        b'{"a":1,\n',
        b'["a",{"b":',
        b"{}",
        b"{\n",
    ],
    "aws-eventstream": [b"\x00\x00\x00\x10", b"\x00", b"\x01\x80"],
    "text": [
        b"",
        b"  \n",
        b"The answer is 42.",
        b"data",
        b"d",
        b"event: tonight\nwe dance",
        b"message:\nwe dance",
        b"message: we dance\ndata: none",
        b": )",
        b"event: ping\n\n",
        b"[THINK]hm[/THINK]",
        b"[2026-11-29 12:00:00] INFO ready",
        b"[INFO] ready",
        b"[1] says the first source",
        b"[1, 2] say two sources",
        b"[[Link]] is a page",
        b"[1 of",
        b'"Quoted," she said.',
        b'"Quoted"\nand attributed',
        b'"Quoted over\ntwo lines" and on',
        b"{x} is a set",
        b'a:"b" is no line of ours',
        b'a:"b\nc"',
        b"a:{b}\n",
        b"a: b",
        b"<think>hm</think>",
        b"\xef\xbb\xbfThe answer",
        b"\xef\xbb",
        b"true\n",
        b"42",
        b"\xff\xfe",
    ],
}
CASES = [(wire, first) for wire, firsts in WHOLE.items() for first in firsts]


@pytest.mark.parametrize(("wire", "first"), CASES)
def test_whole_streams_are_told_apart(wire: str, first: bytes) -> None:
    """With all bytes at hand there is an answer, and it is the right one."""
    assert wire == detect(first, final=True)


@pytest.mark.parametrize(("wire", "first"), CASES)
def test_an_answer_stands(wire: str, first: bytes) -> None:
    """An answer given for the first bytes is the answer for more of them, so chunking cannot change it."""
    answers = [detect(first[:end]) for end in range(len(first) + 1)]
    given = [answer for answer in answers if answer is not None]

    assert given == answers[len(answers) - len(given) :]
    assert set(given) <= {wire, "jsonl" if wire == "json" else wire}


TOKENS = [
    b"data:",
    b"event:",
    b": ",
    b"g:",
    b'"',
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b"1",
    b"\n",
    b"\r",
    b" ",
    b"\\",
    b"null",
]


@given(st.lists(st.sampled_from(TOKENS), max_size=12).map(b"".join))
def test_an_answer_stands_for_any_beginning(first: bytes) -> None:
    """Once there is an answer, no later byte changes it."""
    answers = [detect(first[:end]) for end in range(len(first) + 1)]
    given = [answer for answer in answers if answer is not None]

    assert given == answers[len(answers) - len(given) :]
    assert len(set(given)) <= 1


@pytest.mark.parametrize(
    ("wire", "first"),
    [
        ("sse", b": PROCESSING\n\ndata:"),
        ("jsonl", b'{"a":1}\n'),
        ("ai-sdk-v4", b'g:"x"\n'),
        ("json-array", b"[{"),
        ("json", b'{"a":\n'),
        ("aws-eventstream", b"\x00"),
        ("text", b"T"),
        ("text", b"<"),
        ("text", b"da "),
    ],
)
def test_a_live_stream_is_told_early(wire: str, first: bytes) -> None:
    """The bytes named here are enough, and one less is not."""
    assert wire == detect(first)
    assert detect(first[:-1]) is None


@pytest.mark.parametrize(
    ("wire", "first", "more"),
    [
        ("sse", b"", b": PROCESSING\n\n"),
        ("jsonl", b"", b'{"a":'),
        ("jsonl", b'"', b"quoted "),
        ("json-array", b"", b"[["),
        ("ai-sdk-v4", b'g:"', b"quoted "),
        ("text", b"", b" "),
    ],
)
def test_there_is_an_answer_at_the_limit(wire: str, first: bytes, more: bytes) -> None:
    """Waiting ends at the limit, with the reading under which nothing is copied unread."""
    stream = first + more * (SNIFF_LIMIT // len(more) + 1)

    assert detect(stream[: SNIFF_LIMIT - 1]) is None
    assert wire == detect(stream[:SNIFF_LIMIT])


def test_deep_nesting_is_no_error() -> None:
    """Brackets nested deeper than a parser goes are told like any others."""
    deep = b"[" * 7000 + b"]" * 7000

    assert ("json", "text") == (detect(deep, final=True), detect(deep + b" x"))


@pytest.mark.parametrize("wire", ["sse", "jsonl", "json-array", "aws-eventstream"])
def test_a_framing_is_opened_by_the_name_of_its_wire(wire: str) -> None:
    """A framing is called what its wire is called."""
    assert wire == open_framing(wire).name


def test_lines_with_a_prefix_are_cut_as_lines() -> None:
    """AI SDK 4 has a wire of its own and the framing of lines."""
    (frame,) = open_framing("ai-sdk-v4").feed(b'g:"x"\n')

    assert ("g", b'"x"') == (frame.event, frame.data)


@pytest.mark.parametrize("wire", ["see", "text", "json", ""])
def test_an_unknown_wire_is_refused(wire: str) -> None:
    """A name without a framing is an error that suggests one."""
    with pytest.raises(UnknownWire) as caught:
        open_framing(wire)

    assert "sse" in caught.value.known
