"""A JSON array in pieces, cut and put together."""

from __future__ import annotations

import json

import pytest

from reticent.errors import InputTooLarge, MalformedInput
from reticent.streams.json_array import ArrayElement, JsonArrayFraming

GEMINI = b'[{\n  "a": 1\n}\n,\r\n{"b": "]},\\"["}\n,\r\n{"c": [{}, []]}\n]\n'


def elements(stream: bytes) -> list[ArrayElement]:
    """Cut a whole stream."""
    framing = JsonArrayFraming()
    return [frame for frame in framing.feed(stream) + framing.flush() if isinstance(frame, ArrayElement)]


def sized(stream: bytes) -> list[bytes]:
    """Cut a stream into single bytes."""
    return [bytes([byte]) for byte in stream]


def sent(stream: bytes, *dropped: int) -> bytes:
    """Cut a stream, leave the elements with these numbers out, and put the rest together."""
    framing = JsonArrayFraming()
    frames = framing.feed(stream) + framing.flush()
    numbers = iter(range(len(frames)))
    return b"".join(
        framing.join(frame, b"" if frame.data is not None and next(numbers) in dropped else frame.raw)
        for frame in frames
    )


def test_elements_are_cut_at_the_outermost_commas() -> None:
    """Brackets, commas and quotes inside an element end nothing."""
    found = [frame.data for frame in elements(GEMINI) if frame.data is not None]

    assert [b'{\n  "a": 1\n}', b'{"b": "]},\\"["}', b'{"c": [{}, []]}'] == found


def test_elements_of_every_type_are_cut() -> None:
    """Objects, arrays, strings, numbers and words are elements."""
    values: list[object] = [{}, [], "", "a,]", -1.5e3, True, None, [[1]], {"k": "\\"}]
    found = [json.loads(frame.data) for frame in elements(json.dumps(values).encode()) if frame.data is not None]

    assert values == found


def test_an_element_comes_out_at_its_last_byte() -> None:
    """Nothing waits for the comma behind an element, nor for the end behind the closing bracket."""
    framing = JsonArrayFraming()

    assert [b"["] == [frame.raw for frame in framing.feed(b"[")]
    assert [b'{"a":1}'] == [frame.raw for frame in framing.feed(b'{"a":1}')]
    assert [b', {"b":2}'] == [frame.raw for frame in framing.feed(b', {"b":2}')]
    assert [b"\n]"] == [frame.raw for frame in framing.feed(b"\n]\n")]
    assert 1 == framing.held


@pytest.mark.parametrize(
    ("dropped", "left"),
    [
        ((), GEMINI),
        ((0,), b'[\r\n{"b": "]},\\"["}\n,\r\n{"c": [{}, []]}\n]\n'),
        ((1,), b'[{\n  "a": 1\n}\n,\r\n{"c": [{}, []]}\n]\n'),
        ((2,), b'[{\n  "a": 1\n}\n,\r\n{"b": "]},\\"["}\n]\n'),
        ((0, 1), b'[\r\n{"c": [{}, []]}\n]\n'),
        ((0, 1, 2), b"[\n]\n"),
    ],
)
def test_commas_close_up(dropped: tuple[int, ...], left: bytes) -> None:
    """Whichever elements go, what is left is an array, and what stays is copied."""
    assert left == sent(GEMINI, *dropped)
    assert 3 - len(dropped) == len(json.loads(left))


def test_an_element_can_be_put_in() -> None:
    """An element made from the first one gets the comma that the first one does not have."""
    framing = JsonArrayFraming()
    opening, first, closing = framing.feed(b"[ 1 ]")
    frames = [(opening, opening.raw), (first, first.raw), (first, first.with_data(b"2")), (closing, closing.raw)]

    assert [1, 2] == json.loads(b"".join(framing.join(frame, body) for frame, body in frames))


def test_an_array_cut_off_before_anything_was_sent_has_no_comma() -> None:
    """A comma that the end of the stream leaves behind goes with the element before it."""
    assert b"[" == sent(b"[1,", 0)
    assert b"[1," == sent(b"[1,")


def test_another_payload_keeps_the_comma() -> None:
    """What stands before an element stays; an element has no name to change."""
    second = elements(b"[1,\r\n2]")[2]

    assert b",\r\nNEW" == second.with_data(b"NEW")
    with pytest.raises(ValueError, match="no event name"):
        second.with_data(b"NEW", event="e")


@pytest.mark.parametrize("half", [b'{"a', b'"a', b"12", b'{"a":"\\', b"[["])
def test_half_an_element_is_marked(half: bytes) -> None:
    """What the end of the stream cuts off has the text that came, and is not complete."""
    found = elements(b"[1, " + half)[-1]

    assert (half, False) == (found.data, found.complete)


@pytest.mark.parametrize(("rest", "complete"), [(b" ", False), (b"[1 ", False), (b"[1,\n", False), (b"[] \n", True)])
def test_white_space_at_the_end_is_a_separator(rest: bytes, complete: bool) -> None:
    """Only behind the closing bracket is the stream complete."""
    found = elements(rest)[-1]

    assert ("separator", None, complete) == (found.kind, found.data, found.complete)


@pytest.mark.parametrize(
    ("offset", "stream"),
    [
        (0, b"CANARY"),
        (0, b'{"CANARY":1}'),
        (1, b"[,1]"),
        (3, b"[1,]"),
        (3, b"[1,,2]"),
        (3, b"[1 2]"),
        (3, b'["""CANARY"]'),
        (4, b"[{} }CANARY]"),
        (2, b"[1}]"),
        (3, b"[] CANARY"),
        (2, b"[][]"),
        (4, b" [1]x"),
    ],
)
def test_what_is_no_array_is_refused(offset: int, stream: bytes) -> None:
    """The refusal names the place and quotes nothing; it comes after the frames before it, and stays."""
    framing = JsonArrayFraming()
    with pytest.raises(MalformedInput) as caught:
        list(map(framing.feed, sized(stream)))

    assert f"json-array: not a JSON array at offset {offset}" == str(caught.value)
    with pytest.raises(MalformedInput):
        framing.flush()


def test_frames_before_a_fault_come_out() -> None:
    """Elements in the chunk of the fault are given before the refusal."""
    framing = JsonArrayFraming()

    assert [b"[", b"1", b",2"] == [frame.raw for frame in framing.feed(b"[1,2}")]
    with pytest.raises(MalformedInput):
        framing.feed(b"")


def test_an_element_too_long_is_refused() -> None:
    """An element longer than the limit is refused without its end."""
    framing = JsonArrayFraming(limit=10)
    framing.feed(b"[")
    with pytest.raises(InputTooLarge) as caught:
        framing.feed(b'"CANARYCANARY')

    assert "CANARY" not in repr(caught.value)
