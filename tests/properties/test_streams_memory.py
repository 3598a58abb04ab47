"""How much a stream keeps: memory that does not grow with its length, and no more held back than must be."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest
from tests.properties.event_streams import BY_NAME, Block

import reticent
from reticent.errors import InputTooLarge
from reticent.serializers.logrecords import RECORD_LIMIT
from reticent.streams.detect import SNIFF_LIMIT
from reticent.streams.tags import HOLD_BACK, PROSE_WINDOW
from reticent.testing import leaks

SECRET = "CANARY-memory-44aa"
PLAN = reticent.load_plan()
MEBIBYTE = 1 << 20
LONG = 64 * MEBIBYTE
"""Bytes of a long stream; ``make soak`` runs a gibibyte."""
ALLOWED = 2 * MEBIBYTE
"""Bytes by which the memory in use may differ between an early and the last moment of a stream."""
WORDS = tuple(f"Words that go on, number {number}, and nothing else to it. " * 40 for number in range(40))


def _text(number: int) -> bytes:
    return f"Line {number} of an answer that never ends.\n".encode() * 2000


def _messages(name: str) -> Iterator[bytes]:
    """One chunk of the protocol over and over: message after message on the same connection."""
    message = [Block("reasoning", (SECRET, *WORDS)), Block("text", (*WORDS, "a <thi", "ng")), Block("reasoning", WORDS)]
    data = BY_NAME[name].encode(message)
    if BY_NAME[name].wire == "json-array":
        yield b"["
        data = data[1:-1] + b","
    while True:
        yield data


def _grown(chunks: Iterator[bytes], wire: str, length: int) -> int:
    """Bytes in use after ``length`` bytes, less those after an eighth of it."""
    stream = PLAN.stream("browser_stream", wire=wire)
    done, early = 0, None
    tracemalloc.start()
    try:
        while done < length:
            chunk = next(chunks)
            done += len(chunk)
            shown = stream.feed(chunk)
            assert SECRET.encode() not in shown
            if early is None and done > length // 8:
                early = tracemalloc.get_traced_memory()[0]
        return tracemalloc.get_traced_memory()[0] - (early or 0)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["chat", "anthropic"])
def test_memory_does_not_grow_with_a_long_stream(name: str) -> None:
    """After 64 MiB of messages on one connection a filter holds what it held after 8."""
    assert _grown(_messages(name), BY_NAME[name].wire, LONG) < ALLOWED


@pytest.mark.parametrize("name", ["responses", "gemini-array", "bedrock", "ai-sdk", "pydantic-ai", "interactions"])
def test_memory_does_not_grow_with_a_stream(name: str) -> None:
    """After 8 MiB of messages in any protocol a filter holds what it held after one."""
    assert _grown(_messages(name), BY_NAME[name].wire, 8 * MEBIBYTE) < ALLOWED // 4


@pytest.mark.parametrize(("wire", "length"), [("text", 16 * MEBIBYTE), ("log", 4 * MEBIBYTE)])
def test_memory_does_not_grow_with_a_text(wire: str, length: int) -> None:
    """After megabytes of lines a filter holds what it held after the first."""
    assert _grown(iter(lambda: _text(7), b""), wire, length) < ALLOWED // 4


def _held(text: str, wire: str = "text") -> int:
    """Characters of ``text`` that wait for what comes next."""
    stream = PLAN.stream("browser_stream", wire=wire)
    return len(text) - len(stream.feed(text.encode()).decode())


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("Plain prose. ", 0),
        ("Plain prose <", 1),
        ("Plain prose <thin", 5),
        ("Plain prose <thing", 6),
        ("Plain prose <thing ", 0),
        ("Plain prose: ", 0),
        ("Plain prose:", 0),
        ("Plain prose.\n::", 2),
        ("1 < 2 and <b>bold</b>", 0),
        ("`<think", 0),
    ],
)
def test_text_waits_only_for_what_it_may_become(text: str, held: int) -> None:
    """A text is held back from the character on with which a marker could begin, and for no other reason."""
    assert _held(text) == held


@pytest.mark.parametrize(
    ("opening", "filler"),
    [
        ("<think ", "<"),  # without it so much text is an attribute, and the tag has opened
        ("<|start|>", "x"),
        ("<|channel|>", "x"),
        ("<|open|>", "x"),
        ("◁thi", "x"),
        ("[THIN", "x"),
        ("a\n<reasoning ", "<"),
        ("<details ", "x"),
        ("<details><summary>", "x"),
        ("<", "x"),
        (":::", "x"),
    ],
)
def test_hold_back_of_a_marker_is_bounded(opening: str, filler: str) -> None:
    """No beginning of a marker holds back more than the documented number of characters."""
    assert all(_held(opening + filler * count) <= HOLD_BACK for count in range(0, 1200, 7))


def test_hold_back_of_a_prose_form_is_bounded() -> None:
    """A text that opens like a ReAct thought waits for its second half, and at most for the documented window."""
    assert _held("Thought: " + "x" * 3000) > HOLD_BACK
    assert _held("Thought: " + "x" * (PROSE_WINDOW + 100)) <= HOLD_BACK


def test_an_undeclared_wire_is_known_after_the_documented_bytes() -> None:
    """``auto`` holds back at most what detection may look at, whatever comes."""
    for data in (b"{" * (SNIFF_LIMIT + 10), b":" * (SNIFF_LIMIT + 10), b'"' + b"x" * (SNIFF_LIMIT + 10)):
        stream = PLAN.stream("browser_stream", wire="auto")
        stream.feed(data)
        assert stream._first == b""  # type: ignore[attr-defined]


def test_half_an_event_is_held_up_to_the_limit() -> None:
    """An event that never ends is refused when it is longer than a payload may be, and nothing of it came out."""
    stream = PLAN.stream("browser_stream", wire="sse")
    chunk = b"x" * MEBIBYTE
    assert stream.feed(b"data: ") == b""
    assert all(stream.feed(chunk) == b"" for _ in range(63))
    with pytest.raises(InputTooLarge):
        stream.feed(chunk)


def test_a_log_record_is_judged_at_the_documented_length() -> None:
    """A record that goes on and on is judged when it passes the limit, not at the end of the log."""
    stream = PLAN.stream("logs", wire="log")
    stream.feed(b"ERROR first line\n")
    shown = b"".join(
        stream.feed(b"  continued line of a traceback\n" * 1000) for _ in range(2 * RECORD_LIMIT // 32_000)
    )
    assert len(shown) > RECORD_LIMIT // 2


def test_events_are_not_held_for_their_successors() -> None:
    """An event that has ended goes on at once, but for text that could become a marker."""
    stream = PLAN.stream("browser_stream", wire="sse")
    for event in BY_NAME["chat"].encode([Block("text", ("One ", "two."))]).split(b"\n\n")[:-1]:
        assert leaks(stream.feed(event + b"\n\n"), "chat.completion.chunk", wire="sse")
