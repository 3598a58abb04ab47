"""MLflow tracing: a span processor that runs before a span is kept.

.. code-block:: python

    import mlflow
    from reticent.integrations.mlflow import ReticentSpanProcessor

    mlflow.tracing.configure(span_processors=[ReticentSpanProcessor("logs")])

The hook can set a span's inputs, outputs and attributes, not take an attribute away, and it does not reach events:
MLflow records the text of an exception there. https://mlflow.org/docs/latest/genai/tracing/observe-with-traces/masking/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from reticent.integrations._guard import Guard, PlanSource

if TYPE_CHECKING:
    from mlflow.entities import LiveSpan

__all__ = ["ReticentSpanProcessor"]

_GONE: Final = "[reasoning removed]"
_OWN: Final = ("mlflow.spanInputs", "mlflow.spanOutputs")


class ReticentSpanProcessor:
    """Takes reasoning out of a span's inputs, outputs and attributes."""

    __name__ = "ReticentSpanProcessor"  # MLflow names a processor in its log when one fails

    def __init__(self, surface: str, *, plan: PlanSource = None) -> None:
        """Guard spans on their way to ``surface``.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        self.guard = Guard(surface, plan=plan)

    def __call__(self, span: LiveSpan) -> None:
        """Change ``span`` in place, as MLflow's processors do."""
        if self.guard.passes:
            return
        self._set(span.inputs, span.set_inputs)
        self._set(span.outputs, span.set_outputs)
        given = {name: value for name, value in span.attributes.items() if name not in _OWN}
        kept = self.guard.fields(given)
        for name, value in given.items():
            if name not in kept or kept[name] != value:
                span.set_attribute(name, kept.get(name, _GONE))

    def _set(self, given: Any, put: Any) -> None:
        kept = self.guard.value(given)
        if kept is not given:
            put(kept)
