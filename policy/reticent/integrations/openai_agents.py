"""OpenAI Agents SDK: what the next agent is handed, and what a tracing processor gets to see.

.. code-block:: python

    from agents import handoff, set_trace_processors
    from reticent.integrations.openai_agents import ReticentTracingProcessor, handoff_filter

    triage = Agent(name="triage", handoffs=[handoff(refunds, input_filter=handoff_filter("agent_handoff"))])
    set_trace_processors([ReticentTracingProcessor("traces", BatchTraceProcessor(exporter))])

``RunConfig(handoff_input_filter=...)`` takes the filter for all handoffs.
https://openai.github.io/openai-agents-python/handoffs/ and https://openai.github.io/openai-agents-python/tracing/
"""

from __future__ import annotations

import copy
import dataclasses
from typing import TYPE_CHECKING, Any

from agents.tracing import Span, Trace
from agents.tracing.processor_interface import TracingProcessor

from reticent.integrations._guard import Guard, PlanSource

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agents import HandoffInputData

__all__ = ["ReticentTracingProcessor", "handoff_filter"]


def handoff_filter(surface: str, *, plan: PlanSource = None) -> Callable[[HandoffInputData], HandoffInputData]:
    """A filter for ``handoff(input_filter=...)``: the next agent gets no reasoning of the one before.

    Raises:
        UnknownSurface: the plan has no such surface.
    """
    guard = Guard(surface, plan=plan, strict=True)

    def handed_over(data: HandoffInputData) -> HandoffInputData:
        if guard.passes:
            return data
        told: dict[str, Any] = {
            name: _items(guard, getattr(data, name, None)) for name in ("pre_handoff_items", "new_items", "input_items")
        }
        history = data.input_history
        told["input_history"] = guard.text(history) if isinstance(history, str) else tuple(guard.value(list(history)))
        return data.clone(**{name: item for name, item in told.items() if hasattr(data, name)})

    return handed_over


def _items(guard: Guard, items: Sequence[Any] | None) -> tuple[Any, ...] | None:
    """Run items without those that are nothing but reasoning; the rest with what of their raw item stays."""
    if items is None:
        return None
    kept: list[Any] = []
    for item in items:
        raw = guard.value([item.raw_item])
        if raw:
            kept.append(item if raw[0] is item.raw_item else dataclasses.replace(item, raw_item=raw[0]))
    return tuple(kept)


def _judged(guard: Guard, value: Any) -> Any:
    return guard.text(value) if isinstance(value, str) else guard.value(value)


class ReticentTracingProcessor(TracingProcessor):
    """Hands traces and spans on to ``processor`` without what may not rest on ``surface``."""

    def __init__(self, surface: str, processor: TracingProcessor, *, plan: PlanSource = None) -> None:
        """Guard traces on their way to ``surface``.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        self.guard = Guard(surface, plan=plan)
        self.inner = processor

    def on_trace_start(self, trace: Trace) -> None:
        """Tell the processor that a trace began."""
        self.inner.on_trace_start(self._trace(trace))

    def on_trace_end(self, trace: Trace) -> None:
        """Tell the processor that a trace ended."""
        self.inner.on_trace_end(self._trace(trace))

    def on_span_start(self, span: Span[Any]) -> None:
        """Tell the processor that a span began."""
        self.inner.on_span_start(self._span(span))

    def on_span_end(self, span: Span[Any]) -> None:
        """Tell the processor that a span ended."""
        self.inner.on_span_end(self._span(span))

    def shutdown(self) -> None:
        """Shut the processor down."""
        self.inner.shutdown()

    def force_flush(self) -> None:
        """Flush the processor."""
        self.inner.force_flush()

    def _trace(self, trace: Trace) -> Trace:
        return trace if self.guard.passes else _CleanTrace(self.guard, trace)

    def _span(self, span: Span[Any]) -> Span[Any]:
        return span if self.guard.passes else _CleanSpan(self.guard, span)


class _CleanTrace(Trace):
    """A trace seen through a guard."""

    def __init__(self, guard: Guard, trace: Trace) -> None:
        self._guard = guard
        self._trace = trace

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_about: object) -> None:
        """Nothing: the trace itself is entered and left elsewhere."""

    def start(self, mark_as_current: bool = False) -> None:  # noqa: FBT001, FBT002 - the SDK's signature
        """Nothing: the trace itself has started."""

    def finish(self, reset_current: bool = False) -> None:  # noqa: FBT001, FBT002 - the SDK's signature
        """Nothing: the trace itself will finish."""

    @property
    def trace_id(self) -> str:
        """The id of the trace."""
        return self._trace.trace_id

    @property
    def name(self) -> str:
        """The name of the workflow."""
        return self._guard.text(self._trace.name)

    @property
    def tracing_api_key(self) -> str | None:
        """The key that the exporter uses, which is part of no payload."""
        return self._trace.tracing_api_key

    def export(self) -> dict[str, Any] | None:
        """What an exporter sends."""
        told = self._trace.export()
        return None if told is None else self._guard.fields(told)


class _CleanSpan(Span[Any]):
    """A span seen through a guard."""

    def __init__(self, guard: Guard, span: Span[Any]) -> None:
        self._guard = guard
        self._span = span

    def __enter__(self) -> Span[Any]:
        return self

    def __exit__(self, *_about: object) -> None:
        """Nothing: the span itself is entered and left elsewhere."""

    def start(self, mark_as_current: bool = False) -> None:  # noqa: FBT001, FBT002 - the SDK's signature
        """Nothing: the span itself has started."""

    def finish(self, reset_current: bool = False) -> None:  # noqa: FBT001, FBT002 - the SDK's signature
        """Nothing: the span itself will finish."""

    def set_error(self, error: Any) -> None:
        """Set the error of the span itself."""
        self._span.set_error(error)

    @property
    def trace_id(self) -> str:
        """The id of the trace."""
        return self._span.trace_id

    @property
    def span_id(self) -> str:
        """The id of the span."""
        return self._span.span_id

    @property
    def parent_id(self) -> str | None:
        """The id of the span around it."""
        return self._span.parent_id

    @property
    def started_at(self) -> str | None:
        """When it began, in ISO 8601."""
        return self._span.started_at

    @property
    def ended_at(self) -> str | None:
        """When it ended, in ISO 8601."""
        return self._span.ended_at

    @property
    def tracing_api_key(self) -> str | None:
        """The key that the exporter uses, which is part of no payload."""
        return getattr(self._span, "tracing_api_key", None)

    @property
    def trace_metadata(self) -> dict[str, Any] | None:
        """The metadata of the trace."""
        told = getattr(self._span, "trace_metadata", None)
        return None if told is None else self._guard.fields(told)

    @property
    def error(self) -> Any:
        """The error of the span."""
        told: Any = self._span.error
        return None if told is None else _judged(self._guard, told)

    @property
    def span_data(self) -> Any:
        """A copy of the span's data, attribute by attribute."""
        data = copy.copy(self._span.span_data)
        for name, value in vars(data).items():
            setattr(data, name, _judged(self._guard, value))
        return data

    def export(self) -> dict[str, Any] | None:
        """What an exporter sends."""
        told = self._span.export()
        return None if told is None else {name: _judged(self._guard, item) for name, item in told.items()}
