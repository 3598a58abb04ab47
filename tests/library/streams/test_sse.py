"""Server-sent events, cut and put together."""

from __future__ import annotations

import pytest

from reticent.errors import InputTooLarge
from reticent.streams.sse import SseEvent, SseFraming


def events(stream: bytes) -> list[SseEvent]:
    """Cut a whole stream."""
    framing = SseFraming()
    frames = framing.feed(stream) + framing.flush()
    return [frame for frame in frames if isinstance(frame, SseEvent)]


def event(stream: bytes) -> SseEvent:
    """Cut a stream of one event."""
    (found,) = events(stream)
    return found


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
def test_every_line_ending_ends_lines(line_end: bytes) -> None:
    """LF, CRLF and CR read alike."""
    stream = line_end.join([b"event: ping", b'data: {"a":1}', b"", b"data:two", b"", b""])

    assert [("ping", b'{"a":1}'), (None, b"two")] == [(found.event, found.data) for found in events(stream)]


def test_line_endings_mix() -> None:
    """One event may use all of them, and its end is where two meet, CRLF being one."""
    assert [b"a\nb", b"c"] == [found.data for found in events(b"data: a\r\ndata: b\n\rdata: c\r\r\n")]


def test_a_carriage_return_waits_for_its_line_feed() -> None:
    """A CR at the end of a chunk is held until the next byte says whether a CRLF was cut."""
    framing = SseFraming()

    assert [] == framing.feed(b"data: a\r\n\r")
    assert 10 == framing.held
    assert [b"data: a\r\n\r\n"] == [frame.raw for frame in framing.feed(b"\n")]
    assert 0 == framing.held


def test_a_blank_line_that_was_cut_is_not_counted_to_the_event() -> None:
    """An empty line whose CRLF was cut comes out before the event after it ends."""
    framing = SseFraming(limit=8)

    assert [] == framing.feed(b"\r")
    assert [b"\r\n"] == [frame.raw for frame in framing.feed(b"\ndata: a")]
    assert 7 == framing.held


def test_a_carriage_return_at_the_end_needs_no_line_feed() -> None:
    """At the end of the stream a CR is a line ending, and the event is whole."""
    found = event(b"data: a\r\r")

    assert (b"a", True) == (found.data, found.complete)


def test_events_come_out_as_soon_as_they_end() -> None:
    """Nothing waits for the event after it."""
    framing = SseFraming()

    assert [b"data: a\n\n"] == [frame.raw for frame in framing.feed(b"data: a\n\ndata: b\n")]
    assert 8 == framing.held


def test_data_lines_are_joined() -> None:
    """Several data lines are one payload, and a data line without a value is an empty one."""
    assert b"a\n\nb\n" == event(b"data: a\ndata\ndata:b\ndata: \n\n").data


def test_one_space_is_taken_off() -> None:
    """A value loses one leading space and no more."""
    assert b" a " == event(b"data:  a \n\n").data


def test_the_end_marker_is_data() -> None:
    """``[DONE]`` is a payload like any other; what it means is for the reader."""
    assert b"[DONE]" == event(b"data: [DONE]\n\n").data


@pytest.mark.parametrize(
    ("kind", "stream"),
    [
        ("comment", b": keep-alive\n\n"),
        ("comment", b":\n:\n\n"),
        ("other", b"event: ping\n\n"),
        ("other", b": note\nid: 1\n\n"),
        ("other", b"retry: 10\n\n"),
        ("separator", b"\n"),
        ("separator", b"\r\n"),
        ("separator", b"\xef\xbb\xbf"),
    ],
)
def test_blocks_without_data_say_what_they_are(kind: str, stream: bytes) -> None:
    """A block without data has None as its payload and is copied when its payload is withheld."""
    found = event(stream)

    assert (kind, None, stream) == (found.kind, found.data, found.without_data())


def test_a_byte_order_mark_is_apart() -> None:
    """The mark that opens a stream belongs to no event, wherever it is cut."""
    framing = SseFraming()
    frames = [frame for byte in b"\xef\xbb\xbfdata: a\n\n" for frame in framing.feed(bytes([byte]))]

    assert [(None, "separator"), (b"a", "data")] == [(frame.data, frame.kind) for frame in frames]


def test_half_an_event_is_marked() -> None:
    """What the end of the stream cuts off has the data that came, and is not complete."""
    whole, half = events(b'data: a\n\nid: 1\ndata: {"b')

    assert (True, False) == (whole.complete, half.complete)
    assert b'{"b' == half.data


def test_lines_that_are_no_field_are_not_hidden() -> None:
    """Stray lines are shown apart, and as the payload where there is no other."""
    mixed = event(b"data: a\nmeta: b\n\n")
    alone = event(b'{"type":"x"}\n\n')

    assert (b"a", b"meta: b") == (mixed.data, mixed.stray)
    assert (b'{"type":"x"}', b'{"type":"x"}', "data") == (alone.data, alone.stray, alone.kind)


def test_stray_lines_do_not_go_on_with_another_payload() -> None:
    """Neither the old payload nor another one takes the stray lines with it."""
    found = event(b"id: 1\nmeta: b\ndata: a\n\n")

    assert b"id: 1\ndata: a\n\n" == found.with_data(b"a")
    assert b"id: 1\n\n" == found.without_data()


@pytest.mark.parametrize(
    ("stream", "changed"),
    [
        (b"data: a\n\n", b"data: NEW\n\n"),
        (b"data:a\n\n", b"data:NEW\n\n"),
        (b"data\n\n", b"data:NEW\n\n"),
        (b"event: e\r\ndata: a\r\n\r\n", b"event: e\r\ndata: NEW\r\n\r\n"),
        (b"data: a\r\r", b"data: NEW\r\r"),
        (b"id: 1\nretry: 2\n: c\nevent:e\ndata: a\n\n", b"id: 1\nretry: 2\n: c\nevent:e\ndata: NEW\n\n"),
        (b"data: a\nid: 1\n\n", b"data: NEW\nid: 1\n\n"),
        (b"data: a\n: c\ndata: b\nid: 1\n\n", b"data: NEW\n: c\nid: 1\n\n"),
        (b"data: a\n:data: a\n\n", b"data: NEW\n:data: a\n\n"),
        (b"data: data: a\n\n", b"data: NEW\n\n"),
        (b"event: ping\n\n", b"event: ping\ndata: NEW\n\n"),
        (b"data: a", b"data: NEW"),
        (b"data: a\nid: 1", b"data: NEW\nid: 1"),
        (b"event: e", b"event: e\ndata: NEW"),
    ],
)
def test_another_payload_keeps_everything_else(stream: bytes, changed: bytes) -> None:
    """Ids, times, comments, names, spacing and line endings stay as they came."""
    assert changed == event(stream).with_data(b"NEW")


def test_a_payload_of_several_lines_becomes_several_data_lines() -> None:
    """A line break in the payload cannot end the event."""
    changed = event(b"data:a\r\n\r\n").with_data(b"1\n\n 2\r3")

    assert b"data:1\r\ndata:\r\ndata:  2\r\ndata:3\r\n\r\n" == changed
    assert b"1\n\n 2\n3" == event(changed).data


@pytest.mark.parametrize(
    ("stream", "changed"),
    [
        (b"event: old\ndata: a\n\n", b"event: new\ndata: a\n\n"),
        (b"id: 1\ndata: a\n\n", b"id: 1\nevent: new\ndata: a\n\n"),
        (b"data: a\nevent: old\n\n", b"event: new\ndata: a\n\n"),
    ],
)
def test_an_event_can_be_renamed(stream: bytes, changed: bytes) -> None:
    """Another name replaces the old one or is put before the data."""
    assert changed == event(stream).with_data(b"a", event="new")


def test_a_name_cannot_smuggle_lines() -> None:
    """A name with a line break is an error of the caller."""
    with pytest.raises(ValueError, match="one line"):
        event(b"data: a\n\n").with_data(b"a", event="new\ndata: b")


def test_what_stays_without_the_payload() -> None:
    """Comments, the id and the retry time belong to the stream; name, data and an event of nothing else go."""
    assert b": c\nid: 1\nretry: 2\n\n" == event(b": c\nevent: e\nid: 1\ndata: a\nretry: 2\n\n").without_data()
    assert b"" == event(b"event: e\ndata: a\n\n").without_data()


def test_an_event_too_long_is_refused_for_good() -> None:
    """Events before the long one come out, then the stream stays refused, and the message quotes nothing."""
    framing = SseFraming(limit=20)

    assert [b"a"] == [frame.data for frame in framing.feed(b"data: a\n\ndata: " + b"CANARY" * 9)]
    with pytest.raises(InputTooLarge) as caught:
        framing.feed(b"\n\n")
    with pytest.raises(InputTooLarge):
        framing.flush()
    assert "CANARY" not in repr(caught.value)
    assert 0 == framing.held


def test_a_repr_shows_no_payload() -> None:
    """A frame says its kind and length."""
    assert "<SseEvent data of 14 bytes>" == repr(event(b"data: CANARY\n\n"))
    assert "<SseEvent data of 12 bytes incomplete>" == repr(event(b"data: CANARY"))
