"""OpenTelemetry: spans and log records in the conventions of GenAI and OpenInference, through the real SDK."""

from __future__ import annotations

import json
from typing import Any

import pytest
from opentelemetry.sdk import trace
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs import export as log_exports
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags
from tests.integrations.reasoning import VISIBLE, ThinkingBlock, clean, message

from reticent.errors import UnknownSurface
from reticent.integrations.opentelemetry import ReticentLogExporter, ReticentSpanExporter
from reticent.testing import canary

CONTEXT = SpanContext(trace_id=7, span_id=7, is_remote=False, trace_flags=TraceFlags(1))


def conventions(secret: str) -> dict[str, dict[str, Any]]:
    """Attributes of one model call as instrumentation writes them, today and in older releases."""
    parts = [{"type": "reasoning", "content": secret}, {"type": "text", "content": VISIBLE}]
    answer = [{"role": "assistant", "parts": parts, "finish_reason": "stop"}]
    block = "llm.output_messages.0.message.contents"
    return {
        "gen_ai": {"gen_ai.output.messages": json.dumps(answer), "gen_ai.usage.reasoning.output_tokens": 64},
        "gen_ai cut short": {"gen_ai.output.messages": json.dumps(answer)[:90], "gen_ai.system": VISIBLE},
        "gen_ai flattened": {
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.content": VISIBLE,
            "gen_ai.completion.0.reasoning_content": secret,
        },
        "gen_ai older": {"gen_ai.completion": json.dumps(message(secret)), "gen_ai.system": VISIBLE},
        "openinference": {
            "openinference.span.kind": "LLM",
            f"{block}.0.message_content.type": "reasoning",
            f"{block}.0.message_content.text": secret,
            f"{block}.0.message_content.signature": f"{secret}sig",
            f"{block}.1.message_content.type": "text",
            f"{block}.1.message_content.text": VISIBLE,
            "output.value": json.dumps(message(secret)),
        },
        "pydantic-ai": {
            "pydantic_ai.all_messages": json.dumps(
                [
                    {
                        "role": "assistant",
                        "parts": [{"type": "thinking", "content": secret}, {"type": "text", "content": VISIBLE}],
                    }
                ]
            )
        },
        "repr": {"app.answer": f"{ThinkingBlock(secret)!r} {VISIBLE}"},
    }


CONVENTIONS = tuple(conventions(""))


def tracer(surface: str = "logs") -> tuple[Any, InMemorySpanExporter]:
    """A tracer whose spans go through a guarded exporter, and what arrives behind it."""
    arrived = InMemorySpanExporter()
    provider = trace.TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(ReticentSpanExporter(surface, arrived)))
    return provider.get_tracer("app", "1"), arrived


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_spans_show_no_reasoning(convention: str) -> None:
    """Attributes of a span, of its events and of its links lose reasoning in every convention; the rest stays."""
    secret = canary()
    attributes = conventions(secret)[convention]
    make, arrived = tracer()
    with make.start_as_current_span("chat", attributes=attributes, links=[Link(CONTEXT, attributes)]) as span:
        span.add_event("gen_ai.choice", attributes)
    (got,) = arrived.get_finished_spans()

    assert clean(got.to_json(), secret)
    for part in (got, got.events[0], got.links[0]):
        assert VISIBLE in str(part.attributes)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_failures_of_a_span_show_no_reasoning(convention: str) -> None:
    """The event of an exception and the description of the status lose reasoning."""
    secret = canary()
    make, arrived = tracer()
    with pytest.raises(ValueError, match="no answer"), make.start_as_current_span("chat") as span:
        raise ValueError(f"no answer in {json.dumps(conventions(secret)[convention])}")
    span = make.start_span("other")
    span.set_status(Status(StatusCode.ERROR, repr(ThinkingBlock(secret))))
    span.end()
    first, second = arrived.get_finished_spans()

    assert "no answer in" in str(first.events[0].attributes)
    assert StatusCode.ERROR is second.status.status_code
    assert clean(first.to_json() + second.to_json(), secret)


def test_clean_spans_are_handed_on_as_they_are() -> None:
    """A span that loses nothing reaches the exporter as the very same object."""

    class Keeping(SpanExporter):
        def __init__(self) -> None:
            self.spans: list[trace.ReadableSpan] = []

        def export(self, spans: Any) -> SpanExportResult:
            self.spans += spans
            return SpanExportResult.SUCCESS

    kept = Keeping()
    given = trace.ReadableSpan("chat", context=CONTEXT, attributes={"a": 1, "b": (1, 2), "c": "x"})

    assert SpanExportResult.SUCCESS is ReticentSpanExporter("logs", kept).export([given])
    assert given is kept.spans[0]


def test_what_is_no_reasoning_keeps_its_place() -> None:
    """Ids, times, kind, counts and the order of a changed span's attributes stay; numbers stay numbers."""
    make, arrived = tracer()
    attributes = {"z": 1.5, "gen_ai.output.messages": json.dumps([message(canary())]), "a": (1, 2), "n": True}
    with make.start_as_current_span("chat", attributes=attributes, kind=SpanKind.CLIENT) as span:
        pass
    (got,) = arrived.get_finished_spans()

    assert ["z", "gen_ai.output.messages", "a", "n"] == list(got.attributes or {})
    assert (1.5, (1, 2), True) == tuple((got.attributes or {})[name] for name in ("z", "a", "n"))
    assert span.get_span_context() == got.context
    assert (span.start_time, span.end_time, span.kind) == (got.start_time, got.end_time, got.kind)
    assert span.instrumentation_scope is got.instrumentation_scope


def test_span_that_cannot_be_judged_goes_with_its_ids() -> None:
    """A span whose attributes cannot be read leaves a placeholder with ids, times and status code."""
    secret = canary()
    arrived = InMemorySpanExporter()
    exporter = ReticentSpanExporter("logs", arrived)

    class Failing(dict[str, Any]):
        def items(self) -> Any:
            raise ValueError(secret)

        keys = items

    span = trace.ReadableSpan("chat", context=CONTEXT, attributes=Failing(a=secret), status=Status(StatusCode.OK))
    exporter.export([span])
    (got,) = arrived.get_finished_spans()

    assert {"reticent.withheld": "[reticent withheld a value: adapter-failure]"} == got.attributes
    assert CONTEXT == got.context
    assert 1 == exporter.guard.counts.failed
    assert clean(got.to_json(), secret)


def test_exporters_are_closed_with_their_guard() -> None:
    """Flush and shutdown reach the exporter behind the guard."""
    arrived = InMemorySpanExporter()
    exporter = ReticentSpanExporter("logs", arrived)
    assert exporter.force_flush()
    exporter.shutdown()

    assert SpanExportResult.FAILURE is exporter.export([])


# The second is what it was called in earlier releases.
LOG_EXPORTERS = ("InMemoryLogRecordExporter", "InMemoryLogExporter")
LOG_EXPORTER: Any = next(getattr(log_exports, name) for name in LOG_EXPORTERS if hasattr(log_exports, name))
LOG_PROCESSOR: Any = log_exports.SimpleLogRecordProcessor


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_log_records_show_no_reasoning(convention: str) -> None:
    """Body and attributes of log records lose reasoning, and the caller's record is not changed."""
    from opentelemetry._logs import LogRecord, SeverityNumber

    secret = canary()
    arrived = LOG_EXPORTER()
    guarded = ReticentLogExporter("logs", arrived)
    provider = LoggerProvider(shutdown_on_exit=False)
    provider.add_log_record_processor(LOG_PROCESSOR(guarded))
    attributes = conventions(secret)[convention]
    for body in (attributes, json.dumps(attributes), repr(ThinkingBlock(secret)), f"<think>{secret}</think>{VISIBLE}"):
        record = LogRecord(timestamp=1, body=body, severity_number=SeverityNumber.INFO, attributes=dict(attributes))
        provider.get_logger("app").emit(record)
        assert body is record.body
    got = arrived.get_finished_logs()

    assert 4 == len(got)
    assert clean("".join(data.to_json() for data in got), secret)
    assert VISIBLE in str(got[0].log_record.body)
    assert VISIBLE in str(got[0].log_record.attributes)
    assert VISIBLE == got[3].log_record.body
    assert SeverityNumber.INFO is got[0].log_record.severity_number


def test_pass_surface_hands_on_the_same_batch() -> None:
    """On a pass surface the exporter gets the very same sequence."""

    class Keeping:
        def export(self, batch: Any) -> Any:
            return batch

    batch = [object()]

    assert batch is ReticentLogExporter("request_memory", Keeping()).export(batch)


@pytest.mark.parametrize("adapter", [ReticentSpanExporter, ReticentLogExporter])
def test_unknown_surface_fails_at_start(adapter: Any) -> None:
    """A wrong name fails when the exporter is wrapped."""
    with pytest.raises(UnknownSurface):
        adapter("log", InMemorySpanExporter())
