"""Session files of coding agents other than Claude Code and Codex: all of it is data (``kinds.yaml``)."""

from __future__ import annotations

from typing import Any

from reticent.dialects._dialect import Dialect
from reticent.dialects._rules import kinds


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return value.get("type") == "gemini" or "say" in value or ("projectHash" in value and "sessionId" in value)


DIALECT = Dialect("agent-sessions", kinds("agent-sessions"), recognise=_recognise)
