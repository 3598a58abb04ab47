"""Google ADK: Gemini parts inside an ``Event``, and their flags as metadata where events cross to A2A.

In the stream an event is partial and holds the next piece of text, or it is complete and repeats what the partial ones
said. The pieces of one author are one channel of text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.dialects._stream import Event, Outcome, StreamContext, TextChannels, put
from reticent.edits import DROP, Children, Edit

_FLAG = "adk_thought"


def _claims(event: Event) -> bool:
    content = event.get("content")
    return isinstance(event.get("author"), str) and isinstance(content, dict) and isinstance(content.get("parts"), list)


def _partial(event: Event) -> bool:
    return event.get("partial") is True


def drop_flagged_part(walker: Walker, node: Mapping[str, Any], _edits: Children, position: int) -> Edit | None:
    """A part whose metadata says that it is a thought, as the A2A bridge writes it."""
    metadata = node["metadata"]
    if position == Position.DATA or not isinstance(metadata, dict) or not walker.withholds("summary"):
        return None
    if metadata.get(_FLAG) is not True:
        return None
    walker.withhold(f"google-adk/{_FLAG}", node)
    return DROP


class Stream:
    """One stream of events; each author of an invocation is a channel of text."""

    def __init__(self, context: StreamContext) -> None:
        """Start before the first event."""
        self._text = TextChannels(context)
        self._last: dict[Any, Event] = {}

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """Filter the text of partial events for inline tags; a complete event closes its author's channel."""
        channel = (_invocation(event), event.get("author"), event.get("branch"))
        if not _partial(event):
            return Outcome(edit, self._held(channel))
        self._last[channel] = event
        for at, part in enumerate(event["content"]["parts"]):
            if isinstance(part, dict) and isinstance(part.get("text"), str) and part.get("thought") is not True:
                shown = self._text.feed(channel, part["text"])
                if shown != part["text"]:
                    edit = put(edit, ("content", "parts", at, "text"), shown)
        return Outcome(edit)

    def close(self) -> Sequence[Event]:
        """One partial event for each author whose text was held back."""
        return [event for channel in self._text.open() for event in self._held(channel)]

    def _held(self, channel: Any) -> list[Event]:
        rest = self._text.end(channel)
        last = self._last.pop(channel, None)
        if not rest or last is None:
            return []
        kept = {name: value for name, value in last.items() if isinstance(value, (str, int, float))}
        return [{**kept, "content": {"role": "model", "parts": [{"text": rest}]}}]


def _invocation(event: Event) -> Any:
    return event.get("invocationId", event.get("invocation_id"))


DIALECT = Dialect(
    "google-adk",
    kinds("google-adk"),
    recognise=lambda value: isinstance(value, dict) and _claims(value),
    hooks={"metadata": (drop_flagged_part,)},
    signs={"metadata": (f'"{_FLAG}":true',)},
    claims=_claims,
    partial=_partial,
    stream=Stream,
    gathers=lambda event: ("parts",) if _partial(event) else (),
)
