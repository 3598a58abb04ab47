"""AWS event stream messages, cut and put together, compared with the parser of botocore."""

from __future__ import annotations

import struct
from zlib import crc32

import pytest
from botocore.eventstream import EventStreamBuffer

from reticent.errors import InputTooLarge, MalformedInput
from reticent.streams import aws_eventstream
from reticent.streams.aws_eventstream import AwsEventStreamFraming, AwsMessage, make_message

EVENT = {":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"}
EXCEPTION = {":exception-type": "throttlingException", ":message-type": "exception"}
ODD_HEADERS = (
    b"\x04true\x00"
    b"\x05false\x01"
    b"\x04byte\x02\x07"
    b"\x05short\x03\x00\x07"
    b"\x03int\x04\x00\x00\x00\x07"
    b"\x04long\x05\x00\x00\x00\x00\x00\x00\x00\x07"
    b"\x05bytes\x06\x00\x02\xff\xfe"
    b"\x04text\x07\x00\x03caf"
    b"\x04time\x08\x00\x00\x00\x00\x00\x00\x00\x07"
    b"\x04uuid\x09" + b"\x01" * 16
)


def header_block(headers: dict[str, str]) -> bytes:
    """Encode string headers."""
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    return b"".join(
        bytes([len(name)]) + name + b"\x07" + struct.pack("!H", len(value)) + value for name, value in pairs
    )


def message(block: bytes, payload: bytes) -> bytes:
    """Encode one message around encoded headers."""
    prelude = struct.pack("!II", len(block) + len(payload) + 16, len(block))
    body = prelude + struct.pack("!I", crc32(prelude)) + block + payload
    return body + struct.pack("!I", crc32(body))


def messages(stream: bytes) -> list[AwsMessage]:
    """Cut a whole stream."""
    framing = AwsEventStreamFraming()
    return [frame for frame in framing.feed(stream) + framing.flush() if isinstance(frame, AwsMessage)]


def botocore_reads(stream: bytes) -> list[tuple[dict[str, object], bytes]]:
    """Headers and payloads as botocore's parser sees them; it verifies both checksums."""
    buffer = EventStreamBuffer()
    buffer.add_data(stream)
    return [(dict(event.headers), event.payload) for event in buffer]


STREAM = (
    message(header_block(EVENT), b'{"bytes":"e30="}')
    + message(header_block(EXCEPTION), b'{"message":"slow down"}')
    + message(b"", b"")
    + message(header_block({":event-type": "caf\u00e9"}), b"\x00\xff")
)


def test_messages_are_read_as_botocore_reads_them() -> None:
    """Payloads and string headers agree with the vendor's own parser."""
    assert botocore_reads(STREAM) == [(found.headers, found.data) for found in messages(STREAM)]


def test_the_names_of_a_message() -> None:
    """The event type is the frame's name; exceptions are told by their own headers."""
    event, exception, bare, _ = messages(STREAM)

    assert ("chunk", "event", None) == (event.event, event.message_type, event.exception_type)
    assert (None, "exception", "throttlingException") == (
        exception.event,
        exception.message_type,
        exception.exception_type,
    )
    assert (None, None, b"") == (bare.event, bare.message_type, bare.data)


def test_headers_of_every_type_are_walked_over() -> None:
    """Only strings are shown, and the headers of other types stay byte for byte."""
    (found,) = messages(message(ODD_HEADERS, b"old"))
    changed = found.with_data(b"new payload")

    assert {"text": "caf"} == found.headers
    assert message(ODD_HEADERS, b"new payload") == changed
    assert botocore_reads(found.raw)[0][0] == botocore_reads(changed)[0][0]


@pytest.mark.parametrize("payload", [b"", b"{}", b'{"bytes":"' + b"A" * 70_000 + b'"}'])
def test_another_payload_has_right_checksums(payload: bytes) -> None:
    """The vendor's parser accepts the message and finds the new payload under the old headers."""
    assert [(EVENT, payload)] == botocore_reads(messages(STREAM)[0].with_data(payload))


def test_an_event_can_be_renamed() -> None:
    """Another event type stands in the place of the old one, or behind the headers that had none."""
    event, exception, _, _ = messages(STREAM)

    assert [({**EVENT, ":event-type": "other"}, b"{}")] == botocore_reads(event.with_data(b"{}", event="other"))
    assert [({**EXCEPTION, ":event-type": "e"}, b"{}")] == botocore_reads(exception.with_data(b"{}", event="e"))


def test_a_message_comes_out_at_its_last_byte() -> None:
    """Nothing waits for the message after it."""
    framing = AwsEventStreamFraming()
    whole = message(header_block(EVENT), b"{}")

    assert [] == framing.feed(whole[:-1])
    assert len(whole) - 1 == framing.held
    assert [whole] == [frame.raw for frame in framing.feed(whole[-1:] + whole[:5])]
    assert 5 == framing.held


def test_half_a_message_is_marked() -> None:
    """What the end of the stream cuts off is not complete, has no headers, and takes no payload."""
    found = messages(STREAM[:-1])[-1]

    assert (False, {}, None) == (found.complete, found.headers, found.event)
    assert found.data == found.raw
    with pytest.raises(MalformedInput):
        found.with_data(b"{}")


def test_a_withheld_message_leaves_nothing() -> None:
    """A message without its payload is gone, headers and all."""
    assert b"" == messages(STREAM)[0].without_data()


@pytest.mark.parametrize("place", range(len(message(header_block({"a": "CANARY"}), b"CANARY"))))
def test_one_wrong_bit_anywhere_is_refused(place: int) -> None:
    """Whichever bit is wrong, the message is refused or waited for, never believed."""
    whole = bytearray(message(header_block({"a": "CANARY"}), b"CANARY"))
    whole[place] ^= 1
    with pytest.raises(MalformedInput) as caught:
        messages(bytes(whole))

    assert "at offset 0" in str(caught.value)
    assert "CANARY" not in repr(caught.value)


def test_the_refusal_names_the_offset() -> None:
    """Messages before the fault come out; the refusal says where it is, and stays."""
    good, bad = message(header_block(EVENT), b"{}"), bytearray(message(b"", b"CANARY"))
    bad[-1] ^= 1
    framing = AwsEventStreamFraming()

    assert [good, good] == [frame.raw for frame in framing.feed(good + good + bytes(bad) + good)]
    for _ in range(2):
        with pytest.raises(MalformedInput, match=f"offset {2 * len(good)}: the checksum is wrong"):
            framing.feed(good)
    with pytest.raises(MalformedInput):
        framing.flush()


@pytest.mark.parametrize(
    "block",
    [
        b"\x01a\x07\x00\x09CANARY",
        b"\x01a\x07\x00",
        b"\x01a\x0aCANARY",
        b"\x01a\x04\x00",
        b"\x09CANARY",
        b"\x01a",
        b"\x01a\x00\x01a\x01",
        b"\x01a\x07\x00\x01\xff",
        b"\x01\xff\x07\x00\x01a",
    ],
)
def test_headers_that_cannot_be_read_are_refused(block: bytes) -> None:
    """Headers cut short, of an unknown type, twice there, or not UTF-8 are a fault of the message."""
    with pytest.raises(MalformedInput, match="the headers cannot be read") as caught:
        messages(message(block, b""))

    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def prelude(length: int, headers: int) -> bytes:
    """Encode a prelude with a right checksum."""
    lengths = struct.pack("!II", length, headers)
    return lengths + struct.pack("!I", crc32(lengths))


@pytest.mark.parametrize(("length", "headers"), [(15, 0), (16, 1), (0, 0), (100, 85)])
def test_lengths_that_contradict_one_another_are_refused(length: int, headers: int) -> None:
    """A message must have room for its prelude, its headers and its checksum."""
    with pytest.raises(MalformedInput, match="lengths"):
        AwsEventStreamFraming().feed(prelude(length, headers))


def test_a_message_too_long_is_refused_at_its_prelude() -> None:
    """Twelve bytes are enough to see that a message is longer than the limit."""
    with pytest.raises(InputTooLarge):
        AwsEventStreamFraming(limit=1000).feed(prelude(1001, 0))
    assert [] == AwsEventStreamFraming(limit=1000).feed(prelude(1000, 0))


def test_a_payload_that_no_length_field_can_say_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The length of a message is four bytes; what does not fit is not truncated."""
    found = messages(STREAM)[2]
    monkeypatch.setattr(aws_eventstream, "_TOO_LONG", 100)

    assert 99 == len(found.with_data(b"x" * 83))
    with pytest.raises(InputTooLarge):
        found.with_data(b"x" * 84)


def test_a_made_message_is_one_that_botocore_reads() -> None:
    """A message made for tests and vectors has the headers that a service sends."""
    assert [(EVENT, b"{}")] == botocore_reads(make_message("chunk", b"{}"))
