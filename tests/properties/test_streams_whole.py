"""A stream, filtered and read, is the message, read and filtered: for every protocol, however the bytes are cut."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.event_streams import PROTOCOLS, Block, Message, Protocol, messages

import reticent
from reticent.testing import leaks

SECRET = "CANARY-whole-7c19"
PLAN = reticent.load_plan()
LOGS = PLAN.serializer("logs")
protocols = pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)

EXAMPLE = (
    Block("reasoning", ("first CANARY-who", "le-7c19"), f"{SECRET}-sig"),
    Block("text", ("Visible ", "one < two", " and the rest.\n")),
    Block("call", ('{"thought":', '"kept"}')),
    Block("reasoning", (SECRET,)),
    Block("text", ("Visible more.",)),
)


def filtered(data: bytes, wire: str, size: int = 1 << 20) -> bytes:
    """``data`` through a filter, in chunks of ``size`` bytes."""
    stream = PLAN.stream("browser_stream", wire=wire)
    return b"".join([*(stream.feed(data[at : at + size]) for at in range(0, len(data), size)), stream.flush()])


@protocols
@settings(max_examples=60)
@given(message=messages(SECRET, tagged=True))
def test_no_canary_leaves(protocol: Protocol, message: Message) -> None:
    """Reasoning is in no spelling of a filtered stream."""
    assert leaks(filtered(protocol.encode(message), protocol.wire), SECRET, wire=protocol.wire) == []


@pytest.mark.parametrize("protocol", [one for one in PROTOCOLS if one.read is not None], ids=lambda one: one.name)
@settings(max_examples=60)
@given(message=messages(SECRET))
def test_the_filtered_stream_is_the_filtered_message(protocol: Protocol, message: Message) -> None:
    """What a reader makes of the filtered stream is the whole message without reasoning."""
    data = protocol.encode(message)
    whole = LOGS.value(protocol.decode(data))
    assert protocol.decode(filtered(data, protocol.wire)) == protocol.settle(whole)


@protocols
@settings(max_examples=40)
@given(message=messages(SECRET, tagged=True), cuts=st.lists(st.integers(0, 4000), max_size=8).map(sorted))
def test_cuts_do_not_matter(protocol: Protocol, message: Message, cuts: list[int]) -> None:
    """The bytes that come out are the same wherever the bytes that go in are cut."""
    data = protocol.encode(message)
    stream = PLAN.stream("browser_stream", wire=protocol.wire)
    pieces = [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    assert b"".join([*map(stream.feed, pieces), stream.flush()]) == filtered(data, protocol.wire)


@protocols
@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_chunks_of_any_size_give_the_same(protocol: Protocol, size: int) -> None:
    """Chunks of 1, 2, 7 and 64 bytes come out as the whole does."""
    data = protocol.encode(EXAMPLE)
    assert filtered(data, protocol.wire, size) == filtered(data, protocol.wire)


@protocols
def test_every_single_cut_gives_the_same(protocol: Protocol) -> None:
    """Cut in two at any byte, a stream comes out as the whole does."""
    data = protocol.encode(EXAMPLE[:2])
    whole = filtered(data, protocol.wire)
    for at in range(1, len(data)):
        stream = PLAN.stream("browser_stream", wire=protocol.wire)
        assert stream.feed(data[:at]) + stream.feed(data[at:]) + stream.flush() == whole
