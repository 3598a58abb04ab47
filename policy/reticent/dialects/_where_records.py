"""Records of logs and of calls to a model, told by what stands beside a field.

In such a record the words ``thinking`` and ``reasoning`` name what a model thought. Elsewhere they are an application's
own: a judge's ``reasoning`` is its answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_LEVELS: Final = frozenset(
    {"trace", "debug", "info", "notice", "warn", "warning", "error", "critical", "fatal", "default"}
)
_LEVEL_KEYS: Final = ("level", "severity", "levelname", "log_level")
_EVENT_KEYS: Final = frozenset({"event", "msg", "logger"})
_TIME_KEYS: Final = frozenset({"timestamp", "@timestamp", "ts", "time", "asctime"})
_CALL_KEYS: Final = frozenset(
    {
        "usage",
        "latency_ms",
        "duration_ms",
        "total_tokens",
        "input_tokens",
        "output_tokens",
        "prompt_tokens",
        "completion_tokens",
        "trace_id",
        "span_id",
        "cost_usd",
    }
)
_ANSWER_KEYS: Final = frozenset({"event", "msg", "text", "answer", "response", "output", "reply"})


def is_noted(node: Mapping[str, Any], value: Any) -> bool:
    """Whether ``value`` is prose that a record of a log or of a call to a model has beside what else it says.

    One word would be a setting (``high``). ``thinking`` is nobody's name for anything else, so that an answer or the
    class of an object beside it is enough.
    """
    if not isinstance(value, str) or " " not in value.strip():
        return False
    if node.get("thinking") is value and not _ANSWER_KEYS.isdisjoint(node):
        return True
    return _is_logged(node) or (isinstance(node.get("model"), str) and not _CALL_KEYS.isdisjoint(node))


def _is_logged(node: Mapping[str, Any]) -> bool:
    levels = (node.get(key) for key in _LEVEL_KEYS)
    if any(isinstance(level, str) and level.lower() in _LEVELS for level in levels):
        return True
    return not _EVENT_KEYS.isdisjoint(node) and not _TIME_KEYS.isdisjoint(node)
