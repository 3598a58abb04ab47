"""What is answered without a look inside is answered as with one, and counted alike."""

from __future__ import annotations

import random
import re
from typing import Any

import orjson
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

    def take(self, chunk: bytes, *, is_numbered: bool = True) -> None:  # noqa: ARG002 - the answer to all
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


def _filled(data: bytes, filling: str, seed: int) -> bytes:
    """``data`` with events of random lengths, as APIs send them that hide how long a text is."""
    rng = random.Random(seed)  # noqa: S311 - lengths

    def with_more(_end: re.Match[bytes]) -> bytes:
        size = rng.randrange(9)
        return b" " * size + b"}\n\n" if filling == "blanks" else b',"obfuscation":"' + b"aB3" * size + b'"}\n\n'

    return re.sub(rb"\}\n\n", with_more, data) if filling else data


@pytest.mark.parametrize("protocol", REPEATING, ids=lambda protocol: protocol.name)
@settings(max_examples=60)
@given(
    thoughts=PIECES,
    pieces=PIECES,
    more=PIECES,
    size=st.sampled_from([1, 90, 700, 1 << 20]),
    filled=st.tuples(st.sampled_from(["", "blanks", "letters"]), st.integers(0, 99)),
)
def test_the_short_way_gives_what_the_long_way_gives(
    *, protocol: Protocol, thoughts: list[str], pieces: list[str], more: list[str], size: int, filled: tuple[str, int]
) -> None:
    """Token streams come out byte for byte the same, with the same counts, whether or not runs of events are known."""
    hidden = tuple(piece for word in thoughts for piece in (word, SECRET))
    message = [Block("reasoning", (*LONG, *hidden)), Block("text", (*LONG, *pieces)), Block("text", (*LONG, *more))]
    shortcut, long = _with_and_without(_filled(protocol.encode(message), *filled), size)
    assert shortcut == long
    assert leaks(shortcut[0], SECRET, wire="sse") == []


SHAPES = (
    (0, "content"),
    (1, "content"),
    (0, "reasoning_content"),
    (1, "tool_text"),
)
WORDS = st.sampled_from(["word", "word", "other ", "é", "\n", "<think>", "</think>", "`", "\n\n<think>x", "<", "one."])


@settings(max_examples=150)
@given(
    turns=st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3),
    words=st.lists(WORDS, min_size=1, max_size=60),
    rounds=st.integers(1, 8),
    size=st.sampled_from([1, 90, 1 << 20]),
)
def test_shapes_that_take_turns_are_answered_as_one_by_one(
    turns: list[tuple[int, str]], words: list[str], rounds: int, size: int
) -> None:
    """Choices of one stream, reasoning and answers in turn: the same bytes and counts, also where events repeat."""
    events: list[bytes] = []
    for number, word in enumerate(["word"] * 4 * rounds + words + ["word"] * 4 * rounds):
        index, name = turns[number % len(turns)]
        choice = {"index": index, "delta": {name: word if name == "content" else f"{word}{SECRET}"}, "logprobs": None}
        events.append(b"data: " + orjson.dumps({"choices": [choice]}) + b"\n\n")
    shortcut, long = _with_and_without(b"".join(events), size)
    assert shortcut == long
    if all(name != "tool_text" for _, name in turns):
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


PARTS = st.sampled_from(
    [("reasoning", "response.reasoning_summary_text.delta"), ("message", "response.output_text.delta")]
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from([1, 1, 1, 1, 1, 2, 0, -3, -100]),
        st.sampled_from([*["%d"] * 12, "%d.0", "%d00000000000000000", "-%d"]),
    ),
    min_size=1,
    max_size=9,
)
"""How the numbers of events go on, and how each is spelt."""


@settings(max_examples=120)
@given(
    parts=st.lists(PARTS, min_size=1, max_size=3),
    words=st.lists(WORDS, min_size=1, max_size=20),
    steps=STEPS,
    size=st.sampled_from([1, 90, 1 << 20]),
    filling=st.sampled_from(["", "letters"]),
    behind=st.booleans(),
)
def test_numbered_events_are_counted_as_one_by_one(
    *,
    parts: list[tuple[str, str]],
    words: list[str],
    steps: list[tuple[int, str]],
    size: int,
    filling: str,
    behind: bool,
) -> None:
    """Sequence numbers, wherever they stand and however they skip, close up the same whether or not events are read."""
    events: list[bytes] = []
    number = 0

    def add(event: dict[str, Any]) -> None:
        nonlocal number
        kind = event.pop("type")
        told = {"sequence_number": "N"}
        body = orjson.dumps({"type": kind, **event, **told} if behind else {"type": kind, **told, **event})
        spelt = steps[len(events) % len(steps)][1] % number
        body = body.replace(b'"sequence_number":"N"', b'"sequence_number":' + spelt.encode())
        events.append(b"event: " + kind.encode() + b"\ndata: " + body + b"\n\n")
        number = max(0, number + steps[len(events) % len(steps)][0])

    for at, (kind, name) in enumerate(parts):
        add({"type": "response.output_item.added", "output_index": at, "item": {"id": f"i{at}", "type": kind}})
        for word in [*["word"] * 9, *words, *["other "] * 9]:
            text = word if kind == "message" else f"{word}{SECRET}"
            add({"type": name, "item_id": f"i{at}", "output_index": at, "content_index": 0, "delta": text})
        add({"type": "response.output_item.done", "output_index": at, "item": {"id": f"i{at}", "type": kind}})
    shortcut, long = _with_and_without(_filled(b"".join(events), filling, 5), size)
    assert shortcut == long
    assert leaks(shortcut[0], SECRET, wire="sse") == []


@pytest.mark.parametrize(
    ("name", "filling"),
    [("chat", ""), ("anthropic", "blanks"), ("chat", "letters"), ("responses", ""), ("responses", "letters")],
)
def test_a_run_is_known(monkeypatch: pytest.MonkeyPatch, name: str, filling: str) -> None:
    """Of a long run of token events, all but a handful are answered without being parsed, however they are filled."""
    taken: list[bytes] = []
    take = Repeats.take

    def counting(self: Repeats, chunk: bytes, *, is_numbered: bool = True) -> tuple[bytes, bytes] | None:
        found = take(self, chunk, is_numbered=is_numbered)
        if found is not None and is_numbered:
            taken.append(chunk)
        return found

    monkeypatch.setattr(Repeats, "take", counting)
    stream = PLAN.stream("browser_stream", wire="sse")
    protocol = next(one for one in PROTOCOLS if one.name == name)
    words = tuple(f" word{number}" for number in range(200))
    blocks = [Block("text", words)] if filling == "letters" else [Block("reasoning", words), Block("text", words)]
    for event in _filled(protocol.encode(blocks), filling, 1).split(b"\n\n"):
        stream.feed(event + b"\n\n")
    assert len(taken) > 190 * len(blocks)


def test_two_runs_that_take_turns_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two choices whose events alternate are two runs, and each goes on through its own text."""
    judged: list[Any] = []
    learn = Repeats.learn

    def counting(self: Repeats, answer: Any) -> None:
        judged.append(answer)
        learn(self, answer)

    monkeypatch.setattr(Repeats, "learn", counting)
    stream = PLAN.stream("browser_stream", wire="sse")
    for number in range(100):
        choice = {"index": number % 2, "delta": {"content": f" word{number}"}, "logprobs": None}
        event = b"data: " + orjson.dumps({"choices": [choice]}) + b"\n\n"
        assert stream.feed(event) == event
    assert len(judged) < 12
