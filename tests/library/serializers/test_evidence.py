"""Who issued one carrier: what the wire says sends it home, and what nobody can place goes nowhere."""

from __future__ import annotations

from typing import Any

import pytest
from tests.library.serializers.carriers import (
    CALL,
    CANARY,
    CONVERSE,
    ITEM,
    PLAIN,
    REDACTED,
    SIGNED,
    UNSIGNED,
    message,
    passes,
)


@pytest.mark.parametrize(
    ("payload", "own"),
    [
        (message(SIGNED), "anthropic"),
        (message(REDACTED), "anthropic"),
        ([ITEM], "openai"),
        ({"input": [ITEM]}, "openai"),
        (CALL, "google"),
        ({"role": "model", "parts": [{"text": CANARY, "thought": True}, {"text": "Done."}]}, "google"),
        (CONVERSE, "bedrock"),
        (message({"type": "thinking", "thinking": [{"type": "text", "text": CANARY}]}), "mistral"),
        (message({**SIGNED, "signature": "litellm_encrypted_reasoning:CANARY"}), "openai"),
        ({"model": "claude-sonnet-4-20250514", **message(UNSIGNED)}, "anthropic"),
        ({"model": "deepseek-reasoner", "choices": [{"index": 0, "message": PLAIN}]}, "deepseek"),
        (
            {"type": "ai", "content": "x", "additional_kwargs": {"reasoning_content": CANARY}}
            | {"response_metadata": {"model_provider": "xai", "model_name": "grok-4"}},
            "xai",
        ),
        (
            {"kind": "response", "parts": [{"part_kind": "thinking", "content": CANARY, "provider_name": "groq"}]},
            "groq",
        ),
        (
            {"role": "assistant", "parts": [{"type": "reasoning", "text": CANARY}]}
            | {"parts": [{"type": "reasoning", "text": CANARY, "providerMetadata": {"google": {"x": 1}}}]},
            "google",
        ),
        (
            {
                **PLAIN,
                "reasoning_details": [{"type": "reasoning.text", "text": CANARY, "format": "anthropic-claude-v1"}],
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
    assert passes(payload, to=own)
    assert not passes(payload, to="cohere")
    assert not passes(payload, to="cohere", producer=own)


@pytest.mark.parametrize(
    "payload", [PLAIN, message(UNSIGNED), {"role": "assistant", "content": f"<think>{CANARY}</think>x"}]
)
def test_carrier_of_nobody_is_foreign_until_somebody_vouches(payload: Any) -> None:
    """Reasoning that says nothing about its issuer goes only where the caller says it came from."""
    assert not passes(payload, to="deepseek")
    assert not passes(payload, to="deepseek", producer="zhipu")
    assert passes(payload, to="deepseek", producer="deepseek")


def test_model_of_a_request_is_no_evidence() -> None:
    """A request names the model it asks, not the one that wrote its history."""
    request = {"model": "deepseek-reasoner", "messages": [{"role": "user", "content": "Hi"}, PLAIN]}

    assert not passes(request, to="deepseek")
    assert passes(request, to="deepseek", producer="deepseek")


def test_model_of_a_record_around_a_history_is_no_evidence() -> None:
    """A record that names a model and keeps a history says nothing about who wrote each message."""
    assert not passes({"model": "deepseek-reasoner", "history": [PLAIN]}, to="deepseek")
    assert not passes({"provider": "deepseek", "messages": [PLAIN]}, to="deepseek")


def test_host_is_what_the_caller_vouches_for() -> None:
    """A shape that hosts share is the caller's host, and the maker's own API only when nobody names one."""
    told = {"producer": "bedrock/eu-west-1"}

    assert passes(message(SIGNED), to="bedrock/eu-west-1/anthropic/claude-sonnet-4", **told)
    assert not passes(message(SIGNED), to="bedrock/us-east-1/anthropic/claude-sonnet-4", **told)
    assert not passes(message(SIGNED), to="anthropic", **told)
    assert not passes(message(SIGNED), to="bedrock/eu-west-1")


def test_account_and_endpoint_must_be_seen_or_vouched_for() -> None:
    """Where the way goes to one region or account, a block that shows neither is foreign."""
    arn = "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-20250514-v1:0"
    shown = {"modelId": arn, "output": {"message": CONVERSE}}

    assert not passes(CONVERSE, to="bedrock/eu-west-1")
    assert passes(CONVERSE, to="bedrock/eu-west-1", producer="bedrock/eu-west-1")
    assert passes(shown, to="bedrock@123456789012/eu-west-1")
    assert not passes(shown, to="bedrock@123456789012/us-east-1")
    assert not passes(shown, to="bedrock@999999999999/eu-west-1")


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
    message = {"kind": "response", "provider_url": url, "parts": [{"part_kind": "thinking", "content": CANARY}]}

    assert same is passes(message, to=to)


@pytest.mark.parametrize(
    "payload",
    [
        {"model": "gpt-5", **message(SIGNED)},
        {"kind": "response", "model_name": "claude-x", "provider_name": "openai", "parts": []}
        | {
            "parts": [
                {"part_kind": "thinking", "content": CANARY, "x": {"type": "redacted_thinking", "data": "CANARY"}}
            ]
        },
        {
            "role": "assistant",
            "content": "x",
            "thinking_blocks": [SIGNED, {**SIGNED, "signature": "litellm_encrypted_reasoning:C"}],
        },
    ],
)
@pytest.mark.parametrize("to", ["anthropic", "openai"])
def test_clues_that_contradict_each_other_mean_foreign(payload: Any, to: str) -> None:
    """When a carrier and what stands around it name different systems, nobody knows, and nobody gets it."""
    assert not passes(payload, to=to)
    assert not passes(payload, to=to, producer=to)


def test_family_that_answered_counts() -> None:
    """A block of one model does not go to another of the same provider when both are named."""
    answered = {"model": "claude-sonnet-4-20250514", **message(SIGNED)}

    assert passes(answered, to="anthropic/claude-sonnet-4")
    assert not passes(answered, to="anthropic/claude-opus-4")
