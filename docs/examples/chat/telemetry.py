"""Logs and traces."""

from __future__ import annotations

import logging
from typing import TextIO

import structlog
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from reticent.integrations.opentelemetry import ReticentSpanExporter
from reticent.integrations.stdlib_logging import guard_handlers
from reticent.integrations.structlog import ReticentProcessor


def configure_logs(out: TextIO) -> None:
    """Write JSON lines to ``out``, and what libraries have to say."""
    logging.basicConfig(stream=out, level=logging.WARNING, force=True)
    guard_handlers("logs")
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            ReticentProcessor("logs"),
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.WriteLoggerFactory(out),
        cache_logger_on_first_use=False,
    )


def configure_traces(exporter: InMemorySpanExporter) -> None:
    """Let spans end in ``exporter``."""
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(ReticentSpanExporter("logs", exporter)))
    trace.set_tracer_provider(provider)
