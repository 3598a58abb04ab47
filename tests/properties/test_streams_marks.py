"""Marks without an angle bracket, token by token, behind runs of events that a stream knows by heart."""

from __future__ import annotations

import json

import pytest

import reticent

CANARY = "KANARI-9e01f2"
CALM = ["It", " is", " all", " so", " very", " calm", ".", " Note", ":", " yes", "."] * 4


def event(text: str) -> bytes:
    """One chunk of a chat stream."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    return b"data: " + json.dumps({"id": "c", "choices": [choice]}, ensure_ascii=False).encode() + b"\n\n"


@pytest.mark.parametrize(
    "mark",
    [
        ["\n", ":", ":", ":", "thinking", "\n", CANARY, "\n", ":::", "\n"],
        ["\n", " ", ":", "::", "thinking", "\n", CANARY, "\n:::\n"],
        ["\n\n:::", "thinking\n", CANARY, "\n:", "::\n"],
        ["\n", "\u25ba", " **", "THINKING", "**", "\n", CANARY, "\n\u25ba **ANSWER**\n"],
        ["\n", "<", "M", "2", "_", "7", "think", ">", CANARY, "</M2_7think>\n"],
        ["\n<details", " open", "><summary>", "Thinking", "...", "</summary>", CANARY, "</details>\n"],
    ],
    ids=["colons", "blank", "joined", "heading", "prefixed", "details"],
)
@pytest.mark.parametrize("size", [1, 64, 1 << 20])
def test_a_mark_behind_a_run_of_events_is_seen(mark: list[str], size: int) -> None:
    """Nothing that a stream learnt about its events lets a mark through, and the calm text stays."""
    raw = b"".join(map(event, [*CALM, *mark, *CALM]))
    stream = reticent.load_plan().stream("logs", wire="sse")
    shown = b"".join([stream.feed(raw[at : at + size]) for at in range(0, len(raw), size)]) + stream.flush()
    texts = [json.loads(line[6:])["choices"][0]["delta"]["content"] for line in shown.split(b"\n\n") if line]
    assert CANARY not in "".join(texts)
    assert "".join(texts).startswith("".join(CALM))
    assert "".join(texts).endswith("".join(CALM))
