"""Langfuse: what its client hands to the exporter."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from langfuse import Langfuse
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.integrations.reasoning import FORMS, VISIBLE, clean, cycle, forms, message

from reticent.errors import UnknownSurface
from reticent.integrations.langfuse import ReticentMask, hooks
from reticent.testing import canary

if TYPE_CHECKING:
    from collections.abc import Iterator

# Langfuse keeps one client for each public key; these tests share it, and what arrives.
ARRIVED = InMemorySpanExporter()


@pytest.fixture(scope="module")
def client() -> Iterator[Langfuse]:
    """A client with guarded hooks that exports into memory."""
    provider = TracerProvider(shutdown_on_exit=False)
    made = Langfuse(
        public_key="pk-reticent",
        secret_key="sk",
        base_url="http://localhost:9",
        span_exporter=ARRIVED,
        tracer_provider=provider,
        flush_at=1_000,
        **hooks("logs"),
    )
    yield made
    made.shutdown()


def exported(client: Langfuse) -> str:
    """Everything that was exported since the last time."""
    client.flush()
    spans = ARRIVED.get_finished_spans()
    ARRIVED.clear()
    return "".join(span.to_json() for span in spans)


@pytest.mark.parametrize("form", FORMS)
def test_observations_show_no_reasoning(client: Langfuse, form: str) -> None:
    """Input, output and metadata of an observation lose reasoning."""
    secret = canary()
    value = forms(secret)[form]
    with client.start_as_current_observation(
        as_type="generation", name="chat", input=[value] if form != "tags" else ""
    ) as made:
        made.update(output=value, metadata={"answer": value} if form != "tags" else {})
    said = exported(client)

    assert '"name": "chat"' in said
    assert clean(said, secret)


def test_spans_of_others_show_no_reasoning(client: Langfuse) -> None:
    """Attributes that another instrumentation wrote lose reasoning right before the export."""
    secret = canary()
    with client.start_as_current_observation(name="turn"):
        tracer = client._otel_tracer
        with tracer.start_as_current_span("chat") as span:
            span.set_attribute("gen_ai.output.messages", json.dumps([message(secret)]))
            span.set_attribute("gen_ai.completion.0.reasoning_content", secret)
            span.set_attribute("gen_ai.completion.0.content", VISIBLE)
    said = exported(client)

    assert VISIBLE in said
    assert clean(said, secret)


def test_visible_output_stays(client: Langfuse) -> None:
    """What is no reasoning is exported as it was."""
    with client.start_as_current_observation(as_type="generation", name="chat", input="q") as made:
        made.update(output=message(canary()), model="m")
    said = exported(client)

    assert VISIBLE in said
    assert '"gen_ai.request.model": "m"' in said or '"m"' in said


def test_what_cannot_be_judged_leaves_a_placeholder() -> None:
    """The mask answers with a placeholder, because an exception of it would be logged with its text."""
    secret = canary()
    told: Any = ReticentMask("logs")(data=cycle(secret))

    assert "[reticent withheld a value: cyclic-input]" == told


def test_unknown_surface_fails_at_start() -> None:
    """A wrong name fails when the hooks are made."""
    with pytest.raises(UnknownSurface):
        hooks("log")
