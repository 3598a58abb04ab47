"""Anthropic betas: compaction, advisor, fallback, context editing, Managed Agents sessions.

Data alone: blocks travel in Messages bodies and in the Messages stream, whose handler serves them too.
"""

from __future__ import annotations

from typing import Any

from reticent.dialects._dialect import Dialect
from reticent.dialects._rules import kinds

_SESSION_EVENTS = ("agent.", "session.", "span.", "user.", "workflow_run.")


def _recognise(value: Any) -> bool:
    """An event of a Managed Agents session, or a message that only a beta can have answered."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    if value["type"].startswith(_SESSION_EVENTS) and "processed_at" in value:
        return True
    return value["type"] == "message" and isinstance(value.get("context_management"), dict)


DIALECT = Dialect("anthropic-betas", kinds("anthropic-betas"), recognise=_recognise)
