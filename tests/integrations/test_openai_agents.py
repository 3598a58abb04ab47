"""OpenAI Agents SDK: handoffs and traces of real runs with a scripted model."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from agents import Agent, ModelResponse, RunConfig, Runner, Usage, handoff
from agents.models.interface import Model, ModelProvider
from agents.tracing import custom_span, generation_span, set_trace_processors, trace
from agents.tracing.processor_interface import TracingProcessor
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseReasoningItem
from tests.integrations.reasoning import VISIBLE, clean, message

from reticent.errors import UnknownSurface
from reticent.integrations.openai_agents import ReticentTracingProcessor, handoff_filter
from reticent.testing import canary


class Scripted(Model):
    """A model that hands over and then answers, reasoning both times."""

    def __init__(self, secret: str) -> None:
        """Reason with ``secret``."""
        self.secret = secret
        self.inputs: list[Any] = []

    async def get_response(self, system_instructions: Any, input: Any, *_given: Any, **_options: Any) -> ModelResponse:  # noqa: A002, ARG002 - the SDK's signature
        """The next answer."""
        self.inputs.append(input)
        summary: Any = [{"type": "summary_text", "text": self.secret}]
        thought = ResponseReasoningItem(id="rs_1", type="reasoning", summary=summary, encrypted_content=self.secret)
        if len(self.inputs) == 1:
            call = ResponseFunctionToolCall(
                type="function_call", call_id="c1", name="transfer_to_refunds", arguments="{}", id="fc_1"
            )
            return ModelResponse(output=[thought, call], usage=Usage(), response_id=None)
        text: Any = [{"type": "output_text", "text": VISIBLE, "annotations": []}]
        said = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=text)
        return ModelResponse(output=[thought, said], usage=Usage(), response_id=None)

    def stream_response(self, *_given: Any, **_options: Any) -> Any:
        """Not used."""
        raise NotImplementedError


class Provider(ModelProvider):
    """Gives one model."""

    def __init__(self, model: Model) -> None:
        """Give ``model``."""
        self.model = model

    def get_model(self, model_name: str | None) -> Model:  # noqa: ARG002 - the SDK's signature
        """The model."""
        return self.model


class Recorder(TracingProcessor):
    """Keeps what an exporter would send."""

    def __init__(self) -> None:
        """Start empty."""
        self.sent: list[Any] = []

    def on_trace_start(self, trace: Any) -> None:
        """Keep a trace."""
        self.sent.append(trace.export())

    def on_trace_end(self, trace: Any) -> None:
        """Keep a trace."""
        self.sent.append((trace.export(), trace.name, trace.trace_id))

    def on_span_start(self, span: Any) -> None:
        """Keep a span."""
        self.sent.append(span.export())

    def on_span_end(self, span: Any) -> None:
        """Keep a span, all of it."""
        self.sent.append((span.export(), vars(span.span_data), span.error, span.span_id, span.started_at))

    def shutdown(self) -> None:
        """Nothing to do."""

    def force_flush(self) -> None:
        """Nothing to do."""


def test_an_unknown_surface_fails_at_start() -> None:
    """A filter or processor for a surface that the plan does not have is never made."""
    with pytest.raises(UnknownSurface):
        handoff_filter("handoff")
    with pytest.raises(UnknownSurface):
        ReticentTracingProcessor("trace", Recorder())


@pytest.mark.parametrize("surface", ["conversation_db", "task_store"])
def test_the_next_agent_gets_no_reasoning(surface: str) -> None:
    """Over a strip surface, an agent that takes over gets calls and results and no thought of the one before."""
    secret = canary()
    model = Scripted(secret)
    refunds = Agent(name="refunds")
    triage = Agent(name="triage", handoffs=[handoff(refunds, input_filter=handoff_filter(surface))])
    config = RunConfig(model_provider=Provider(model), tracing_disabled=True)
    result = asyncio.run(Runner.run(triage, "where is my money", run_config=config))

    assert VISIBLE == result.final_output
    assert clean(repr(model.inputs[1]), secret) == (surface == "conversation_db")
    assert {"function_call", "function_call_output"} <= {one.get("type") for one in model.inputs[1]}


def test_a_tracing_processor_gets_no_reasoning() -> None:
    """Traces and spans reach another processor without reasoning, with their ids and times."""
    secret = canary()
    inner = Recorder()
    set_trace_processors([ReticentTracingProcessor("logs", inner)])
    try:
        with trace("turn", metadata={"last": message(secret)}):
            with generation_span(input=[message(secret)], output=[message(secret)], model="m") as span:
                span.set_error({"message": f"<think>{secret}</think>failed", "data": message(secret)})
            with custom_span("own", data={"line": repr(message(secret))}):
                pass
    finally:
        set_trace_processors([])

    assert clean(repr(inner.sent), secret)
    assert VISIBLE in repr(inner.sent)
    assert 6 == len(inner.sent)
