"""Logfire: options that send spans through guarded exporters and through nothing else.

.. code-block:: python

    import logfire
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from reticent.integrations.logfire import options

    backend = OTLPSpanExporter("https://logfire-us.pydantic.dev/v1/traces", headers={"Authorization": token})
    logfire.configure(**options("logs", backend))

Logfire's own scrubber cannot do it: it leaves the attributes that hold messages alone (``gen_ai.input.messages``,
``pydantic_ai.all_messages`` and more are on its list of safe keys), and its exporters are made inside ``configure``.
So its exporter and its console are switched off, and the exporters given here are wrapped.
https://logfire.pydantic.dev/docs/how-to-guides/alternative-backends/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from logfire import AdvancedOptions
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from reticent.integrations.opentelemetry import ReticentLogExporter, ReticentSpanExporter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.sdk.trace.export import SpanExporter

    from reticent.integrations._guard import PlanSource

__all__ = ["options"]


def options(
    surface: str, *exporters: SpanExporter, log_exporters: Sequence[Any] = (), plan: PlanSource = None
) -> dict[str, Any]:
    """Keyword arguments for ``logfire.configure``; those of your own can be put beside or over them.

    Raises:
        UnknownSurface: the plan has no such surface.
    """
    spans = [BatchSpanProcessor(ReticentSpanExporter(surface, exporter, plan=plan)) for exporter in exporters]
    records: list[Any] = [ReticentLogExporter(surface, exporter, plan=plan) for exporter in log_exporters]
    return {
        "send_to_logfire": False,
        "console": False,
        "additional_span_processors": spans,
        "advanced": AdvancedOptions(log_record_processors=[BatchLogRecordProcessor(record) for record in records]),
    }
