"""Lines of JSON, cut and put together."""

from __future__ import annotations

import pytest

from reticent.errors import InputTooLarge
from reticent.streams.jsonlines import JsonLine, JsonLinesFraming


def lines(stream: bytes) -> list[JsonLine]:
    """Cut a whole stream."""
    framing = JsonLinesFraming()
    return [frame for frame in framing.feed(stream) + framing.flush() if isinstance(frame, JsonLine)]


def line(stream: bytes) -> JsonLine:
    """Cut a stream of one line."""
    (found,) = lines(stream)
    return found


def test_lines_end_in_lf_or_crlf() -> None:
    """Both endings are kept in the raw bytes and out of the payload."""
    found = lines(b'{"a":1}\n{"b":2}\r\n')

    assert [b'{"a":1}', b'{"b":2}'] == [each.data for each in found]
    assert [b'{"a":1}\n', b'{"b":2}\r\n'] == [each.raw for each in found]


def test_blank_lines_separate() -> None:
    """A line of white space has no payload and is kept."""
    assert [(b"\n", None, "separator"), (b" \t\r\n", None, "separator")] == [
        (each.raw, each.data, each.kind) for each in lines(b"\n \t\r\n")
    ]


def test_the_last_line_needs_no_ending() -> None:
    """What the end of the stream ends is a line, marked as one that nothing else ended."""
    first, last = lines(b'{"a":1}\n{"b":2}')

    assert (True, False) == (first.complete, last.complete)
    assert b'{"b":2}' == last.data


def test_a_line_comes_out_as_soon_as_it_ends() -> None:
    """Nothing waits for the line after it."""
    framing = JsonLinesFraming()

    assert [] == framing.feed(b'{"a"')
    assert [b'{"a":1}'] == [frame.data for frame in framing.feed(b":1}\n{")]
    assert 1 == framing.held


@pytest.mark.parametrize(
    ("prefix", "data", "stream"),
    [
        ("g", b'"PRIV "', b'g:"PRIV "\n'),
        ("0", b'"g:42"', b'0:"g:42"\n'),
        ("j", b'{"signature":"SIG=="}', b'j:{"signature":"SIG=="}\r\n'),
        (None, b'"g:42"', b'"g:42"\n'),
        (None, b"true", b"true\n"),
        (None, b"0", b"0\n"),
        (None, b'gg:"x"', b'gg:"x"\n'),
        (None, b'G:"x"', b'G:"x"\n'),
    ],
)
def test_a_prefix_is_kept_apart(prefix: str | None, data: bytes, stream: bytes) -> None:
    """One character and a colon at the start of a line name the payload; nothing else does."""
    found = line(stream)

    assert (prefix, data) == (found.event, found.data)


@pytest.mark.parametrize(
    ("stream", "changed"),
    [
        (b'{"a":1}\n', b"NEW\n"),
        (b' {"a":1} \r\n', b" NEW \r\n"),
        (b'{"a":1}', b"NEW"),
        (b'\x1e{"a":1}\n', b"\x1eNEW\n"),
        (b'g:"x"\n', b"g:NEW\n"),
        (b'g: "x" \n', b"g: NEW \n"),
        (b"g:\n", b"g:NEW\n"),
    ],
)
def test_another_payload_keeps_what_stands_around_it(stream: bytes, changed: bytes) -> None:
    """Prefix, white space and line ending stay."""
    assert changed == line(stream).with_data(b"NEW")


def test_a_prefix_can_be_exchanged() -> None:
    """Another name replaces the prefix, where there is one."""
    assert b'0:"y"\n' == line(b'g:"x"\n').with_data(b'"y"', event="0")
    with pytest.raises(ValueError, match="no event"):
        line(b'{"a":1}\n').with_data(b"{}", event="0")


def test_a_payload_cannot_be_two_lines() -> None:
    """A line feed in the payload is an error of the caller."""
    with pytest.raises(ValueError, match="one line"):
        line(b'{"a":1}\n').with_data(b'{\n"a":1}')


def test_a_withheld_line_leaves_nothing() -> None:
    """Without its payload a line is gone; a separator stays."""
    assert [b"", b"\n"] == [each.without_data() for each in lines(b'{"a":1}\n\n')]


def test_a_byte_order_mark_is_apart() -> None:
    """The mark that opens a file belongs to no line."""
    assert [None, b'{"a":1}'] == [each.data for each in lines(b'\xef\xbb\xbf{"a":1}\n')]


def test_a_line_too_long_is_refused() -> None:
    """Lines before the long one come out, and the message quotes nothing."""
    framing = JsonLinesFraming(limit=10)

    assert [b"{}"] == [frame.data for frame in framing.feed(b"{}\n" + b"CANARY" * 3 + b"\n{}\n")]
    with pytest.raises(InputTooLarge) as caught:
        framing.flush()
    assert "CANARY" not in repr(caught.value)
