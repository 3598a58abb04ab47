"""Where a surface leaves marks, a stream leaves those of the whole message: for every protocol, at every cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.event_streams import PROTOCOLS, Block, Message, Protocol, messages
from tests.properties.signs import VECTORS

from reticent.dialects import all_dialects
from reticent.errors import EgressRefused
from reticent.serializers.program import Options, compile_program
from reticent.serializers.serializer import StripSerializer
from reticent.serializers.stream import StripStream
from reticent.testing import leaks

if TYPE_CHECKING:
    from reticent.conformance import Vector

SECRET = "CANARY-mark-51d0"
PROGRAM = compile_program(all_dialects(), Options(on_strip="mark"))
EXAMPLE = (
    Block("reasoning", ("first CANARY-ma", "rk-51d0"), f"{SECRET}-sig"),
    Block("reasoning", (SECRET,)),
    Block("text", ("Visible ", "one < two", " and the rest.\n")),
    Block("call", ('{"thought":', '"kept"}')),
    Block("reasoning", (SECRET, SECRET)),
)
ONE_TEXT = frozenset({"gemini", "gemini-array", "mistral-chat", "langchain"})
"""Protocols in which nothing says that a text is over, so that it may wait behind a mark."""
MARKLESS = frozenset({"chat", "openrouter", "ollama", "ai-sdk-v4"})
"""Protocols in which reasoning is a member and no block, or nothing may stand in for a block."""
protocols = pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
read = pytest.mark.parametrize("protocol", [one for one in PROTOCOLS if one.read], ids=lambda one: one.name)


def filtered(data: bytes, wire: str, size: int = 1 << 20) -> bytes:
    """``data`` through a filter that leaves marks, in chunks of ``size`` bytes."""
    stream = StripStream("logs", PROGRAM, wire=wire, starts_inside=False)
    return b"".join([*(stream.feed(data[at : at + size]) for at in range(0, len(data), size)), stream.flush()])


def _agrees(protocol: Protocol, message: Message) -> None:
    data = protocol.encode(message)
    whole = StripSerializer("logs", PROGRAM).value(protocol.decode(data))
    assert protocol.settle(whole) == protocol.decode(filtered(data, protocol.wire))


@read
@settings(max_examples=40)
@given(data=st.data())
def test_the_marks_of_a_stream_are_those_of_the_message(protocol: Protocol, data: st.DataObject) -> None:
    """A filtered stream, read, is the filtered message, marks with their counts and lengths among it."""
    _agrees(protocol, data.draw(messages(SECRET, held=protocol.name not in ONE_TEXT)))


@protocols
def test_a_run_of_reasoning_leaves_a_mark(protocol: Protocol) -> None:
    """Two runs of reasoning leave two marks, but where the protocol has no place for one."""
    out = filtered(protocol.encode(EXAMPLE), protocol.wire)
    assert leaks(out, SECRET, wire=protocol.wire) == []
    told = str([] if protocol.read is None else protocol.decode(out))
    assert told.count("'length'") == (0 if protocol.name in MARKLESS else 2)


@protocols
@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_chunks_of_any_size_give_the_same_marks(protocol: Protocol, size: int) -> None:
    """Chunks of 1, 2, 7 and 64 bytes come out as the whole does."""
    data = protocol.encode(EXAMPLE)
    assert filtered(data, protocol.wire) == filtered(data, protocol.wire, size)


@protocols
@settings(max_examples=20)
@given(message=messages(SECRET, tagged=True), cuts=st.lists(st.integers(0, 4000), max_size=6).map(sorted))
def test_cuts_do_not_matter_to_marks(protocol: Protocol, message: Message, cuts: list[int]) -> None:
    """The bytes that come out are the same wherever the bytes that go in are cut, and hold no reasoning."""
    data = protocol.encode(message)
    stream = StripStream("logs", PROGRAM, wire=protocol.wire, starts_inside=False)
    pieces = [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    out = b"".join([*map(stream.feed, pieces), stream.flush()])
    assert out == filtered(data, protocol.wire)
    assert leaks(out, SECRET, wire=protocol.wire) == []


def _twice(vector: Vector, size: int) -> tuple[bytes, bytes]:
    once = filtered(vector.payload, vector.wire, size)
    return once, filtered(once, vector.wire)


@pytest.mark.parametrize("size", [1, 64])
def test_vectors_of_streams(size: int) -> None:
    """No stream of the conformance vectors leaks for its marks or differs at a cut, and marks stay as they are."""
    judged = 0
    for vector in VECTORS:
        if vector.form != "stream" or vector.surface_class != "strip" or vector.starts_inside:
            continue
        try:
            once, again = _twice(vector, size)
        except EgressRefused:
            continue
        judged += 1
        assert once == filtered(vector.payload, vector.wire), vector.id
        assert [leaks(once, canary, wire=vector.wire) for canary in vector.absent] == [[]] * len(vector.absent)
        assert once == again, vector.id
    assert judged > len(PROTOCOLS)


def test_vectors_of_messages() -> None:
    """Stripping a message twice leaves its marks as stripping once does."""
    serializer = StripSerializer("logs", PROGRAM)
    for vector in VECTORS:
        if vector.form in ("message", "history") and vector.surface_class == "strip":
            try:
                once = serializer(vector.payload)
            except EgressRefused:
                continue
            assert serializer(once) == once, vector.id
            assert [leaks(once, canary) for canary in vector.absent] == [[]] * len(vector.absent)
