"""Traces of the service's own, by OpenTelemetry: a span for each request, for what was filtered, and for each plan.

A span holds what the decision log holds and nothing else: names of the table and of the vocabulary, counts, lengths.
Of the request it has the method and the route's template, never the path, the query, a header or an address. From the
caller it takes ``traceparent``, which is numbers; ``tracestate`` and ``baggage`` are texts of the caller's, and would
be sent on with every span (https://www.w3.org/TR/trace-context/, read 2026-11-29).
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from reticent_service.filtering import ROUTE, is_filtering

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from opentelemetry.context import Context
    from opentelemetry.trace import Span
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from reticent_service.observing import Call
    from reticent_service.plan_holder import Load
    from reticent_service.settings import Settings

# https://opentelemetry.io/docs/specs/semconv/http/http-spans/: any other method is a word of the caller's.
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"})
_PARENT: Final = TraceContextTextMapPropagator()


class Traces:
    """Makes the spans of one process."""

    def __init__(self, provider: trace.TracerProvider, *, owned: TracerProvider | None = None) -> None:
        """Hand spans to ``provider``; ``owned`` is the same one when nobody else ends it."""
        self._owned = owned
        self.tracer = provider.get_tracer("reticent")

    def close(self) -> None:
        """Send what is still held back."""
        if self._owned is not None:
            self._owned.shutdown()

    def finished(self, call: Call) -> None:
        """Tell of one filter request, as a child of its request's span."""
        end = time.time_ns()
        span = self.tracer.start_span("filter", start_time=end - _ns(call.seconds), attributes=_of_call(call))
        if call.refused:
            span.set_status(StatusCode.ERROR, call.outcome)
        span.end(end)

    def loaded(self, load: Load) -> None:
        """Tell of one attempt to bring a plan in force."""
        end = time.time_ns()
        told: dict[str, str | bool] = {"reticent.plan": load.plan, "reticent.swapped": load.swapped}
        if load.failure is not None:
            told["error.type"] = load.failure
        span = self.tracer.start_span("load plan", start_time=end - _ns(load.seconds), attributes=told)
        if load.failure is not None:
            span.set_status(StatusCode.ERROR, load.failure)
        span.end(end)


class TracedRequests:
    """ASGI middleware: a span around each request."""

    def __init__(self, app: ASGIApp, *, traces: Traces) -> None:
        """Serve by ``app``; the spans are ``traces``'s."""
        self._app = app
        self._tracer = traces.tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method = scope["method"] if scope["method"] in _METHODS else "_OTHER"
        status = 0

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        # An exception's message may quote what was being read, so the span is never told of one.
        with self._tracer.start_as_current_span(
            method,
            context=_parent(scope["headers"]),
            kind=SpanKind.SERVER,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                await self._app(scope, receive, noted)
            finally:
                _describe(span, method, scope, status)


def open_traces(settings: Settings) -> Traces:
    """The traces that the settings ask for: sent by OTLP over HTTP, or to the provider that the process has.

    ``otlp`` is configured by the variables of OpenTelemetry, ``OTEL_EXPORTER_OTLP_ENDPOINT`` and the others of
    https://opentelemetry.io/docs/specs/otel/protocol/exporter/ (read 2026-11-29).
    """
    if settings.traces == "global":
        return Traces(trace.get_tracer_provider())
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    named = {} if "OTEL_SERVICE_NAME" in os.environ else {"service.name": "reticent"}
    provider = TracerProvider(resource=Resource.create(named))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Traces(provider, owned=provider)


def _parent(headers: Iterable[tuple[bytes, bytes]]) -> Context:
    given = next((value.decode("latin-1") for name, value in headers if name == b"traceparent"), None)
    return _PARENT.extract({} if given is None else {"traceparent": given})


def _describe(span: Span, method: str, scope: Scope, status: int) -> None:
    route = ROUTE if is_filtering(scope["path"]) else getattr(scope.get("route"), "path", None)
    span.set_attribute("http.request.method", method)
    if route is not None:
        span.update_name(f"{method} {route}")
        span.set_attribute("http.route", route)
    if status:
        span.set_attribute("http.response.status_code", status)
    if not status or status >= 500:  # noqa: PLR2004 - RFC 9110: from here on the failure is the server's
        span.set_status(StatusCode.ERROR)


def _of_call(call: Call) -> Mapping[str, str | int | tuple[str, ...]]:
    removals = call.report.removals
    told: dict[str, str | int | tuple[str, ...] | None] = {
        "reticent.surface": call.surface or None,
        "reticent.caller": call.caller,
        "reticent.verdict": call.verdict,
        "reticent.wire": call.wire,
        "reticent.outcome": call.outcome,
        "reticent.plan": call.plan,
        "reticent.dialects": tuple(call.report.dialects),
        "reticent.rules": tuple(sorted(removals)),
        "reticent.removed.count": sum(one.count for one in removals.values()),
        "reticent.removed.length": sum(one.length for one in removals.values()),
        "reticent.unknown_types": call.unknown_types,
        "reticent.bytes_in": call.bytes_in,
        "reticent.bytes_out": call.bytes_out,
        "error.type": call.outcome if call.refused else None,
    }
    return {name: value for name, value in told.items() if value is not None}


def _ns(seconds: float) -> int:
    return int(seconds * 1_000_000_000)
