"""OpenTelemetry: exporters for spans and log records that hand on only what may leave.

.. code-block:: python

    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter
    from reticent.integrations.opentelemetry import ReticentSpanExporter

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(ReticentSpanExporter("logs", ConsoleSpanExporter())))

Attributes, events, links and the description of the status are judged together, in the GenAI and OpenInference
conventions, today's and older ones. Only copies are changed; a span that loses nothing is handed on as it is.
https://opentelemetry.io/docs/specs/semconv/gen-ai/ and https://github.com/Arize-ai/openinference
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Link, Status

from reticent.integrations._guard import Guard, PlanSource

__all__ = ["ReticentLogExporter", "ReticentSpanExporter"]

_WITHHELD: Final = "reticent.withheld"


class ReticentSpanExporter(SpanExporter):
    """Exports through ``exporter`` what of each span may rest on the surface."""

    def __init__(self, surface: str, exporter: SpanExporter, *, plan: PlanSource = None) -> None:
        """Guard spans on their way to ``surface``.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        self.guard = Guard(surface, plan=plan)
        self.inner = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Export the spans without reasoning; one that cannot be judged goes with its times and ids only."""
        return self.inner.export(spans if self.guard.passes else [self._clean(span) for span in spans])

    def shutdown(self) -> None:
        """Shut the inner exporter down."""
        self.inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Flush the inner exporter."""
        return self.inner.force_flush(timeout_millis)

    def _clean(self, span: ReadableSpan) -> ReadableSpan:
        try:
            return _clean_span(self.guard, span)
        except Exception as error:  # noqa: BLE001 - the boundary that fails closed
            return _span(span, name="span", attributes={_WITHHELD: self.guard.withheld(error, None)})


class ReticentLogExporter:
    """Exports through ``exporter`` what of each log record may rest on the surface: body and attributes.

    ``exporter`` is a log record exporter of the SDK; the class of that name changed between releases, so none is
    named here. https://opentelemetry-python.readthedocs.io/en/latest/sdk/_logs.html
    """

    def __init__(self, surface: str, exporter: Any, *, plan: PlanSource = None) -> None:
        """Guard log records on their way to ``surface``.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        self.guard = Guard(surface, plan=plan)
        self.inner = exporter

    def export(self, batch: Sequence[Any]) -> Any:
        """Export the records without reasoning; one that cannot be judged goes with a placeholder as its body."""
        return self.inner.export(batch if self.guard.passes else [self._clean(data) for data in batch])

    def shutdown(self) -> None:
        """Shut the inner exporter down."""
        self.inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> Any:
        """Flush the inner exporter, when it can be."""
        flush = getattr(self.inner, "force_flush", None)
        return True if flush is None else flush(timeout_millis)

    def _clean(self, data: Any) -> Any:
        record = copy.copy(data.log_record)
        body = record.body
        record.body = self.guard.text(body) if isinstance(body, str) else self.guard.value(body)
        record.attributes = _attributes(record.attributes, self.guard.fields(record.attributes or {}))
        return _with_record(data, record)


def _with_record(data: Any, record: Any) -> Any:
    if hasattr(type(data), "__dataclass_fields__"):
        return replace(data, log_record=record)
    told = copy.copy(data)
    told.log_record = record
    return told


def _clean_span(guard: Guard, span: ReadableSpan) -> ReadableSpan:
    name = guard.text(span.name)
    given = span.attributes  # the SDK makes a new view each time
    attributes = _judged(guard, given)
    events = [_event(guard, event) for event in span.events]
    links = [_link(guard, link) for link in span.links]
    status = _status(guard, span.status)
    unchanged = (
        name == span.name
        and attributes is given
        and all(new is old for new, old in zip(events, span.events, strict=True))
        and all(new is old for new, old in zip(links, span.links, strict=True))
        and status is span.status
    )
    if unchanged:
        return span
    return _span(span, name=name, attributes=attributes, events=events, links=links, status=status)


def _span(span: ReadableSpan, **told: Any) -> ReadableSpan:
    """A span with the ids and times of ``span`` and what is told."""
    options: dict[str, Any] = {"status": Status(span.status.status_code)} | told
    return ReadableSpan(
        context=span.get_span_context(),
        parent=span.parent,
        resource=span.resource,
        kind=span.kind,
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
        **options,
    )


def _judged(guard: Guard, attributes: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    return _attributes(attributes, guard.fields(attributes)) if attributes else attributes


def _attributes(given: Mapping[str, Any] | None, kept: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What is kept, with values as they were where nothing was taken; the very same mapping when all of it stays."""
    if given is None:
        return None
    told = {name: given[name] if _same(given.get(name), value) else value for name, value in kept.items()}
    unchanged = told.keys() == given.keys() and all(told[name] is given[name] for name in told)
    return given if unchanged else told


def _same(given: Any, kept: Any) -> bool:
    return bool(given == kept or (isinstance(given, tuple) and list(given) == kept))


def _event(guard: Guard, event: Event) -> Event:
    given = event.attributes
    name, attributes = guard.text(event.name), _judged(guard, given)
    return event if name == event.name and attributes is given else Event(name, attributes, event.timestamp)


def _link(guard: Guard, link: Link) -> Link:
    given = link.attributes
    attributes = _judged(guard, given)
    return link if attributes is given else Link(link.context, attributes)


def _status(guard: Guard, status: Status) -> Status:
    description = guard.text(status.description) if status.description else status.description
    return status if description == status.description else Status(status.status_code, description)
