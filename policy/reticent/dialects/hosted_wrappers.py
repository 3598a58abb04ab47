"""Hosts that wrap another vendor's model: Databricks, Snowflake Cortex, GitHub Copilot.

They add no vocabulary. Databricks puts a Responses-like reasoning block, signature inside, into the content of a chat
message; Copilot can answer with an Anthropic body that a proxy adds ``choices`` to. Every rule looks at every object,
so both halves of such a body are covered.
"""

from __future__ import annotations

from typing import Any

from reticent.dialects._dialect import Dialect
from reticent.dialects._rules import kinds


def _recognise(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("choices"), list) and isinstance(value.get("content"), list)


DIALECT = Dialect("hosted-wrappers", kinds("hosted-wrappers"), recognise=_recognise)
