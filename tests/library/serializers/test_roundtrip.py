"""One history on its way back: each carrier goes home or not at all, and what stays is copied byte for byte."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given

import reticent
from reticent.errors import MalformedInput
from reticent.serializers.producers import check_round_trip, digests
from reticent.testing import payloads

_PLAN = reticent.load_plan()
_CANARY = "CANARY-c41f90"


def _round_trip(payload: Any, **told: str) -> Any:
    """What of ``payload`` goes to the producer, as bytes for bytes."""
    return _PLAN.serializer("provider_roundtrip", **told)(payload)


def _passes(payload: Any, **told: str) -> bool:
    """Whether the very same bytes go; if not, nothing of the carrier does."""
    raw = orjson.dumps(payload)
    out = _round_trip(raw, **told)
    assert out is raw or b"CANARY" not in out
    return out is raw


def _message(*blocks: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [*blocks, {"type": "text", "text": "Done."}], **members}


_SIGNED = {"type": "thinking", "thinking": _CANARY, "signature": "CANARY-signature=="}
_UNSIGNED = {"type": "thinking", "thinking": _CANARY}
_REDACTED = {"type": "redacted_thinking", "data": "CANARY-data=="}
_ITEM = {"type": "reasoning", "id": "rs_CANARY", "summary": [], "encrypted_content": "CANARY-ciphertext=="}
_CALL = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "CANARY"}]}
_CONVERSE = {
    "role": "assistant",
    "content": [{"reasoningContent": {"reasoningText": {"text": _CANARY, "signature": "CANARY"}}}, {"text": "Done."}],
}
_PLAIN = {"role": "assistant", "content": "Done.", "reasoning_content": _CANARY}


_MIXED: list[Any] = [
    {"role": "user", "content": "Hi"},
    _message({**_SIGNED, "thinking": "by anthropic"}),
    {**_ITEM, "encrypted_content": "by openai"},
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

    out = _round_trip(raw, **told)

    assert left == {name for name in _BY if name.encode() in out}
    assert orjson.loads(out) == _PLAN.serializer("provider_roundtrip", **told).value({"messages": _MIXED})
    assert (out is raw) is (left == set(_BY))


def test_what_hangs_on_a_carrier_stays_or_goes_with_it() -> None:
    """The id that pairs an item with its reasoning stays where the reasoning does, and only there."""
    assert b'"msg_1"' in _round_trip(orjson.dumps(_MIXED), to="openai")
    assert b'"msg_1"' not in _round_trip(orjson.dumps(_MIXED), to="anthropic")


def test_what_stays_is_copied_byte_for_byte() -> None:
    """Spacing, escapes and numbers of what passes are those that came, while a foreign block goes."""
    own = b'{"type" : "thinking",  "thinking":"caf\\u00e9 1.0", "signature":"SIG+/=="}'
    raw = b'{"messages":[{"role":"assistant","content":[' + own + b"," + orjson.dumps(_CONVERSE["content"][0]) + b"]}]}"

    out = _round_trip(raw, to="anthropic")

    assert b'{"messages":[{"role":"assistant","content":[' + own + b"]}]}" == out


def test_plain_copy_shares_the_evidence_of_its_message() -> None:
    """Where a message holds one piece of reasoning twice, the copy without a signature goes where the other goes."""
    twice = {"role": "assistant", "content": "x", "reasoning_content": _CANARY, "thinking_blocks": [_SIGNED]}

    assert _passes(twice, to="anthropic")
    assert not _passes(twice, to="openai", producer="openai")


def test_unknown_block_is_carried_home_and_withheld_elsewhere() -> None:
    """A block type that nobody listed goes back to its producer, and to no other."""
    unknown = _message({"type": "next_quarter", "blob": _CANARY})

    assert _passes(unknown, to="anthropic", producer="anthropic")
    assert not _passes(unknown, to="openai", producer="anthropic")


def test_superseded_copy_does_not_hide_a_foreign_carrier() -> None:
    """A second copy of a key is not a way past the judgement."""
    raw = b'{"role":"assistant","content":"x","reasoning_content":"CANARY","reasoning_content":""}'

    assert b"CANARY" not in _round_trip(raw, to="anthropic")


def test_body_that_cannot_be_read_does_not_go() -> None:
    """Where issuers must be told apart, malformed JSON is refused."""
    with pytest.raises(MalformedInput):
        _round_trip(b'{"role":', to="anthropic", producer="anthropic")


def test_row_that_strips_is_not_loosened() -> None:
    """Naming the producer opens nothing that the table closes."""
    out = _PLAN.serializer("logs", to="anthropic", producer="anthropic")(orjson.dumps(_message(_SIGNED)))

    assert b"CANARY" not in out


def test_value_is_the_same_object_when_nothing_goes() -> None:
    """A history of the destination's own passes as the object it is, and the report is empty."""
    serializer = _PLAN.serializer("provider_roundtrip", to="anthropic")
    history = [_message(_SIGNED)]

    assert serializer.value(history) is history
    assert 0 == serializer.report.total
    assert serializer.text("plain words") == "plain words"


def test_text_goes_home_when_vouched_for() -> None:
    """Bare text names no producer: it passes when the caller vouches, else its tags are cut."""
    line = f"<think>{_CANARY}</think>Done."

    assert line == _PLAN.serializer("provider_roundtrip", to="deepseek", producer="deepseek").text(line)
    assert "Done." == _PLAN.serializer("provider_roundtrip", to="deepseek").text(line)


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
    stream = _PLAN.stream("provider_roundtrip", wire="sse", **told)

    out = stream.feed(chunk)

    assert passes is (out is chunk)
    assert passes is (b"CANARY" in out + stream.flush())


@given(payloads(_CANARY))
def test_stranger_gets_nothing(payload: Any) -> None:
    """Whatever the history, a producer that issued none of it gets no reasoning, and nothing is stripped twice."""
    raw = orjson.dumps(payload)

    out = _round_trip(raw, to="cohere")

    assert _CANARY.encode() not in out
    assert _round_trip(out, to="cohere") == out


def test_serializer_keeps_the_digests_of_what_it_passes() -> None:
    """What the way back lets through to the issuer is shown to be exact by the guard."""
    raw = json.dumps(_MIXED).encode()
    own = digests([_MIXED[1]])

    check_round_trip(own, digests(_round_trip(raw, to="anthropic")))
