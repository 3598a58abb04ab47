"""Streams to one surface: framing, what is held back, and how a stream ends."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest

import reticent
from reticent.errors import EgressRefused, MalformedInput, UnknownWire
from reticent.testing import leaks

SECRET = "CANARY-stream-20d7"
PLAN = reticent.load_plan()


def _through(data: bytes, wire: str, size: int = 1 << 20, **options: Any) -> bytes:
    stream = PLAN.stream("browser_stream", wire=wire, **options)
    return b"".join([*(stream.feed(data[at : at + size]) for at in range(0, len(data), size)), stream.flush()])


def _sse(*events: dict[str, Any] | str, named: bool = True) -> bytes:
    out = b""
    for event in events:
        data = event if isinstance(event, str) else json.dumps(event)
        name = f"event: {event['type']}\n" if named and isinstance(event, dict) and "type" in event else ""
        out += f"{name}data: {data}\n\n".encode()
    return out


START = {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": []}}
THINKING: list[dict[str, Any]] = [
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": SECRET}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": SECRET}},
    {"type": "content_block_stop", "index": 0},
]
TEXT: list[dict[str, Any]] = [
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Done."}},
    {"type": "content_block_stop", "index": 1},
]
END: list[dict[str, Any]] = [
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}},
    {"type": "message_stop"},
]


def _moved(event: dict[str, Any]) -> dict[str, Any]:
    return {**event, "index": 0}


@pytest.mark.parametrize("size", [1, 2, 7, 64, 1 << 20])
def test_blocks_go_whole_and_the_rest_closes_up(size: int) -> None:
    """Start, deltas and stop of a thinking block go together, and later blocks move up."""
    shown = _through(_sse(START, *THINKING, *TEXT, *END), "sse", size)
    assert shown == _sse(START, *map(_moved, TEXT), *END)


def test_comments_ids_and_terminators_stay() -> None:
    """What is no payload goes through as it came."""
    data = b': keep-alive\n\nid: 7\nretry: 100\ndata: {"choices":[]}\n\ndata: [DONE]\n\n'
    assert _through(data, "sse", 3) == data


def test_nothing_hides_beside_the_payload() -> None:
    """Comments with reasoning and lines that no standard knows do not leave; other comments do."""
    thought = f'{{"type":"thinking","thinking":"{SECRET}"}}'
    data = f": {thought}\n\ndata: {{}}\nmeta: {thought}\n: ping\n: {thought}\n\n: ping\n\n".encode()
    for size in (1, 7, 1 << 20):
        shown = _through(data, "sse", size)
        assert leaks(shown, SECRET, wire="sse") == []
        assert shown.count(b": ping") == 2
        assert b"data: {}" in shown


def test_an_array_ends_after_the_text_that_was_held() -> None:
    """Held-back text of a streamed array comes before its closing bracket."""
    chunk = {"candidates": [{"content": {"role": "model", "parts": [{"text": "a <thi"}]}, "index": 0}]}
    shown = _through(json.dumps([chunk]).encode(), "json-array")
    texts = [item["candidates"][0]["content"]["parts"][0]["text"] for item in json.loads(shown)]
    assert "".join(texts) == "a <thi"


def test_half_an_event_does_not_go_on() -> None:
    """A stream that breaks off inside an event ends before it."""
    data = (
        _sse(START) + b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"thi'
    )
    assert _through(data, "sse") == _sse(START)


def test_held_text_comes_before_the_stop() -> None:
    """Text that could have become a tag is sent when it no longer can."""
    deltas = [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a <thi"}}]
    events = [START, _moved(TEXT[0]), *deltas, _moved(TEXT[2]), *END]
    shown = [
        orjson.loads(line[6:]) for line in _through(_sse(*events), "sse").split(b"\n") if line.startswith(b"data: ")
    ]
    assert "".join(event["delta"]["text"] for event in shown if event["type"] == "content_block_delta") == "a <thi"
    assert [event["type"] for event in shown][-3:] == ["content_block_stop", "message_delta", "message_stop"]


def test_inline_tags_are_cut_across_deltas() -> None:
    """A tag that is cut over many chunks, and everything inside it, is not sent."""
    pieces = ["<th", "ink>", SECRET[:5], SECRET[5:], "</thi", "nk>", "\n\nDone", "."]
    chunks = [{"id": "c", "choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    final = {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    shown = _through(_sse(*chunks, final, "[DONE]", named=False), "sse", 5)
    assert leaks(shown, SECRET, wire="sse") == []
    values = [orjson.loads(line[6:]) for line in shown.split(b"\n") if line.startswith(b"data: {")]
    assert "".join(value["choices"][0]["delta"].get("content", "") for value in values) == "Done."
    assert shown.endswith(b"data: [DONE]\n\n")


@pytest.mark.parametrize("wire", ["sse", "jsonl", "json-array", "text", "log", "json", "auto"])
def test_an_empty_stream_is_empty(wire: str) -> None:
    """Nothing in, nothing out."""
    stream = PLAN.stream("logs", wire=wire)
    assert stream.feed(b"") + stream.flush() == b""


def test_a_message_starts_inside_reasoning_once() -> None:
    """Where the template opened the tag, the first text of a message starts inside; later texts of it do not."""
    first = {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": f"{SECRET}</think>\n\nOne."},
    }
    second = {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Two."}}
    events = [START, _moved(TEXT[0]), first, _moved(TEXT[2]), TEXT[0], second, TEXT[2], *END]
    shown = _through(_sse(*events), "sse", starts_inside=True)
    assert leaks(shown, SECRET, wire="sse") == []
    assert b"One." in shown
    assert b"Two." in shown


def test_a_stream_of_endless_channels_is_refused() -> None:
    """A hostile stream cannot grow what is kept for it without end."""
    stream = PLAN.stream("logs", wire="jsonl")
    chunks = [{"choices": [{"index": index, "delta": {"content": "a <thi"}}]} for index in range(5000)]
    stream.feed(b"\n".join(map(orjson.dumps, chunks)) + b"\n")
    with pytest.raises(EgressRefused):
        stream.flush()


def test_a_refused_stream_stays_refused() -> None:
    """After a refusal nothing more comes out, whatever is fed."""
    stream = PLAN.stream("logs", wire="aws-eventstream")
    with pytest.raises(MalformedInput):
        stream.feed(b"\x00\x00\x00\x20\x00\x00\x00\x00\xff\xff\xff\xff" + b"x" * 40)
    with pytest.raises(EgressRefused):
        stream.feed(b"more")
    with pytest.raises(EgressRefused):
        stream.flush()


def test_unknown_wires_fail_when_the_stream_is_opened() -> None:
    """A framing that does not exist is an error before the first byte, with a suggestion."""
    with pytest.raises(UnknownWire, match="Did you mean 'sse'"):
        PLAN.stream("logs", wire="sse2")


@pytest.mark.parametrize(
    ("data", "wire"),
    [
        (_sse(START, *THINKING, *TEXT, *END), "sse"),
        (b'{"message":{"role":"assistant","thinking":"%s","content":""}}\n' % SECRET.encode(), "jsonl"),
        (b'[{"candidates":[{"content":{"parts":[{"text":"%s","thought":true}]}}]}]' % SECRET.encode(), "json-array"),
        (b'{"content":[{"type":"thinking","thinking":"%s"}]}' % SECRET.encode(), "json"),
        (b"<think>%s</think>Done." % SECRET.encode(), "text"),
        (b"WARN turn ThinkingBlock(thinking='%s', type='thinking')\n" % SECRET.encode(), "log"),
    ],
)
@pytest.mark.parametrize("size", [1, 64])
def test_auto_finds_the_wire(data: bytes, wire: str, size: int) -> None:
    """Without a declared wire the stream is told by its first bytes, and filtered alike."""
    assert leaks(_through(data, "auto", size), SECRET, wire="text") == []
    if wire != "log":
        assert _through(data, "auto", size) == _through(data, wire)


def test_log_records_over_several_lines_are_one() -> None:
    """A repr that goes over several lines is judged as one record, and the lines around it stay."""
    record = f"ERROR failed Part(\n  text='{SECRET}',\n  thought=True\n)\n"
    shown = _through(f"INFO a\n{record}INFO b\n".encode(), "log", 7).decode()
    assert SECRET not in shown
    assert shown.startswith("INFO a\nERROR failed ")
    assert shown.endswith("INFO b\n")


def test_a_record_that_cannot_be_judged_leaves_a_placeholder() -> None:
    """A log keeps its lines: one that cannot be judged says how long it was."""
    text = "{" * 400 + f'"thinking": "{SECRET}"'
    shown = _through(f"INFO a\nERROR x={text}\nINFO b\n".encode(), "log").decode()
    assert SECRET not in shown
    assert "INFO a\n" in shown
    assert "INFO b\n" in shown
    assert "withheld" in shown or "removed" in shown


def test_pass_streams_return_the_same_chunks() -> None:
    """On a pass surface every chunk comes back as the same object."""
    stream = PLAN.stream("request_memory", wire="sse")
    chunk = b"data: {"
    assert stream.feed(chunk) is chunk
    assert stream.flush() == b""


def test_arrays_of_events_are_judged_in_order() -> None:
    """A list of a stream's events in a log loses what the stream would lose, and its positions close up."""
    events = [START, *THINKING, *TEXT, *END]
    shown = PLAN.serializer("logs").value({"events": events})
    assert shown == {"events": [START, *map(_moved, TEXT), *END]}
    assert json.loads(PLAN.serializer("logs")(json.dumps(events, indent=1))) == shown["events"]
