"""OpenTelemetry's conventions for generative AI: messages of parts, mostly as JSON text in one attribute.

Parts are data (``kinds.yaml``), and the text is opened as any JSON in a string is. Attributes of older conventions,
with a number in their name, are put together and judged where OpenInference's are.
"""

from __future__ import annotations

from typing import Any

from reticent.dialects._dialect import Dialect
from reticent.dialects._rules import kinds


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    attributes = value.get("attributes", value)
    return isinstance(attributes, dict) and any(str(name).startswith("gen_ai.") for name in attributes)


DIALECT = Dialect("otel-genai", kinds("otel-genai"), recognise=_recognise)
