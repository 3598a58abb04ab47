"""Codex: rollout files, ``codex exec --json`` and the app server's notifications.

One thought is written twice, as a response item and as an event message; both lines are named by data alone.
"""

from __future__ import annotations

from typing import Any

from reticent.dialects._dialect import Dialect
from reticent.dialects._rules import kinds

_LINES = ("response_item", "event_msg", "turn_context", "session_meta", "compacted")


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("type") in _LINES and isinstance(value.get("payload"), dict):
        return True
    return str(value.get("method")).startswith(("item/", "codex/event/"))


DIALECT = Dialect("codex", kinds("codex"), recognise=_recognise)
