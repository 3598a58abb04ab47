"""What is answered without a look inside is answered as with one, and counted alike."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.event_streams import PROTOCOLS, Block, Protocol

import reticent
from reticent.serializers.repeats import Repeats
from reticent.testing import leaks

SECRET = "CANARY-repeat-91f0"
PLAN = reticent.load_plan()
LONG = (
    "Plain ",
    "words ",
    "of ",
    "prose",
    ", ",
    " ",
    "one ",
    "after ",
    "another",
    ".",
    " Näher ",
    "漢字",
    " and ",
    "on",
)
PIECES = st.lists(
    st.sampled_from(
        [*LONG, "\n", "a\nb", "<", "think>", "`", "```", '"', "{", "\\", "◁", "\u00a0", "[THINK]", "</think>"]
    ),
    max_size=40,
)
REPEATING = [protocol for protocol in PROTOCOLS if protocol.wire == "sse"]


class _Never(Repeats):
    """Knows nothing, ever."""

    __slots__ = ()

    def take(self, chunk: bytes) -> tuple[bytes, bytes] | None:  # noqa: ARG002 - the answer to all
        return None


def _filtered(data: bytes, size: int) -> tuple[bytes, dict[str, Any]]:
    stream = PLAN.stream("browser_stream", wire="sse")
    out = [stream.feed(data[at : at + size]) for at in range(0, len(data), size)]
    return b"".join([*out, stream.flush()]), stream.report.to_dict()


def _with_and_without(data: bytes, size: int) -> tuple[Any, Any]:
    shortcut = _filtered(data, size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("reticent.serializers.framed.Repeats", _Never)
        return shortcut, _filtered(data, size)


@pytest.mark.parametrize("protocol", REPEATING, ids=lambda protocol: protocol.name)
@settings(max_examples=60)
@given(thoughts=PIECES, pieces=PIECES, more=PIECES, size=st.sampled_from([1, 90, 700, 1 << 20]))
def test_the_short_way_gives_what_the_long_way_gives(
    protocol: Protocol, thoughts: list[str], pieces: list[str], more: list[str], size: int
) -> None:
    """Token streams come out byte for byte the same, with the same counts, whether or not runs of events are known."""
    hidden = tuple(piece for word in thoughts for piece in (word, SECRET))
    message = [Block("reasoning", (*LONG, *hidden)), Block("text", (*LONG, *pieces)), Block("text", (*LONG, *more))]
    shortcut, long = _with_and_without(protocol.encode(message), size)
    assert shortcut == long
    assert leaks(shortcut[0], SECRET, wire="sse") == []


@pytest.mark.parametrize("name", ["anthropic", "chat", "gemini", "bedrock-lines"])
def test_a_tag_after_a_long_run_is_still_found(name: str) -> None:
    """A block of reasoning that opens a line after a hundred plain pieces goes as any other."""
    protocol = next(one for one in PROTOCOLS if one.name == name)
    words = LONG * 10
    text = Block("text", (*words, "\n", "<thi", "nk>", SECRET, "</think>", "\n", "Done."))
    stream = PLAN.stream("browser_stream", wire=protocol.wire)
    shown = stream.feed(protocol.encode([text])) + stream.flush()
    assert leaks(shown, SECRET, wire=protocol.wire) == []
    assert leaks(shown, "Done.", wire=protocol.wire) == ["Done."]


def test_a_run_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a long run of token events, all but a handful are answered without being parsed."""
    taken: list[bytes] = []
    take = Repeats.take

    def counting(self: Repeats, chunk: bytes) -> tuple[bytes, bytes] | None:
        found = take(self, chunk)
        if found is not None:
            taken.append(chunk)
        return found

    monkeypatch.setattr(Repeats, "take", counting)
    stream = PLAN.stream("browser_stream", wire="sse")
    protocol = next(one for one in PROTOCOLS if one.name == "chat")
    words = tuple(f" word{number}" for number in range(200))
    for event in protocol.encode([Block("reasoning", words), Block("text", words)]).split(b"\n\n"):
        stream.feed(event + b"\n\n")
    assert len(taken) > 380
