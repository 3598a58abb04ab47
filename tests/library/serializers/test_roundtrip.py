"""One history on its way back: each carrier goes home or not at all, and what stays is copied byte for byte."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from tests.library.serializers.carriers import CANARY, CONVERSE, ITEM, PLAN, SIGNED, message, passes, round_trip

from reticent.errors import MalformedInput
from reticent.serializers.producers import check_round_trip, digests
from reticent.testing import payloads

_MIXED: list[Any] = [
    {"role": "user", "content": "Hi"},
    message({**SIGNED, "thinking": "by anthropic"}),
    {**ITEM, "encrypted_content": "by openai"},
    {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]},
    {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "by google"}]},
    {"role": "assistant", "content": "y", "reasoning_content": "by nobody"},
]
_BY = ("by anthropic", "by openai", "by google", "by nobody")


@pytest.mark.parametrize(
    ("told", "left"),
    [
        ({"to": "anthropic"}, {"by anthropic"}),
        ({"to": "openai"}, {"by openai"}),
        ({"to": "google"}, {"by google"}),
        ({"to": "cohere"}, set()),
        ({"to": "deepseek", "producer": "deepseek"}, {"by nobody"}),
        ({"to": "anthropic", "producer": "anthropic"}, {"by anthropic", "by nobody"}),
        ({"to": "anthropic", "producer": "openai"}, {"by anthropic"}),
        ({}, set(_BY)),
        ({"producer": "anthropic"}, set(_BY)),
    ],
)
def test_each_block_of_a_mixed_history_goes_home_or_not_at_all(told: dict[str, str], left: set[str]) -> None:
    """In a history that several producers wrote, each carrier is judged by itself, from bytes and values alike."""
    raw = json.dumps({"messages": _MIXED}, indent=1).encode()

    out = round_trip(raw, **told)

    assert left == {name for name in _BY if name.encode() in out}
    assert orjson.loads(out) == PLAN.serializer("provider_roundtrip", **told).value({"messages": _MIXED})
    assert (out is raw) is (left == set(_BY))


def test_what_hangs_on_a_carrier_stays_or_goes_with_it() -> None:
    """The id that pairs an item with its reasoning stays where the reasoning does, and only there."""
    assert b'"msg_1"' in round_trip(orjson.dumps(_MIXED), to="openai")
    assert b'"msg_1"' not in round_trip(orjson.dumps(_MIXED), to="anthropic")


def test_what_stays_is_copied_byte_for_byte() -> None:
    """Spacing, escapes and numbers of what passes are those that came, while a foreign block goes."""
    own = b'{"type" : "thinking",  "thinking":"caf\\u00e9 1.0", "signature":"SIG+/=="}'
    raw = b'{"messages":[{"role":"assistant","content":[' + own + b"," + orjson.dumps(CONVERSE["content"][0]) + b"]}]}"

    out = round_trip(raw, to="anthropic")

    assert b'{"messages":[{"role":"assistant","content":[' + own + b"]}]}" == out


def test_plain_copy_shares_the_evidence_of_its_message() -> None:
    """Where a message holds one piece of reasoning twice, the copy without a signature goes where the other goes."""
    twice = {"role": "assistant", "content": "x", "reasoning_content": CANARY, "thinking_blocks": [SIGNED]}

    assert passes(twice, to="anthropic")
    assert not passes(twice, to="openai", producer="openai")


def test_unknown_block_is_carried_home_and_withheld_elsewhere() -> None:
    """A block type that nobody listed goes back to its producer, and to no other."""
    unknown = message({"type": "next_quarter", "blob": CANARY})

    assert passes(unknown, to="anthropic", producer="anthropic")
    assert not passes(unknown, to="openai", producer="anthropic")


def test_superseded_copy_does_not_hide_a_foreign_carrier() -> None:
    """A second copy of a key is not a way past the judgement."""
    raw = b'{"role":"assistant","content":"x","reasoning_content":"CANARY","reasoning_content":""}'

    assert b"CANARY" not in round_trip(raw, to="anthropic")


def test_body_that_cannot_be_read_does_not_go() -> None:
    """Where issuers must be told apart, malformed JSON is refused."""
    with pytest.raises(MalformedInput):
        round_trip(b'{"role":', to="anthropic", producer="anthropic")


def test_row_that_strips_is_not_loosened() -> None:
    """Naming the producer opens nothing that the table closes."""
    out = PLAN.serializer("logs", to="anthropic", producer="anthropic")(orjson.dumps(message(SIGNED)))

    assert b"CANARY" not in out


def test_value_is_the_same_object_when_nothing_goes() -> None:
    """A history of the destination's own passes as the object it is, and the report is empty."""
    serializer = PLAN.serializer("provider_roundtrip", to="anthropic")
    history = [message(SIGNED)]

    assert serializer.value(history) is history
    assert 0 == serializer.report.total
    assert serializer.text("plain words") == "plain words"


def test_text_goes_home_when_vouched_for() -> None:
    """Bare text names no producer: it passes when the caller vouches, else its tags are cut."""
    line = f"<think>{CANARY}</think>Done."

    assert line == PLAN.serializer("provider_roundtrip", to="deepseek", producer="deepseek").text(line)
    assert "Done." == PLAN.serializer("provider_roundtrip", to="deepseek").text(line)


@pytest.mark.parametrize(
    ("told", "passes"),
    [
        ({}, True),
        ({"to": "anthropic"}, False),
        ({"to": "anthropic", "producer": "anthropic/claude-sonnet-4"}, True),
        ({"to": "anthropic", "producer": "bedrock"}, False),
    ],
)
def test_stream_has_one_producer(told: dict[str, Any], passes: bool) -> None:
    """A stream on its way to a producer passes when it comes from that producer, and is stripped otherwise."""
    chunk = b'data: {"choices":[{"index":0,"delta":{"reasoning_content":"CANARY"}}]}\n\n'
    stream = PLAN.stream("provider_roundtrip", wire="sse", **told)

    out = stream.feed(chunk)

    assert passes is (out is chunk)
    assert passes is (b"CANARY" in out + stream.flush())


@given(payloads(CANARY))
def test_stranger_gets_nothing(payload: Any) -> None:
    """Whatever the history, a producer that issued none of it gets no reasoning, and nothing is stripped twice."""
    raw = orjson.dumps(payload)

    out = round_trip(raw, to="cohere")

    assert CANARY.encode() not in out
    assert round_trip(out, to="cohere") == out


def test_serializer_keeps_the_digests_of_what_it_passes() -> None:
    """What the way back lets through to the issuer is shown to be exact by the guard."""
    raw = json.dumps(_MIXED).encode()
    own = digests([_MIXED[1]])

    check_round_trip(own, digests(round_trip(raw, to="anthropic")))
