"""The event stream parser of botocore accepts stripped frames and reads from them what is visible."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import orjson
import pytest

import reticent
from reticent.streams.aws_eventstream import make_message

if TYPE_CHECKING:
    from collections.abc import Sequence

pytest.importorskip("botocore", reason="botocore is not installed")

_CANARY = "CANARY-a64d1f"


def _events(frames: Sequence[tuple[str, Any]], size: int) -> list[tuple[str, Any]]:
    from botocore.eventstream import EventStreamBuffer

    raw = b"".join(make_message(name, orjson.dumps(payload)) for name, payload in frames)
    stream = reticent.load_plan().stream("browser_stream", wire="aws-eventstream")
    body = b"".join(stream.feed(raw[at : at + size]) for at in range(0, len(raw), size)) + stream.flush()
    buffer: Any = EventStreamBuffer()
    buffer.add_data(body)
    return [(message.headers[":event-type"], orjson.loads(message.payload)) for message in buffer]


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_converse_frames(size: int) -> None:
    """Frames of Converse keep names and checksums, and blocks close up."""
    frames = [
        ("messageStart", {"role": "assistant"}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": _CANARY}}}),
        ("contentBlockStop", {"contentBlockIndex": 0}),
        ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "x <th"}}),
        ("contentBlockStop", {"contentBlockIndex": 1}),
    ]
    assert _events(frames, size) == [
        ("messageStart", {"role": "assistant"}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "x "}}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "<th"}}),
        ("contentBlockStop", {"contentBlockIndex": 0}),
    ]


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_invoke_model_frames(size: int) -> None:
    """Frames of InvokeModel hold base64 of events that are renumbered inside."""
    events = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": _CANARY}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    ]
    frames = [("chunk", {"bytes": base64.b64encode(orjson.dumps(event)).decode(), "p": "abc"}) for event in events]
    [(name, payload)] = _events(frames, size)
    assert name == "chunk"
    assert orjson.loads(base64.b64decode(payload["bytes"])) == {**events[3], "index": 0}
