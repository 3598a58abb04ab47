"""Amazon Nova gives every piece of a text a content block of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

import reticent
from reticent.testing import canary

_CALL = {"contentBlockStart": {"start": {"toolUse": {"toolUseId": "t", "name": "f"}}, "contentBlockIndex": 90}}


def _pieces(*texts: str) -> list[dict[str, Any]]:
    """Each text as a block: a delta and a stop."""
    found: list[dict[str, Any]] = [{"messageStart": {"role": "assistant"}}]
    for at, text in enumerate(texts):
        found.append({"contentBlockDelta": {"delta": {"text": text}, "contentBlockIndex": at}})
        found.append({"contentBlockStop": {"contentBlockIndex": at}})
    return found


def _shown(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    stream = reticent.load_plan().stream("browser_stream", wire="jsonl")
    out = b"".join([*(stream.feed(json.dumps(event).encode() + b"\n") for event in events), stream.flush()])
    return [json.loads(line) for line in out.splitlines()]


def _texts(events: list[dict[str, Any]]) -> list[tuple[int, str]]:
    deltas = [event["contentBlockDelta"] for event in events if "contentBlockDelta" in event]
    return [(delta["contentBlockIndex"], delta["delta"]["text"]) for delta in deltas]


def _stops(events: list[dict[str, Any]]) -> list[int]:
    return [event["contentBlockStop"]["contentBlockIndex"] for event in events if "contentBlockStop" in event]


@pytest.mark.parametrize("closer", [("</thinking>\n",), ("</", "thinking", ">\n")])
def test_a_tag_over_many_blocks_is_one_tag(closer: tuple[str, ...]) -> None:
    """Blocks of reasoning go with their stops, and what follows moves up without gaps."""
    secret = canary()
    events = [*_pieces("<thinking", "> The", secret, *closer, "It is ", "5 degrees."), {"messageStop": {}}]

    shown = _shown(events)

    assert secret not in json.dumps(shown)
    assert [(0, "It is "), (1, "5 degrees.")] == _texts(shown)
    assert [0, 1] == _stops(shown)


def test_a_call_ends_what_was_held_back() -> None:
    """What looked like a tag and is none comes out of its own block, before the call."""
    shown = _shown([*_pieces("a <", "thi"), _CALL, {"messageStop": {}}])

    assert "a <thi" == "".join(text for _, text in _texts(shown))
    assert shown.index(_CALL) > max(at for at, event in enumerate(shown) if "contentBlockDelta" in event)


def test_a_block_that_opens_with_a_tag_opens_a_text() -> None:
    """A bracket at the end of one block does not make a mention of the tag that the next one begins with."""
    secret = canary()
    shown = _shown([*_pieces("a <", f"<thinking>{secret}</thinking>b"), {"messageStop": {}}])

    assert [(0, "a "), (0, "<"), (1, "b")] == _texts(shown)
