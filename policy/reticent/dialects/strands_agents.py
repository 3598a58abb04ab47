"""Strands Agents: Converse messages, raw Converse events under ``event``, and callback events of its own.

The raw events are data (``wraps``). What is code here: a callback event of reasoning repeats the delta that it was
made from, so that it goes as a whole; one of text repeats its delta, and both copies say the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._rules import kinds
from reticent.dialects._stream import Event, Outcome, StreamContext, TextChannels, put
from reticent.edits import DROP, Children, Edit

_CARRIERS = ("reasoningText", "reasoningRedactedContent", "reasoning_signature")


def _claims(event: Event) -> bool:
    return isinstance(event.get("data"), str) and isinstance(event.get("delta"), dict)


def drop_callback(_walker: Walker, node: Mapping[str, Any], edits: Children, _position: int) -> Edit | None:
    """A callback event that holds reasoning: the delta beside it is a copy."""
    gone = any(edits.get(name) is DROP for name in _CARRIERS)
    return DROP if gone and (node.get("reasoning") is True or isinstance(node.get("delta"), dict)) else None


class Stream:
    """One stream of callback events; all text is one channel."""

    def __init__(self, context: StreamContext) -> None:
        """Start before the first event."""
        self._text = TextChannels(context)

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """Filter ``data`` for inline tags and keep its copy in ``delta`` the same."""
        shown = self._text.feed("data", event["data"])
        if shown == event["data"]:
            return Outcome(edit)
        edit = put(edit, ("data",), shown)
        return Outcome(put(edit, ("delta", "text"), shown) if "text" in event["delta"] else edit)

    def close(self) -> Sequence[Event]:
        """Text that was held back when the stream ended."""
        rest = self._text.end("data")
        return [{"data": rest, "delta": {"text": rest}}] if rest else []


DIALECT = Dialect(
    "strands-agents",
    kinds("strands-agents"),
    recognise=lambda value: isinstance(value, dict) and (_claims(value) or "event_loop_cycle_id" in value),
    hooks=dict.fromkeys(_CARRIERS, (drop_callback,)),
    claims=_claims,
    partial=_claims,
    stream=Stream,
)
