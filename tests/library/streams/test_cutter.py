"""What all framings have in common: they keep little, read nothing twice, and give up at the limit."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest

from reticent.errors import EgressRefused, InputTooLarge
from reticent.streams.aws_eventstream import make_message
from reticent.streams.detect import open_framing

if TYPE_CHECKING:
    from reticent.streams import Framing

LIMIT = 100_000
FLOODS = [
    ("sse", b"", b"data: x\n"),
    ("sse", b"", b"data: x\r"),
    ("sse", b"", b"data: "),
    ("sse", b"", b"\xef\xbb\xbf"),
    ("jsonl", b"", b"{"),
    ("json-array", b"", b"["),
    ("json-array", b'["', b"\\"),
    ("json-array", b"", b" "),
]


def fed_before_refusal(framing: Framing, piece: bytes) -> int:
    """Feed ``piece`` until it is refused; return how many bytes were taken."""
    for number in range(2 * LIMIT):
        try:
            framing.feed(piece)
        except InputTooLarge:
            return number * len(piece)
        assert framing.held <= LIMIT
    return 0


@pytest.mark.parametrize(("wire", "first", "piece"), FLOODS)
def test_a_frame_that_never_ends_is_refused_at_the_limit(wire: str, first: bytes, piece: bytes) -> None:
    """Piece by piece a frame grows up to the limit and no further, and is not read again for each piece."""
    framing = open_framing(wire, limit=LIMIT)
    framing.feed(first)

    assert LIMIT - len(piece) - 3 <= fed_before_refusal(framing, piece) <= LIMIT + 3


@pytest.mark.parametrize("piece", [b"\n", b"\r", b"\r\n"])
def test_blank_lines_without_end_are_let_through(piece: bytes) -> None:
    """Empty lines end nothing but themselves, and at most one CR is held."""
    framing = open_framing("sse", limit=LIMIT)
    held = 0
    for _ in range(LIMIT):
        framing.feed(piece)
        held = max(held, framing.held)

    assert held <= len(piece)


@pytest.mark.parametrize("wire", ["sse", "jsonl", "json-array", "aws-eventstream"])
def test_a_refusal_frees_what_was_held(wire: str) -> None:
    """A framing that refused its input keeps none of it, and refuses with the same words again."""
    framing = open_framing(wire, limit=20)
    with pytest.raises(EgressRefused) as first:
        framing.feed(b"CANARY" * 8)
    with pytest.raises(EgressRefused) as again:
        framing.feed(b"")

    assert 0 == framing.held
    assert str(first.value) == str(again.value)
    assert "CANARY" not in repr(first.value)


@pytest.mark.parametrize(
    ("wire", "piece"),
    [
        ("sse", b'event: ping\ndata: {"a":1}\n\n' * 50),
        ("sse", b": note\r\n\r\ndata: x\r\rid: 1\n\n" * 40),
        ("jsonl", b'{"a":1}\n\n' * 100),
        ("json-array", b'{"a":"\\"[",\n"b":[1]},' * 50),
        ("aws-eventstream", make_message("chunk", b"payload") * 20),
    ],
)
def test_memory_does_not_grow_with_the_stream(wire: str, piece: bytes) -> None:
    """What a framing keeps does not grow with what went through it."""
    framing = open_framing(wire)
    framing.feed(b"[" if wire == "json-array" else b"")
    framing.feed(piece)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for _ in range(200):
        framing.feed(piece)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert after - before < 40 * len(piece)
