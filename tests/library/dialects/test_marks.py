"""Where a surface leaves marks, a stream leaves the marks that the whole message leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reticent.dialects import all_dialects
from reticent.serializers.program import Options, compile_program
from reticent.serializers.serializer import StripSerializer
from reticent.serializers.stream import StripStream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CANARY = "CANARY-b80f3e"
_PROGRAM = compile_program(all_dialects(), Options(on_strip="mark"))
_ANTHROPIC: tuple[dict[str, Any], ...] = (
    {"type": "thinking", "thinking": _CANARY, "signature": _CANARY},
    {"type": "redacted_thinking", "data": _CANARY},
    {"type": "text", "text": "Visible."},
    {"type": "tool_use", "id": "t", "name": "f", "input": {}},
)
_BEDROCK: tuple[dict[str, Any], ...] = (
    {"reasoningContent": {"reasoningText": {"text": _CANARY, "signature": _CANARY}}},
    {"text": "Visible."},
)


def _anthropic(content: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for index, block in enumerate(content):
        deltas: list[dict[str, Any]] = []
        start = block
        if block["type"] == "thinking":
            start = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = [{"type": f"{name}_delta", name: block[name]} for name in ("thinking", "signature")]
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield from ({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_stop"}


def _bedrock(content: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for index, block in enumerate(content):
        inner = block.get("reasoningContent", {}).get("reasoningText", {})
        deltas = [{"reasoningContent": {name: inner[name]}} for name in inner] or [block]
        yield from ({"contentBlockDelta": {"contentBlockIndex": index, "delta": delta}} for delta in deltas)
        yield {"contentBlockStop": {"contentBlockIndex": index}}
    yield {"messageStop": {"stopReason": "end_turn"}}


def _shown(events: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    stream = StripStream("logs", _PROGRAM, wire="jsonl", starts_inside=False)
    body = stream.feed(b"".join(orjson.dumps(event) + b"\n" for event in events)) + stream.flush()
    assert _CANARY.encode() not in body
    return [orjson.loads(line) for line in body.splitlines()]


def _whole(content: list[dict[str, Any]]) -> Any:
    return StripSerializer("logs", _PROGRAM).value({"role": "assistant", "content": content, "stop": 1})["content"]


@settings(max_examples=60)
@given(content=st.lists(st.sampled_from(_ANTHROPIC), max_size=6))
def test_marks_of_the_messages_stream(content: list[dict[str, Any]]) -> None:
    """The blocks that start in a stripped stream are the blocks of the stripped message, marks among them."""
    starts = [event for event in _shown(_anthropic(content)) if event["type"] == "content_block_start"]
    assert [start["content_block"] for start in starts] == _whole(content)
    assert [start["index"] for start in starts] == list(range(len(starts)))


@settings(max_examples=60)
@given(content=st.lists(st.sampled_from(_BEDROCK), max_size=6))
def test_marks_of_the_converse_stream(content: list[dict[str, Any]]) -> None:
    """A run of reasoning leaves one mark, in the place and of the length that it has in the stripped message."""
    rebuilt: dict[int, Any] = {}
    for event in _shown(_bedrock(content)):
        [(name, body)] = event.items()
        if name != "messageStop":
            block = body.get("start") or body.get("delta")
            if block is not None:
                rebuilt[body["contentBlockIndex"]] = block
    assert list(rebuilt.values()) == _whole(content)
    assert list(rebuilt) == list(range(len(rebuilt)))


@pytest.mark.parametrize("late", [{"type": "text_delta", "text": _CANARY}, {"type": "murmur", "text": _CANARY}])
def test_late_delta_behind_a_mark(late: dict[str, Any]) -> None:
    """What comes for a withheld block after its mark was sent is withheld as well."""
    events = list(_anthropic([{"type": "pondering", "text": _CANARY}, _ANTHROPIC[2]]))
    events.insert(-1, {"type": "content_block_delta", "index": 0, "delta": late})
    assert len([event for event in _shown(iter(events)) if event["type"] == "content_block_start"]) == len(events[:2])
