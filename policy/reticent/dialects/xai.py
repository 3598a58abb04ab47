"""xAI's gRPC messages as JSON, in proto names and in Python's; the Responses endpoint is ``openai-responses``.

``str(chunk)`` of the SDK joins answer and reasoning into one text without a seam, which nothing can undo: log the
fields, never the object as text.
"""

from __future__ import annotations

from typing import Any

from reticent.dialects._dialect import Dialect
from reticent.dialects._rules import kinds


def _recognise(value: Any) -> bool:
    outputs = value.get("outputs") if isinstance(value, dict) else None
    first = outputs[0] if isinstance(outputs, list) and outputs else None
    return isinstance(first, dict) and ("message" in first or "delta" in first)


DIALECT = Dialect("xai", kinds("xai"), recognise=_recognise)
