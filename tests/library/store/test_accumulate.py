"""A streamed response put together is the response that was not streamed, to the last character."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.simulator import streaming
from tests.simulator.answers import answer_of
from tests.simulator.samples import ENTRIES, SAID, SIGNATURE

from reticent.errors import InputTooLarge, MalformedInput, UnknownDialect
from reticent.store.accumulate import DIALECTS, StreamedTurn, open_accumulator


def _whole(dialect: str) -> dict[str, Any]:
    return answer_of(dialect, ENTRIES[dialect], number=1, calls=True)


def _through(turn: StreamedTurn, data: bytes, size: int) -> bytes:
    """What was let through before the end."""
    out = b"".join(turn.feed(data[at : at + size]) for at in range(0, len(data), size))
    turn.end()
    return out


def _cuts(sizes: list[int]) -> streaming.Cut:
    def cut(text: str) -> list[str]:
        pieces: list[str] = []
        for size in sizes:
            pieces, text = [*pieces, text[:size]], text[size:]
        return [piece for piece in [*pieces, text] if piece]

    return cut


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=25, deadline=None)
@given(sizes=st.lists(st.integers(0, 9), max_size=8), chunk=st.integers(1, 400))
def test_streamed_is_whole(dialect: str, sizes: list[int], chunk: int) -> None:
    """However texts are cut into deltas and bytes into chunks, the whole is the same, and the bytes are not changed."""
    whole = _whole(dialect)
    data = streaming.as_sse(dialect, streaming.events(dialect, whole, _cuts(sizes)))
    turn = StreamedTurn(dialect)
    shown = _through(turn, data, chunk)
    assert data == shown + turn.rest()
    assert json.dumps(whole, sort_keys=True) == json.dumps(turn.whole(), sort_keys=True)


def test_an_array_is_a_stream_too() -> None:
    """Gemini's array of chunks gives the same whole as its events."""
    whole = _whole("gemini")
    data = streaming.as_array(streaming.events("gemini", whole))
    turn = StreamedTurn("gemini", wire="json-array")
    assert data == _through(turn, data, 11) + turn.rest()
    assert whole == turn.whole()


_TELLING = {
    "anthropic-messages": b'"stop_reason":"tool_use"',
    "openai-responses": b"response.completed",
    "openai-chat": b'"finish_reason":"tool_calls"',
    "gemini": b'"finishReason"',
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_end_is_kept_back(dialect: str) -> None:
    """What tells the reader that the turn is over does not go on by itself, whatever chunk it came in."""
    data = streaming.as_sse(dialect, streaming.events(dialect, _whole(dialect)))
    turn = StreamedTurn(dialect)
    shown = _through(turn, data, len(data))
    assert _TELLING[dialect] in data
    assert _TELLING[dialect] not in shown
    assert SAID.encode()[:4] in shown
    assert turn.closing
    assert turn.rest()
    assert b"" == turn.rest()


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("part", [0.2, 0.6, 0.9])
def test_a_cut_stream_is_no_whole(dialect: str, part: float) -> None:
    """A stream that stops in the middle has not ended, and half an event goes nowhere by itself."""
    data = streaming.as_sse(dialect, streaming.events(dialect, _whole(dialect)))
    data = data[: int(len(data) * part)]
    turn = StreamedTurn(dialect)
    shown = _through(turn, data, 64)
    assert not turn.ended
    assert data == shown + turn.rest()
    assert shown.endswith(b"\n\n") or not shown


_FAILURES = {
    "anthropic-messages": (
        {"type": "error", "error": {"type": "overloaded_error", "message": "x"}},
        "overloaded_error",
    ),
    "openai-responses": ({"type": "error", "code": "server_error", "message": "x"}, "server_error"),
    "openai-chat": ({"error": {"code": "rate_limited", "message": "x"}}, "rate_limited"),
    "gemini": ({"error": {"code": 503, "status": "UNAVAILABLE", "message": "x"}}, "UNAVAILABLE"),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_failure_inside_the_stream_is_told(dialect: str) -> None:
    """An error event of the producer is no end of the turn, and its word is kept."""
    event, word = _FAILURES[dialect]
    head = streaming.events(dialect, _whole(dialect))[:3]
    turn = StreamedTurn(dialect)
    for one in (*head, event):
        turn.feed(b"data: " + json.dumps(one).encode() + b"\n\n")
    turn.end()
    assert word == turn.failure
    assert not turn.ended
    assert b'"x"' in turn.rest()


def test_items_make_up_for_a_last_event_without_them() -> None:
    """A Responses server that ends with an empty output, or with items that lack a member, loses nothing."""
    whole = _whole("openai-responses")
    stream = streaming.events("openai-responses", whole)
    bare = [dict(item) for item in whole["output"]]
    del bare[0]["encrypted_content"]
    for last in ([], bare):
        stream[-1] = {**stream[-1], "response": {**whole, "output": last}}
        turn = StreamedTurn("openai-responses")
        turn.feed(streaming.as_sse("openai-responses", stream))
        assert whole["output"] == turn.whole()["output"]


_DELTAS: list[tuple[str, list[Any], Any]] = [
    ("reasoning", ["PR", None, "IV"], "PRIV"),
    ("reasoning", [{"content": "PR"}, {"content": "IV", "id": SIGNATURE}], {"content": "PRIV", "id": SIGNATURE}),
    (
        "reasoning_details",
        [[{"type": "reasoning.text", "text": "PR"}], [{"type": "reasoning.text", "text": "IV"}]],
        [{"type": "reasoning.text", "text": "PR"}, {"type": "reasoning.text", "text": "IV"}],
    ),
    (
        "content",
        [
            [{"type": "thinking", "thinking": [{"type": "text", "text": "PR"}]}],
            [{"type": "thinking", "thinking": [{"type": "text", "text": "IV"}]}],
            "",
            [{"type": "text", "text": "42"}],
        ],
        [{"type": "thinking", "thinking": [{"type": "text", "text": "PRIV"}]}, {"type": "text", "text": "42"}],
    ),
    (
        "content_blocks",
        [
            [{"index": 0, "delta": {"thinking": "PR"}}],
            [{"index": 0, "delta": {"thinking": "IV"}}],
            [{"index": 0, "delta": {"signature": SIGNATURE}}],
            [{"index": 1, "delta": {"text": "42"}}],
        ],
        [{"type": "thinking", "thinking": "PRIV", "signature": SIGNATURE}, {"type": "text", "text": "42"}],
    ),
    (
        "tool_calls",
        [
            [{"index": 0, "id": "c1", "function": {"name": "f", "arguments": ""}}],
            [{"index": 0, "id": "c1", "function": {"name": "f", "arguments": "{"}}],
            [{"index": 0, "function": {"arguments": "}"}}],
        ],
        [{"index": 0, "id": "c1", "function": {"name": "f", "arguments": "{}"}}],
    ),
]


@pytest.mark.parametrize(
    ("name", "pieces", "expected"), _DELTAS, ids=[f"{at}-{row[0]}" for at, row in enumerate(_DELTAS)]
)
def test_members_of_clones_grow(name: str, pieces: list[Any], expected: Any) -> None:
    """Each server's own member grows as that server's clients join it."""
    response = open_accumulator("openai-chat")
    for piece in pieces:
        response.event({"choices": [{"index": 0, "delta": {name: piece}}]})
    assert expected == response.whole()["choices"][0]["message"][name]


def test_several_choices_close_together() -> None:
    """A completion closes when every choice that was begun has told its reason."""
    response = open_accumulator("openai-chat")
    for index in (0, 1):
        response.event({"choices": [{"index": index, "delta": {"content": str(index)}}]})
    response.event({"choices": [{"index": 1, "delta": {}, "finish_reason": "stop"}]})
    assert not response.closing
    response.event({"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]})
    assert response.closing
    told = [(choice["message"]["content"], choice["finish_reason"]) for choice in response.whole()["choices"]]
    assert [("0", "length"), ("1", "stop")] == told


def test_what_is_no_stream_is_refused() -> None:
    """A payload that is no JSON, a stream without end and an unknown dialect are refused without a word of content."""
    with pytest.raises(MalformedInput) as told:
        StreamedTurn("openai-chat").feed(b"data: PRIV-secret\n\n")
    assert "PRIV" not in str(told.value)
    with pytest.raises(InputTooLarge):
        StreamedTurn("openai-chat", limit=8).feed(b"data: {}\n\n")
    with pytest.raises(UnknownDialect):
        StreamedTurn("acp")


def test_the_anthropic_sdk_puts_the_same_together() -> None:
    """The vendor's own accumulator gives the content that ours gives."""
    messages: Any = pytest.importorskip("anthropic.lib.streaming._messages", reason="no anthropic SDK")
    stream = streaming.events("anthropic-messages", _whole("anthropic-messages"))
    snapshot: Any = None
    buffers: dict[int, bytes] = {}
    for event in stream:
        if event["type"] != "ping":
            snapshot = messages.accumulate_event(event=event, current_snapshot=snapshot, json_bufs=buffers)
    turn = StreamedTurn("anthropic-messages")
    turn.feed(streaming.as_sse("anthropic-messages", stream))
    assert snapshot.model_dump(mode="json", exclude_unset=True)["content"] == turn.whole()["content"]


def test_the_openai_sdk_puts_the_same_together() -> None:
    """The vendor's own accumulator gives the message that ours gives, for members that it knows."""
    chat: Any = pytest.importorskip("openai.lib.streaming.chat", reason="no openai SDK")
    from openai.types.chat import ChatCompletionChunk

    whole = _whole("openai-chat")
    for call in whole["choices"][0]["message"]["tool_calls"]:
        call.pop("extra_content", None)
    whole["choices"][0]["message"].pop("reasoning_details")
    stream = streaming.events("openai-chat", whole)
    state: Any = chat.ChatCompletionStreamState()
    for event in stream:
        list(state.handle_chunk(ChatCompletionChunk.model_validate(event)))
    theirs = state.get_final_completion().model_dump(mode="json", exclude_unset=True)["choices"][0]["message"]
    turn = StreamedTurn("openai-chat")
    turn.feed(streaming.as_sse("openai-chat", stream))
    ours = turn.whole()["choices"][0]["message"]
    assert {name: theirs[name] for name in ours if name != "tool_calls"} == {
        name: value for name, value in ours.items() if name != "tool_calls"
    }
    assert [call["function"]["arguments"] for call in theirs["tool_calls"]] == [
        call["function"]["arguments"] for call in ours["tool_calls"]
    ]
