"""What the proofs of this folder, hostile documents and fuzzing found once, each as a case of its own."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from tests.properties.event_streams import join, values

import reticent
from reticent.errors import EgressRefused, MalformedInput
from reticent.testing import leaks

SECRET = "CANARY-regression-c2d7"
PLAN = reticent.load_plan()
LOGS = PLAN.serializer("logs")


def _filtered(data: bytes, wire: str, **options: Any) -> bytes:
    stream = PLAN.stream("browser_stream", wire=wire, **options)
    return stream.feed(data) + stream.flush()


@pytest.mark.parametrize(
    "event",
    [
        {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": '{"thought":'},
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": '{"summary": "The user'},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": '{"reasoning": "It is a'}},
        {"choices": [{"index": 0, "delta": {"content": '{"signature": "Yours sincerely, '}}]},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"thinking": "a setting", '},
        {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": '{"thought": "a column", '},
    ],
    ids=lambda event: str(event.get("type", "chat")),
)
def test_a_piece_of_json_is_not_json_that_was_cut_short(event: dict[str, Any]) -> None:
    """Arguments and structured answers come in pieces, and a piece goes on as it came."""
    data = join("sse", [event])
    assert _filtered(data, "sse") == data


def test_held_text_of_gemini_comes_before_a_call() -> None:
    """Text that was held back is given out before the call that follows it, not at the end of the turn."""
    parts = [{"text": "a <"}, {"functionCall": {"name": "f", "args": {}}}]
    events = [{"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}}]} for part in parts]
    shown = values("sse", _filtered(join("sse", events), "sse"))
    found = [part for event in shown for part in event["candidates"][0]["content"]["parts"]]
    assert "".join(part["text"] for part in found[:-1]) == "a <"
    assert found[-1] == parts[1]


@pytest.mark.parametrize("size", [1, 9, 1000])
def test_events_that_are_tokens_are_one_text(size: int) -> None:
    """Where a server sends bare tokens as events, a tag that opens in one and closes in another is a tag."""
    tokens = ["<thi", "nk>", SECRET[:6], SECRET[6:], "</think>", "Hello", " there <", "b", ">"]
    data = "".join(f"data: {token}\n\n" for token in [*tokens, "[DONE]"]).encode()
    stream = PLAN.stream("browser_stream", wire="sse")
    shown = b"".join([*(stream.feed(data[at : at + size]) for at in range(0, len(data), size)), stream.flush()])
    assert leaks(shown, SECRET[:6], SECRET[6:], wire="sse") == []
    lines = [line[6:] for line in shown.decode().split("\n") if line.startswith("data: ")]
    assert "".join(lines) == "Hello there <b>[DONE]"


@pytest.mark.parametrize("wire", ["sse", "jsonl", "json-array"])
@pytest.mark.parametrize("noise", ["\x00", "\x1b"])
def test_a_payload_that_a_byte_broke_is_refused(wire: str, noise: str) -> None:
    """JSON that does not parse may have lost the very byte that says what it is: the stream is refused."""
    part = f'{{"candidates":[{{"content":{{"parts":[{{"text":"{SECRET}","thou{noise}ght":true}}]}}}}]}}'
    data = {"sse": f"data: {part}\n\n", "jsonl": f"{part}\n", "json-array": f"[{part}]"}[wire].encode()
    with pytest.raises(MalformedInput) as refusal:
        _filtered(data, wire)
    assert SECRET not in f"{refusal.value!r}"


@pytest.mark.parametrize("size", [1, 40, 10_000])
def test_what_came_before_a_fault_goes_on_for_every_chunking(size: int) -> None:
    """Frames in front of a fault in the same chunk are given out, and then the stream is refused."""
    good = join("sse", [{"choices": [{"index": 0, "delta": {"content": "Hello"}}]}])
    data = good + b'data: {"choices": [{"index": 0, "delta": \x00}]}\n\n' + good
    stream = PLAN.stream("browser_stream", wire="sse")
    out = b""
    with pytest.raises(EgressRefused):  # noqa: PT012 - which of the calls refuses depends on the chunks
        for at in range(0, len(data), size):
            out += stream.feed(data[at : at + size])
        stream.flush()
    assert out == good


@pytest.mark.parametrize(
    "value",
    [
        {"role": "assistant", "tool_plan": SECRET, "tool_calls": [{"id": "c"}]},
        {"role": "assistant", "content": [{"type": "next_quarters_block", "body": SECRET}]},
        {"role": "assistant", "content": f"<|channel|>analysis<|message|>{SECRET}<|end|>"},
    ],
    ids=["plan", "unknown-type", "channel"],
)
def test_json_behind_a_prefix_is_judged_whatever_its_keys_are(value: Any) -> None:
    """In a log line an object is read even when no word in it looks like reasoning."""
    assert leaks(LOGS.text(f"WARN body={orjson.dumps(value).decode()} status=500"), SECRET) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"role":"assistant","content":[{"type":"thinking","thinking":"%s"}],"content":"shown"}',
        "{'thinking': '%s', 'type': 'thinking', 'thinking': ''}",
    ],
)
def test_a_key_that_comes_twice_in_a_log_line(text: str) -> None:
    """The copy that a later one replaces is gone from a log line, as it is from a body."""
    assert leaks(LOGS.text(f"WARN body={text % SECRET} status=500"), SECRET) == []


def test_the_same_pair_twice_in_a_log_line() -> None:
    """Pairs of a line are the log's own: a value that holds reasoning goes though its key comes again, others stay."""
    shown = LOGS.text(f"step=1 block=ThinkingBlock(thinking='{SECRET}', type='thinking') step=2 block=none")
    assert SECRET not in shown
    assert shown.startswith("step=1 ")
    assert shown.endswith(" step=2 block=none")


def test_two_byte_order_marks_are_refused() -> None:
    """One byte order mark may open a document; a second one is no JSON."""
    assert LOGS(b"\xef\xbb\xbf{}") == b"\xef\xbb\xbf{}"
    with pytest.raises(MalformedInput):
        LOGS(b"\xef\xbb\xbf\xef\xbb\xbf{}")


def test_a_repr_that_is_cut_short_is_told_by_its_class() -> None:
    """Where the fields that tell were cut off, the name of the class still does."""
    assert SECRET not in LOGS.text(f"run ReasoningStep(title='{SECRET} plan', reas")
