"""Streams of text by channel: what is held back, when it is given up, and what stays apart."""

from __future__ import annotations

from typing import Any

import orjson

import reticent

_CANARY = "CANARY-4ab208"


def _filtered(events: list[Any], wire: str = "jsonl") -> list[Any]:
    shown = reticent.load_plan().stream("browser_stream", wire=wire)
    out = shown.feed(b"".join(orjson.dumps(event) + b"\n" for event in events)) + shown.flush()
    assert _CANARY.encode() not in out
    return [orjson.loads(line) for line in out.splitlines()]


def _update(session: str, text: str) -> dict[str, Any]:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    return {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}}


def test_text_that_could_become_a_tag_waits() -> None:
    """A piece that may open a tag is not sent before it is known to be none, and then in an event of its own."""
    assert _filtered([_update("s", "a\n<th"), _update("s", "e end")]) == [
        _update("s", "a\n"),
        _update("s", "<the end"),
    ]
    assert _filtered([_update("s", "a\n<thi")]) == [_update("s", "a\n"), _update("s", "<thi")]


def test_sessions_do_not_mix() -> None:
    """A tag that is open in one session hides nothing of another."""
    events = [_update("a", f"<think>{_CANARY}"), _update("b", "visible"), _update("a", "</think>seen")]
    assert _filtered(events) == [_update("b", "visible"), _update("a", "seen")]


def test_what_langgraph_held_back_comes_with_its_metadata() -> None:
    """A chunk that is made up at the end of a stream is a pair like every other."""
    chunk = {"type": "AIMessageChunk", "id": "c", "content": "a\n<thi"}
    made = _filtered([[chunk, {"langgraph_node": "agent"}]])
    assert [pair[0]["content"] for pair in made] == ["a\n", "<thi"]
    assert [pair[1] for pair in made] == [{"langgraph_node": "agent"}] * 2


def test_a_call_gives_up_what_was_held() -> None:
    """Text of a chunk is complete when a call of the same message begins."""
    call = {"type": "AIMessageChunk", "id": "c", "content": "", "tool_call_chunks": [{"name": "f", "index": 1}]}
    made = _filtered([{"type": "AIMessageChunk", "id": "c", "content": "x\n<"}, call])
    assert [chunk["content"] for chunk in made] == ["x\n", "<", ""]


def test_plain_steps_stay() -> None:
    """Steps of AG-UI that are no thinking of TanStack AI are carried as they are."""
    events = [{"type": "STEP_STARTED", "stepName": "search"}, {"type": "STEP_FINISHED", "stepName": "search"}]
    assert _filtered(events) == events


def test_a_part_that_starts_again_replaces_itself() -> None:
    """A part that first looked like thinking and then starts as text is shown at the same position."""
    thinking = {"index": 1, "part": {"part_kind": "thinking", "content": _CANARY}, "event_kind": "part_start"}
    first = {"index": 0, "part": {"part_kind": "text", "content": "one"}, "event_kind": "part_start"}
    again = {"index": 1, "part": {"part_kind": "text", "content": "two"}, "event_kind": "part_start"}
    assert _filtered([first, thinking, again]) == [first, again]


def test_lines_of_version_four_of_the_ai_sdk() -> None:
    """Held text comes in a line with the prefix of text, before the line that ends the answer."""
    shown = reticent.load_plan().stream("browser_stream", wire="ai-sdk-v4")
    out = shown.feed(b'0:"a\\n<thi"\ng:"' + _CANARY.encode() + b'"\nd:{"finishReason":"stop"}\n') + shown.flush()
    assert out == b'0:"a\\n"\n0:"<thi"\nd:{"finishReason":"stop"}\n'
