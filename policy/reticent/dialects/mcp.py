"""Model Context Protocol: no reasoning of its own.

Arguments of a tool that a model thinks into are the application's unless a table names them. Text that a server's
sampled model wrote is looked at as any assistant text is, results of tools as any result.
"""

from __future__ import annotations

from typing import Any

from reticent.dialects._dialect import Dialect
from reticent.dialects._rules import kinds

_METHODS = (
    "tools/",
    "resources/",
    "prompts/",
    "sampling/",
    "completion/",
    "elicitation/",
    "notifications/",
    "initialize",
)


def _recognise(value: Any) -> bool:
    return isinstance(value, dict) and "jsonrpc" in value and str(value.get("method", "")).startswith(_METHODS)


DIALECT = Dialect("mcp", kinds("mcp"), recognise=_recognise)
