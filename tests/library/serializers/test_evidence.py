"""Who issued one carrier: what the wire says sends it home, and what nobody can place goes nowhere."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

import reticent

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


@pytest.mark.parametrize(
    ("payload", "own"),
    [
        (_message(_SIGNED), "anthropic"),
        (_message(_REDACTED), "anthropic"),
        ([_ITEM], "openai"),
        ({"input": [_ITEM]}, "openai"),
        (_CALL, "google"),
        ({"role": "model", "parts": [{"text": _CANARY, "thought": True}, {"text": "Done."}]}, "google"),
        (_CONVERSE, "bedrock"),
        (_message({"type": "thinking", "thinking": [{"type": "text", "text": _CANARY}]}), "mistral"),
        (_message({**_SIGNED, "signature": "litellm_encrypted_reasoning:CANARY"}), "openai"),
        ({"model": "claude-sonnet-4-20250514", **_message(_UNSIGNED)}, "anthropic"),
        ({"model": "deepseek-reasoner", "choices": [{"index": 0, "message": _PLAIN}]}, "deepseek"),
        (
            {"type": "ai", "content": "x", "additional_kwargs": {"reasoning_content": _CANARY}}
            | {"response_metadata": {"model_provider": "xai", "model_name": "grok-4"}},
            "xai",
        ),
        (
            {"kind": "response", "parts": [{"part_kind": "thinking", "content": _CANARY, "provider_name": "groq"}]},
            "groq",
        ),
        (
            {"role": "assistant", "parts": [{"type": "reasoning", "text": _CANARY}]}
            | {"parts": [{"type": "reasoning", "text": _CANARY, "providerMetadata": {"google": {"x": 1}}}]},
            "google",
        ),
        (
            {
                **_PLAIN,
                "reasoning_details": [{"type": "reasoning.text", "text": _CANARY, "format": "anthropic-claude-v1"}],
            },
            "openrouter",
        ),
        (
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": "call_1__thought__CANARY", "function": {"name": "f"}}],
            },
            "google",
        ),
    ],
)
def test_issuer_is_told_from_the_wire(payload: Any, own: str) -> None:
    """What a carrier says about itself sends it home and nowhere else."""
    assert _passes(payload, to=own)
    assert not _passes(payload, to="cohere")
    assert not _passes(payload, to="cohere", producer=own)


@pytest.mark.parametrize(
    "payload", [_PLAIN, _message(_UNSIGNED), {"role": "assistant", "content": f"<think>{_CANARY}</think>x"}]
)
def test_carrier_of_nobody_is_foreign_until_somebody_vouches(payload: Any) -> None:
    """Reasoning that says nothing about its issuer goes only where the caller says it came from."""
    assert not _passes(payload, to="deepseek")
    assert not _passes(payload, to="deepseek", producer="zhipu")
    assert _passes(payload, to="deepseek", producer="deepseek")


def test_model_of_a_request_is_no_evidence() -> None:
    """A request names the model it asks, not the one that wrote its history."""
    request = {"model": "deepseek-reasoner", "messages": [{"role": "user", "content": "Hi"}, _PLAIN]}

    assert not _passes(request, to="deepseek")
    assert _passes(request, to="deepseek", producer="deepseek")


def test_model_of_a_record_around_a_history_is_no_evidence() -> None:
    """A record that names a model and keeps a history says nothing about who wrote each message."""
    assert not _passes({"model": "deepseek-reasoner", "history": [_PLAIN]}, to="deepseek")
    assert not _passes({"provider": "deepseek", "messages": [_PLAIN]}, to="deepseek")


def test_host_is_what_the_caller_vouches_for() -> None:
    """A shape that hosts share is the caller's host, and the maker's own API only when nobody names one."""
    told = {"producer": "bedrock/eu-west-1"}

    assert _passes(_message(_SIGNED), to="bedrock/eu-west-1/anthropic/claude-sonnet-4", **told)
    assert not _passes(_message(_SIGNED), to="bedrock/us-east-1/anthropic/claude-sonnet-4", **told)
    assert not _passes(_message(_SIGNED), to="anthropic", **told)
    assert not _passes(_message(_SIGNED), to="bedrock/eu-west-1")


def test_account_and_endpoint_must_be_seen_or_vouched_for() -> None:
    """Where the way goes to one region or account, a block that shows neither is foreign."""
    arn = "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-20250514-v1:0"
    shown = {"modelId": arn, "output": {"message": _CONVERSE}}

    assert not _passes(_CONVERSE, to="bedrock/eu-west-1")
    assert _passes(_CONVERSE, to="bedrock/eu-west-1", producer="bedrock/eu-west-1")
    assert _passes(shown, to="bedrock@123456789012/eu-west-1")
    assert not _passes(shown, to="bedrock@123456789012/us-east-1")
    assert not _passes(shown, to="bedrock@999999999999/eu-west-1")


@pytest.mark.parametrize(
    ("url", "to", "same"),
    [
        ("https://shop.openai.azure.com/openai", "azure@shop", True),
        ("https://shop.openai.azure.com/openai", "azure@other", False),
        ("https://bedrock-runtime.eu-west-1.amazonaws.com", "bedrock/eu-west-1", True),
        ("https://europe-west1-aiplatform.googleapis.com/v1", "vertex/europe-west1", True),
        ("https://api.groq.com/openai/v1", "groq", True),
        ("https://api.groq.com.example.org/v1", "groq", False),
    ],
)
def test_address_of_the_api_tells_account_and_region(url: str, to: str, same: bool) -> None:
    """PydanticAI keeps the address that answered, and the address names region or account."""
    message = {"kind": "response", "provider_url": url, "parts": [{"part_kind": "thinking", "content": _CANARY}]}

    assert same is _passes(message, to=to)


@pytest.mark.parametrize(
    "payload",
    [
        {"model": "gpt-5", **_message(_SIGNED)},
        {"kind": "response", "model_name": "claude-x", "provider_name": "openai", "parts": []}
        | {
            "parts": [
                {"part_kind": "thinking", "content": _CANARY, "x": {"type": "redacted_thinking", "data": "CANARY"}}
            ]
        },
        {
            "role": "assistant",
            "content": "x",
            "thinking_blocks": [_SIGNED, {**_SIGNED, "signature": "litellm_encrypted_reasoning:C"}],
        },
    ],
)
@pytest.mark.parametrize("to", ["anthropic", "openai"])
def test_clues_that_contradict_each_other_mean_foreign(payload: Any, to: str) -> None:
    """When a carrier and what stands around it name different systems, nobody knows, and nobody gets it."""
    assert not _passes(payload, to=to)
    assert not _passes(payload, to=to, producer=to)


def test_family_that_answered_counts() -> None:
    """A block of one model does not go to another of the same provider when both are named."""
    answered = {"model": "claude-sonnet-4-20250514", **_message(_SIGNED)}

    assert _passes(answered, to="anthropic/claude-sonnet-4")
    assert not _passes(answered, to="anthropic/claude-opus-4")
