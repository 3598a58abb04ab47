"""OpenAI Agents SDK: run items around Responses items, and a vendor's raw events inside its own.

All of it is data: a run item of reasoning goes with its event, and ``raw_response_event`` hands the event inside to the
protocol that made it (``wraps`` in ``kinds.yaml``).
"""

from __future__ import annotations

from typing import Any

from reticent.dialects._dialect import Dialect
from reticent.dialects._rules import kinds

_EVENTS = ("raw_response_event", "run_item_stream_event", "agent_updated_stream_event")


def _recognise(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in _EVENTS


DIALECT = Dialect("openai-agents-sdk", kinds("openai-agents-sdk"), recognise=_recognise)
