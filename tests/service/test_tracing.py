"""Traces of the service's own: what a span tells, and that it tells nothing of a payload or of the caller's texts."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.service.serving import THOUGHT, client, settings
from tests.service.test_plan_holder import DEFAULT

from reticent.testing import canary, leaks
from reticent_service import tracing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from opentelemetry.sdk.trace import ReadableSpan

URL = "/v1/surfaces/logs/filter"


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """Give what exports the spans of every service of this test."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(tracing, "open_traces", lambda _: tracing.Traces(provider, owned=provider))
    return exporter


def told(spans: InMemorySpanExporter, name: str) -> ReadableSpan:
    """Give the one span with a name."""
    (found,) = [span for span in spans.get_finished_spans() if span.name == name]
    return found


def test_a_request_is_a_span_with_its_filter_inside(spans: InMemorySpanExporter) -> None:
    """A filter request has a span by its route, and in it one that tells the decision."""
    with client(settings(traces="global")) as caller:
        caller.post(URL, json=THOUGHT)
    outer, inner = told(spans, "POST /v1/surfaces/{surface}/filter"), told(spans, "filter")

    assert outer.context is not None
    assert inner.parent is not None
    assert outer.context.span_id == inner.parent.span_id
    assert (200, "POST") == (
        (outer.attributes or {})["http.response.status_code"],
        (outer.attributes or {})["http.request.method"],
    )
    attributes = inner.attributes or {}
    assert ("logs", "strip", "filtered", 1) == tuple(
        attributes[f"reticent.{name}"] for name in ("surface", "verdict", "outcome", "removed.count")
    )
    assert inner.start_time is not None
    assert inner.end_time is not None
    assert outer.start_time is not None
    assert outer.start_time <= inner.start_time <= inner.end_time


def test_a_load_is_a_span(spans: InMemorySpanExporter, tmp_path: Path) -> None:
    """Each attempt to bring a plan in force is a span, with the code of what went wrong."""
    from reticent_service.app import create_app

    table = tmp_path / "surfaces.yaml"
    table.write_text(DEFAULT, encoding="utf-8")
    app = create_app(settings(table=table, traces="global"))
    table.unlink()
    app.state.holder.refresh()
    first, second = [span.attributes or {} for span in spans.get_finished_spans() if span.name == "load plan"]

    assert first["reticent.swapped"] is True
    assert second["reticent.swapped"] is False
    assert first["reticent.plan"] == second["reticent.plan"]
    assert "configuration" == second["error.type"]


def test_a_caller_can_continue_its_trace(spans: InMemorySpanExporter) -> None:
    """The numbers of ``traceparent`` are taken, the texts of ``tracestate`` and ``baggage`` are not."""
    secret = canary()
    sent = {
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "tracestate": f"team={secret}",
        "baggage": f"team={secret}",
    }
    with client(settings(traces="global")) as caller:
        caller.get("/livez", headers=sent)
    span = told(spans, "GET /livez")

    assert span.context is not None
    assert 0x0AF7651916CD43DD8448EB211C80319C == span.context.trace_id
    assert [] == leaks(span.to_json(), secret)


def test_a_failure_is_told_by_its_code(spans: InMemorySpanExporter) -> None:
    """A refusal marks the filter's span as failed, with the problem's code."""
    with client(settings(traces="global")) as caller:
        caller.post(URL, content=b"{")

    assert "malformed-input" == (told(spans, "filter").attributes or {})["error.type"]


def test_no_canary_in_spans(spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bodies, paths, queries, methods, headers and the message of a crash stay out of every span."""
    secret, name = canary(), canary("name")
    with client(settings(traces="global")) as caller:
        for body in (f'{{"reasoning_content":"{secret}","content":"x"}}', f'{{"{secret}":', f'[{{"type":"{name}"}}]'):
            caller.post(URL, content=body, headers={"user-agent": secret, "x-secret": secret})
        caller.post(f"/v1/surfaces/{name}/filter", content=b"{}")
        caller.post(f"{URL}?{secret}={secret}", content=b"{}")
        caller.get(f"/{secret}")
        caller.get(f"/surfaces/{name}")
        caller.get(f"/static/{secret}")
        caller.request(secret, URL)
        caller.get("/v1/surfaces", headers={"authorization": f"Bearer {secret}"})
        monkeypatch.setattr("reticent.serializers.cutting.cut_bytes", _crash(secret))
        caller.post(URL, json=THOUGHT)
        monkeypatch.setattr("reticent_service.routes.review.graph.draw", _crash(secret))
        assert 500 == caller.get("/surfaces/logs").status_code
    found = [span.to_json() for span in spans.get_finished_spans()]

    assert len(found) >= 18
    assert [] == leaks("\n".join(found), secret, name)
    assert 0 == sum(len(span.events) for span in spans.get_finished_spans())


def _crash(secret: str) -> Any:
    def crash(*_: object, **__: object) -> None:
        raise ValueError(secret)

    return crash


@pytest.fixture
def collector() -> Iterator[tuple[str, list[bytes]]]:
    """Run something that takes spans by OTLP over HTTP; gives its address and what it got."""
    got: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        """Takes all."""

        def do_POST(self) -> None:
            got.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", got
    server.shutdown()
    server.server_close()
    thread.join()


def test_spans_are_sent_by_otlp(collector: tuple[str, list[bytes]], monkeypatch: pytest.MonkeyPatch) -> None:
    """With ``otlp`` a collector gets the spans when the service stops at the latest, and no payload."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    secret, (address, got) = canary(), collector
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
    with client(settings(traces="otlp")) as caller:
        caller.post(URL, json={**THOUGHT, "reasoning_content": secret})
    read = [ExportTraceServiceRequest.FromString(body) for body in got]
    names = [span.name for one in read for of in one.resource_spans for scope in of.scope_spans for span in scope.spans]

    assert {"load plan", "filter", "POST /v1/surfaces/{surface}/filter"} == set(names)
    assert "reticent" in str(read[0].resource_spans[0].resource)
    assert [] == leaks(b"".join(got), secret)


PROVIDERS = """
import sys
from opentelemetry import trace, _logs
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
spans, logs = InMemorySpanExporter(), InMemoryLogRecordExporter()
trace.set_tracer_provider(TracerProvider())
trace.get_tracer_provider().add_span_processor(SimpleSpanProcessor(spans))
_logs.set_logger_provider(LoggerProvider())
_logs.get_logger_provider().add_log_record_processor(SimpleLogRecordProcessor(logs))

from tests.service.serving import client, settings
import reticent_service.routes.surfaces as routes

def crash(*_):
    raise ValueError("in the message")

with client(settings(traces=sys.argv[1])) as caller:
    routes._told = crash
    print(caller.get("/v1/surfaces/logs").status_code, caller.post("/v1/surfaces/x/filter").status_code)
print(sorted({span.name for span in spans.get_finished_spans()}), len(logs.get_finished_logs()))
"""


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        ("off", "[]"),
        ("global", "['GET /v1/surfaces/{surface}', 'POST /v1/surfaces/{surface}/filter', 'filter', 'load plan']"),
    ],
)
def test_framework_tells_nothing_of_its_own(chosen: str, names: str) -> None:
    """Where the process has providers, FastAPI sends them nothing, and the service only if told to."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "FASTAPI_OTEL_AUTO_CONFIGURE": "true"}
    env["PYDANTIC_DISABLE_PLUGINS"] = "__all__"  # they take seconds to load
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", PROVIDERS, chosen], env=env, stdout=subprocess.PIPE, text=True, check=True
    )

    assert ["500 404", f"{names} 0"] == done.stdout.splitlines()
