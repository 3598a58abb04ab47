"""The laws of every framing: any cutting gives the same frames, and the frames are the input."""

from __future__ import annotations

import json
import re
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reticent.errors import EgressRefused
from reticent.streams.detect import open_framing
from reticent.streams.sse import SseEvent

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from reticent.streams import Frame

BOM = b"\xef\xbb\xbf"
SIZES = (1, 2, 7, 64)


@dataclass(frozen=True)
class Outcome:
    """What a framing made of a stream; ``refusal`` is the error's class and message, empty when there was none."""

    frames: list[Frame]
    refusal: str

    @property
    def raw(self) -> bytes:
        """All bytes that came out."""
        return b"".join(frame.raw for frame in self.frames)


def run(wire: str, chunks: list[bytes], *, limit: int = 1 << 20) -> Outcome:
    """Cut ``chunks`` into frames, and check on the way that nothing but one started frame is held."""
    framing = open_framing(wire, limit=limit)
    frames: list[Frame] = []
    pending = 0
    try:
        for chunk in chunks:
            found = framing.feed(chunk)
            frames += found
            pending += len(chunk) - sum(len(frame.raw) for frame in found)
            assert framing.held <= min(pending, limit)
        frames += framing.flush()
    except EgressRefused as refusal:
        return Outcome(frames, f"{type(refusal).__name__}: {refusal}")
    assert framing.held == 0
    return Outcome(frames, "")


def sized(stream: bytes, size: int) -> list[bytes]:
    """Cut ``stream`` evenly."""
    return [stream[start : start + size] for start in range(0, len(stream), size)]


@st.composite
def cuttings(draw: st.DrawFn, stream: bytes) -> list[bytes]:
    """Cut ``stream`` anywhere, with empty pieces among them."""
    places = sorted(draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    return [stream[start:end] for start, end in zip([0, *places], [*places, len(stream)], strict=True)]


DATA_LINES = (b'data: {"a":1}', b"data:x", b"data", b"data: ", b"data:  two", b"data: [DONE]", b"data: caf\xc3\xa9")
OTHER_LINES = (b"event: e", b"event:", b"event: \xff", b"id: 7", b"retry: 1", b": note", b":", b"", b"", BOM)
STRAY_LINES = (b"junk", b'{"stray":1}')
SSE_LINES = DATA_LINES + OTHER_LINES + STRAY_LINES
LINE_ENDS = (b"\n", b"\r\n", b"\r")


def sse_streams() -> SearchStrategy[bytes]:
    """Streams of fields, comments and junk with all line endings, or with one, and bytes of no form at all."""
    mixed = st.lists(st.tuples(st.sampled_from(SSE_LINES), st.sampled_from(LINE_ENDS)), max_size=12)
    uniform = st.tuples(st.lists(st.sampled_from(SSE_LINES), max_size=12), st.sampled_from(LINE_ENDS))
    noise = st.lists(st.sampled_from([b"\r", b"\n", b"data", b":", b" ", b"x", BOM, b"\xef"]), max_size=16)
    tail = st.sampled_from([b"", b"da", b"data: half", b"id", b"\r", BOM[:2]])
    body = (
        mixed.map(lambda lines: b"".join(line + end for line, end in lines))
        | uniform.map(lambda drawn: b"".join(line + drawn[1] for line in drawn[0]))
        | noise.map(b"".join)
    )
    return st.builds(lambda head, middle, end: head + middle + end, st.sampled_from([b"", BOM]), body, tail)


def line_streams() -> SearchStrategy[bytes]:
    """Streams of JSON lines, lines with a prefix, blank lines and junk."""
    lines = [
        b'{"a":1}',
        b'g:"x"',
        b'0:"y"',
        b"[1]",
        b"",
        b"  ",
        b'\x1e{"s":2}',
        b"junk",
        b"\xff",
        b' {"a":1} ',
        b"7",
        b"t",
    ]
    body = st.lists(st.tuples(st.sampled_from(lines), st.sampled_from([b"\n", b"\r\n", b""])), max_size=12)
    return st.builds(
        lambda head, drawn: head + b"".join(line + end for line, end in drawn),
        st.sampled_from([b"", BOM, BOM[:1]]),
        body,
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(st.sampled_from('a"\\[]{},: é'), max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("k}", max_size=2), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def json_arrays(draw: st.DrawFn) -> bytes:
    """A valid array in any layout."""
    space = st.sampled_from(["", " ", "\r\n", "\n  ", "\t"])
    indent = draw(st.sampled_from([None, 1]))
    elements = [
        draw(space) + json.dumps(draw(JSON), indent=indent) + draw(space) for _ in range(draw(st.integers(0, 5)))
    ]
    return (draw(space) + "[" + draw(space) + ",".join(elements) + "]" + draw(space)).encode()


def array_streams() -> SearchStrategy[bytes]:
    """Valid arrays, arrays with a piece cut out, and tokens in any order."""
    tokens = st.lists(
        st.sampled_from([b"[", b"]", b"{", b"}", b",", b'"', b"\\", b"1", b" ", b"nul", b"\x00"]), max_size=14
    )
    damaged = st.builds(
        lambda text, start, length: text[:start] + text[start + length :], json_arrays(), *[st.integers(0, 40)] * 2
    )
    return json_arrays() | damaged | tokens.map(lambda drawn: b"[" + b"".join(drawn)) | tokens.map(b"".join)


def message(headers: list[tuple[bytes, bytes]], payload: bytes) -> bytes:
    """Build an AWS message; a header is its name, and its type and value as they stand on the wire."""
    block = b"".join(bytes([len(name)]) + name + value for name, value in headers)
    prelude = struct.pack("!II", len(block) + len(payload) + 16, len(block))
    body = prelude + struct.pack("!I", crc32(prelude)) + block + payload
    return body + struct.pack("!I", crc32(body))


def string(text: bytes) -> bytes:
    """Return a string value with its type."""
    return b"\x07" + struct.pack("!H", len(text)) + text


HEADERS = [
    (b":event-type", string(b"chunk")),
    (b":message-type", string(b"event")),
    (b"flag", b"\x00"),
    (b"count", b"\x04\x00\x00\x00\x09"),
    (b"blob", b"\x06\x00\x02\xff\xfe"),
    (b"when", b"\x08" + b"\x01" * 8),
    (b"who", b"\x09" + b"\x02" * 16),
]


def aws_streams() -> SearchStrategy[bytes]:
    """Streams of messages, whole, cut off, or with one byte changed."""
    one = st.builds(message, st.lists(st.sampled_from(HEADERS), max_size=4, unique=True), st.binary(max_size=20))
    whole = st.lists(one, max_size=4).map(b"".join)
    short = st.builds(lambda stream, end: stream[:end], whole, st.integers(0, 80))
    return whole | short | st.builds(spoiled, whole, st.integers(0, 200), st.integers(1, 255))


def spoiled(stream: bytes, place: int, change: int) -> bytes:
    """Change one byte, if there is one."""
    if place >= len(stream):
        return stream
    return stream[:place] + bytes([stream[place] ^ change]) + stream[place + 1 :]


STREAMS = {
    "sse": sse_streams(),
    "jsonl": line_streams(),
    "json-array": array_streams(),
    "aws-eventstream": aws_streams(),
}
wires = pytest.mark.parametrize("wire", STREAMS)


@wires
@given(data=st.data())
def test_frames_do_not_depend_on_the_cutting(wire: str, data: st.DataObject) -> None:
    """However a stream is cut, the frames are the same, and so is the refusal."""
    stream = data.draw(STREAMS[wire] | st.binary(max_size=40))
    whole = run(wire, [stream])

    assert whole == run(wire, data.draw(cuttings(stream)))
    for size in SIZES:
        assert whole == run(wire, sized(stream, size))


@wires
@given(data=st.data())
def test_frames_are_the_input(wire: str, data: st.DataObject) -> None:
    """The raw bytes of all frames are the stream, or all of it before the place where it was refused."""
    stream = data.draw(STREAMS[wire] | st.binary(max_size=40))
    outcome = run(wire, data.draw(cuttings(stream)))

    assert stream.startswith(outcome.raw)
    assert outcome.refusal or stream == outcome.raw


@wires
@given(data=st.data())
def test_a_limit_cuts_the_same_everywhere(wire: str, data: st.DataObject) -> None:
    """A frame longer than the limit is refused at the same place in any cutting, and the frames before it come out."""
    stream = data.draw(STREAMS[wire])
    limit = data.draw(st.integers(16, 40))
    outcome = run(wire, [stream], limit=limit)

    assert outcome == run(wire, data.draw(cuttings(stream)), limit=limit)
    assert all(len(frame.raw) <= limit for frame in outcome.frames)


@wires
@given(data=st.data())
def test_the_same_payload_gives_the_same_bytes(wire: str, data: st.DataObject) -> None:
    """Putting a frame's own payload into it changes no byte, unless it has lines that no reader should see."""
    for frame in run(wire, [data.draw(STREAMS[wire])]).frames:
        if frame.data is not None and frame.complete and not (isinstance(frame, SseEvent) and frame.stray):
            assert frame.raw == frame.with_data(frame.data)


@wires
@given(data=st.data(), payload=st.sampled_from([b'{"b":2}', b'"new"', b"[]", b"{}"]))
def test_another_payload_is_read_back(wire: str, data: st.DataObject, payload: bytes) -> None:
    """A frame with another payload is read as that payload, under the same name."""
    for frame in run(wire, [data.draw(STREAMS[wire])]).frames:
        if frame.data is not None and frame.complete:
            changed = frame.with_data(payload)
            stream = b"[" + changed.lstrip(b" \t\r\n,") + b"]" if wire == "json-array" else changed
            found = [again for again in run(wire, [stream]).frames if again.data is not None]

            assert [(payload, frame.event)] == [(again.data, again.event) for again in found]


@given(sse_streams())
def test_sse_is_read_as_the_standard_reads_it(stream: bytes) -> None:
    """Events and their names are those of a straightforward reading of the standard."""
    frames = [frame for frame in run("sse", sized(stream, 3)).frames if isinstance(frame, SseEvent) and frame.complete]
    found = [(frame.event, frame.data) for frame in frames if frame.data not in {None, frame.stray}]

    assert standard_sse(stream) == found


def standard_sse(stream: bytes) -> list[tuple[str | None, bytes]]:
    """Read a whole stream line by line; names are kept absent where the standard says ``message``."""
    events: list[tuple[str | None, bytes]] = []
    name: str | None = None
    values: list[bytes] = []
    for line in re.split(rb"\r\n|\r|\n", stream.removeprefix(BOM))[:-1]:
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            values.append(value)
        elif field == b"event":
            name = value.decode("utf-8", "replace")
        elif not line:
            if values:
                events.append((name, b"\n".join(values)))
            name, values = None, []
    return events


@given(json_arrays(), st.data())
def test_leaving_elements_out_leaves_the_array_of_the_others(array: bytes, data: st.DataObject) -> None:
    """An array without some of its elements is valid, has the others in order, and is the same bytes without none."""
    values = json.loads(array)
    kept = data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
    framing = open_framing("json-array")
    choice = iter(kept)
    sent = b"".join(
        framing.join(frame, frame.raw if frame.data is None or next(choice) else b"")
        for chunk in data.draw(cuttings(array))
        for frame in framing.feed(chunk)
    ) + b"".join(frame.raw for frame in framing.flush())

    assert [value for value, keep in zip(values, kept, strict=True) if keep] == json.loads(sent)
    assert array == sent or not all(kept)
