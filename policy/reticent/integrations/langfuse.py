"""Langfuse: the mask for what its own SDK records, and the export hook for spans of other instrumentation.

.. code-block:: python

    from langfuse import Langfuse
    from reticent.integrations.langfuse import hooks

    langfuse = Langfuse(**hooks("logs"))

``mask`` sees input, output and metadata when they are recorded. ``mask_otel_spans`` sees the attributes of every span
right before the export, which catches what OpenInference, OpenLLMetry or another instrumentation wrote; releases
before it came have ``mask`` alone. Neither hook sees a span's name, events or status: for those, wrap the exporter
(``reticent.integrations.opentelemetry``). https://langfuse.com/docs/observability/features/masking
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from langfuse import Langfuse

from reticent.integrations._guard import Guard, PlanSource

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ReticentMask", "ReticentSpanMask", "hooks"]


class ReticentMask:
    """What Langfuse calls with each input, output and metadata."""

    def __init__(self, surface: str, *, plan: PlanSource = None) -> None:
        """Guard what is recorded on its way to ``surface``.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        self.guard = Guard(surface, plan=plan)

    def __call__(self, *, data: Any, **_kwargs: Any) -> Any:
        """The data without reasoning; a placeholder when it cannot be judged."""
        return self.guard.value(data)


class ReticentSpanMask:
    """What Langfuse calls with a batch of spans right before it exports them."""

    def __init__(self, surface: str, *, plan: PlanSource = None) -> None:
        """Guard attributes on their way to ``surface``.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        self.guard = Guard(surface, plan=plan)

    def __call__(self, *, params: Any) -> Any:
        """A patch for each span that loses something; None for a batch that loses nothing."""
        from langfuse.types import MaskOtelSpansResult, OtelSpanPatch

        patches: dict[Any, Any] = {}
        for identifier, span in params.spans.items():
            changed, gone = self._difference(span.attributes)
            if changed or gone:
                patches[identifier] = OtelSpanPatch(set_attributes=changed, delete_attributes=gone)
        return MaskOtelSpansResult(span_patches=patches) if patches else None

    def _difference(self, attributes: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        kept = self.guard.fields(attributes)
        changed = {name: value for name, value in kept.items() if not _same(attributes.get(name), value)}
        return changed, tuple(name for name in attributes if name not in kept)


def hooks(surface: str, *, plan: PlanSource = None) -> dict[str, Any]:
    """The hooks for ``Langfuse(...)`` that the installed release has, by name.

    Raises:
        UnknownSurface: the plan has no such surface.
    """
    found: dict[str, Any] = {"mask": ReticentMask(surface, plan=plan)}
    if "mask_otel_spans" in inspect.signature(Langfuse).parameters:
        found["mask_otel_spans"] = ReticentSpanMask(surface, plan=plan)
    return found


def _same(given: Any, kept: Any) -> bool:
    return bool(given == kept or (isinstance(given, tuple) and list(given) == kept))
