"""Names of producers: one spelling for many, and what makes two of them one system."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reticent
from reticent.errors import ConfigurationError
from reticent.serializers.producers import Producer

_PLAN = reticent.load_plan()


@pytest.mark.parametrize(
    ("text", "producer"),
    [
        ("anthropic", Producer("anthropic")),
        ("Anthropic", Producer("anthropic")),
        ("anthropic/claude-sonnet-4", Producer("anthropic", family="claude-sonnet-4")),
        ("anthropic/claude-sonnet-4-20250514", Producer("anthropic", family="claude-sonnet-4")),
        ("claude-sonnet-4", Producer("anthropic", family="claude-sonnet-4")),
        (
            "bedrock/eu-west-1/anthropic/claude-sonnet-4",
            Producer("bedrock", "", "eu-west-1", "anthropic", "claude-sonnet-4"),
        ),
        (
            "aws@123456789012/eu-west-1/eu.anthropic.claude-sonnet-4-20250514-v1:0",
            Producer("bedrock", "123456789012", "eu-west-1", "anthropic", "claude-sonnet-4"),
        ),
        (
            "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-20250514-v1:0",
            Producer("bedrock", "123456789012", "eu-west-1", "anthropic", "claude-sonnet-4"),
        ),
        (
            "projects/shop/locations/europe-west1/publishers/anthropic/models/claude-opus-4@20250514",
            Producer("vertex", "shop", "europe-west1", "anthropic", "claude-opus-4"),
        ),
        ("google_genai/gemini-2.5-pro", Producer("google", family="gemini-2-5-pro")),
        ("Google AI Studio", Producer("google")),
        ("google_vertexai/us-east5/gemini-2.5-pro", Producer("vertex", "", "us-east5", "google", "gemini-2-5-pro")),
        (
            "openrouter/anthropic/claude-sonnet-4.5:free",
            Producer("openrouter", "", "", "anthropic", "claude-sonnet-4-5"),
        ),
        ("azure@shop/swedencentral/openai/gpt-5", Producer("azure", "shop", "swedencentral", "openai", "gpt-5")),
        ("groq/openai/gpt-oss-120b", Producer("groq", "", "", "openai", "gpt-oss-120b")),
        ("our-own/model-2", Producer("our-own", family="model-2")),
    ],
)
def test_spellings_of_one_producer_are_one(text: str, producer: Producer) -> None:
    """A name is read in the spellings of vendors, SDKs and clouds, and its own spelling reads back."""
    assert producer == Producer.parse(text)
    assert producer == Producer.parse(str(producer))


_PROVIDERS = st.sampled_from(["anthropic", "openai", "bedrock", "vertex", "azure", "openrouter", "acme"])
_ACCOUNTS = st.sampled_from(["", "@acct-1"])
_ENDPOINTS = st.sampled_from(["", "/eu-west-1", "/us-east5", "/europe-west1"])
_MAKERS = st.sampled_from(["", "/anthropic", "/x-ai", "/Meta"])
_MODELS = st.sampled_from(["", "/claude-sonnet-4", "/gpt-5.1", "/o3-mini", "/models-x", "/llama-4:free"])


@given(st.tuples(_PROVIDERS, _ACCOUNTS, _ENDPOINTS, _MAKERS, _MODELS))
def test_own_spelling_reads_back(parts: tuple[str, ...]) -> None:
    """Whatever is read, what is written is read the same."""
    producer = Producer.parse("".join(parts))

    assert producer == Producer.parse(str(producer))
    assert producer.same_as(producer)


@pytest.mark.parametrize("text", ["", "  ", "/", "anthropic//", "two words/model", "a/b c"])
def test_name_of_nobody_is_an_error(text: str) -> None:
    """A string that names no producer is refused when the serializer is asked for, not at the first message."""
    with pytest.raises(ConfigurationError):
        _PLAN.serializer("provider_roundtrip", to=text)
    with pytest.raises(ConfigurationError):
        _PLAN.stream("provider_roundtrip", producer=text)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("anthropic", "anthropic", True),
        ("anthropic", "anthropic/claude-sonnet-4", True),
        ("anthropic/claude", "anthropic/claude-sonnet-4", True),
        ("anthropic/claude-sonnet-4", "anthropic/claude-sonnet-4-20250514", True),
        ("anthropic/claude-sonnet-4", "anthropic/claude-sonnet-4-5", False),
        ("anthropic/claude-sonnet-4", "anthropic/claude-opus-4", False),
        ("anthropic", "openai", False),
        ("anthropic/claude-sonnet-4", "bedrock/anthropic/claude-sonnet-4", False),
        ("bedrock/eu-west-1", "bedrock/eu-west-1/anthropic/claude-sonnet-4", True),
        ("bedrock/eu-west-1", "bedrock/us-east-1", False),
        ("bedrock@111111111111/eu-west-1", "bedrock@222222222222/eu-west-1", False),
        ("openrouter/anthropic/claude-sonnet-4", "openrouter/google/gemini-2.5-pro", False),
    ],
)
def test_same_producer_is_provider_account_endpoint_and_family(one: str, other: str, same: bool) -> None:
    """Two names are one system when the provider is one and no part that both name differs."""
    assert same is Producer.parse(one).same_as(Producer.parse(other))
    assert same is Producer.parse(other).same_as(Producer.parse(one))
