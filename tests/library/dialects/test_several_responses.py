"""Several responses on one connection."""

from __future__ import annotations

import json
from typing import Any

import reticent


def _response(start: int) -> list[dict[str, Any]]:
    item = {"id": "rs_1", "type": "reasoning", "summary": []}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "r", "object": "response", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r", "object": "response", "output": []}},
    ]
    return [{**event, "sequence_number": start + at} for at, event in enumerate(events)]


def _numbers(events: list[dict[str, Any]]) -> list[int]:
    shown = reticent.load_plan().stream("browser_stream", wire="sse")
    raw = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
    out = (shown.feed(raw) + shown.flush()).decode()
    return [json.loads(line[6:])["sequence_number"] for line in out.splitlines() if line.startswith("data: ")]


def test_a_response_that_counts_anew_starts_at_its_own_number() -> None:
    """What the first response lost does not move the numbers of the second."""
    assert _numbers([*_response(0), *_response(0)]) == [0, 1, 0, 1]


def test_a_response_that_counts_on_has_no_gap() -> None:
    """Where numbers go on over responses they close up over all that went."""
    assert _numbers([*_response(0), *_response(4)]) == [0, 1, 2, 3]
