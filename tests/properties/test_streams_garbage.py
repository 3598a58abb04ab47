"""Streams that no vendor would send: reasoning does not come out, and nothing but a refusal is raised."""

from __future__ import annotations

import random
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.event_streams import PROTOCOLS, Block, Message, Protocol, join, messages

import reticent
from reticent.errors import EgressRefused
from reticent.testing import leaks

SECRET = "CANARY-garbage-3e8b"
PLAN = reticent.load_plan()
WIRES = ("auto", "sse", "jsonl", "json-array", "json", "text", "log", "aws-eventstream", "ai-sdk-v4")
protocols = pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
# In one channel of text, a tag that follows other text is a mention; so garbage is made of messages without tags.
MESSAGES = messages(SECRET)
# Declared text is a model's own, in which JSON is only text; and a letter in front of a string tells a log nothing.
MISTAKEN = [
    (protocol, wire)
    for protocol in PROTOCOLS
    for wire in WIRES
    if wire != "text" and (protocol.wire, wire) != ("ai-sdk-v4", "log")
]
# In AI SDK 4 one letter before the payload is all that tells reasoning: a fault there leaves text like any other.
told_inside = pytest.mark.parametrize(
    "protocol", [item for item in PROTOCOLS if item.wire != "ai-sdk-v4"], ids=lambda item: item.name
)


def shown(data: bytes, wire: str, sizes: int = 1 << 20) -> bytes:
    """What comes out before the end or the refusal; the refusal says nothing of the payload."""
    stream = PLAN.stream("browser_stream", wire=wire)
    out: list[bytes] = []
    try:
        for at in range(0, len(data), sizes):
            out.append(stream.feed(data[at : at + sizes]))  # noqa: PERF401 - a refusal must not lose what came out
        out.append(stream.flush())
    except EgressRefused as refusal:
        _says_nothing(refusal)
    assert SECRET not in repr(stream.report.to_dict())
    return b"".join(out)


def _says_nothing(refusal: EgressRefused) -> None:
    assert SECRET[:10] not in f"{refusal!r}{refusal}{refusal.__cause__}{refusal.__context__}"


@protocols
@settings(max_examples=50)
@given(message=MESSAGES, seed=st.integers(0, 2**32), how=st.sampled_from(["shuffled", "thinned", "doubled", "cut"]))
def test_events_in_the_wrong_order_leak_nothing(protocol: Protocol, message: Message, seed: int, how: str) -> None:
    """Shuffled events, missing stops and starts, repeated starts, half events: no canary."""
    rng = random.Random(seed)  # noqa: S311 - repeatable disorder, no secret
    events = disturbed(protocol.events(message), how, rng)
    data = join(protocol.wire, events, named=protocol.named)
    if how == "cut":
        data = data[: rng.randrange(len(data) + 1)]
    assert leaks(shown(data, protocol.wire), SECRET, wire=protocol.wire) == []


def disturbed(events: list[Any], how: str, rng: random.Random) -> list[Any]:
    """``events`` in another order, without some of them, or with some twice."""
    if how == "shuffled":
        return rng.sample(events, len(events))
    if how == "thinned":
        return [event for event in events if rng.random() > 0.3]
    if how == "doubled":
        return [one for event in events for one in [event] * rng.choice([1, 1, 2])]
    return events


@settings(max_examples=100)
@given(
    first=st.sampled_from([one for one in PROTOCOLS if one.wire in ("sse", "jsonl")]),
    second=st.sampled_from([one for one in PROTOCOLS if one.wire in ("sse", "jsonl")]),
    message=MESSAGES,
    wire=st.sampled_from(["sse", "jsonl", "json-array"]),
    seed=st.integers(0, 2**32),
)
def test_two_protocols_in_one_stream_leak_nothing(
    first: Protocol, second: Protocol, message: Message, wire: str, seed: int
) -> None:
    """Events of two protocols, interleaved on one wire: no canary."""
    left, right = first.events(message), second.events(message)
    rng = random.Random(seed)  # noqa: S311 - repeatable disorder, no secret
    both = sorted([*left, *right], key=lambda _: rng.random()) if seed % 2 else [*left, *right]
    assert leaks(shown(join(wire, both), wire), SECRET, wire=wire) == []


@pytest.mark.parametrize(("protocol", "wire"), MISTAKEN, ids=lambda one: getattr(one, "name", one))
def test_a_stream_on_the_wrong_wire_leaks_nothing(protocol: Protocol, wire: str) -> None:
    """A stream that is declared as something else is refused, or comes out without reasoning."""
    data = protocol.encode((Block("reasoning", (SECRET,), f"{SECRET}-sig"), Block("text", ("Visible one.",))))
    assert leaks(shown(data, wire), SECRET, wire="text") == []


@settings(max_examples=200)
@given(
    data=st.binary(max_size=300) | st.text(alphabet='dat: \n\r{}[]"\\,:0\x00eventyp', max_size=200).map(str.encode),
    wire=st.sampled_from(WIRES),
    size=st.sampled_from([1, 7, 1000]),
)
def test_noise_is_refused_or_filtered(data: bytes, wire: str, size: int) -> None:
    """Bytes without any sense give bytes or the typed refusal, the same for every chunking."""
    assert shown(data, wire, size) == shown(data, wire)


@told_inside
@settings(max_examples=50)
@given(
    message=MESSAGES,
    noise=st.sampled_from([b"\x00", b"\xff\xfe", b"\n", b"\r\n\r\n", b"\x1b["]),
    where=st.integers(0, 10_000),
)
def test_noise_inside_a_stream_leaks_nothing(protocol: Protocol, message: Message, noise: bytes, where: int) -> None:
    """Bytes that no JSON string may hold, put into the middle of a stream by a fault, do not let reasoning out."""
    data = protocol.encode(message)
    at = where % (len(data) + 1)
    assert leaks(shown(data[:at] + noise + data[at:], protocol.wire), SECRET, wire="text") == []


@protocols
@settings(max_examples=30)
@given(message=MESSAGES)
def test_after_a_refusal_nothing_comes(protocol: Protocol, message: Message) -> None:
    """A stream that was refused stays refused, whatever is fed."""
    stream = PLAN.stream("browser_stream", wire="aws-eventstream")
    with pytest.raises(EgressRefused):
        stream.feed(b"\x00\x00\x00\x20\x00\x00\x00\x00\xff\xff\xff\xff" + b"x" * 40)
    with pytest.raises(EgressRefused):
        stream.feed(protocol.encode(message))


def test_values_that_are_no_events_pass() -> None:
    """Numbers, strings and lists between events go on as they came."""
    data = b"".join(b"data: " + orjson.dumps(value) + b"\n\n" for value in [1, "a", None, [], [1], {"a": []}, {}])
    assert shown(data, "sse") == data


@told_inside
def test_a_line_end_anywhere_leaks_nothing(protocol: Protocol) -> None:
    """Where an event is broken in two, neither half passes for text, whichever byte the break is at."""
    data = protocol.encode([Block(kind="reasoning", pieces=(SECRET,)), Block(kind="text", pieces=("Hello.",))])
    for at in range(len(data) + 1):
        broken = data[:at] + b"\r\n\r\n" + data[at:]
        assert leaks(shown(broken, protocol.wire), SECRET, wire="text") == [], at
