"""Mistral: reasoning as chunks in a content list that may turn into a string from one event to the next.

Chat streams are ``openai-chat``; what is code here is the Conversations stream, whose chunks have a ``content_index``
that closes up behind a withheld one. A system message may show the model how to think: that is a prompt and stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reticent.dialects._dialect import Dialect
from reticent.dialects._rules import kinds
from reticent.dialects._stream import GONE, Event, Outcome, Positions, StreamContext, TextChannels, put
from reticent.edits import DROP, Children, Edit

_DELTA = "message.output.delta"
_ENDS = frozenset({"conversation.response.done", "conversation.response.error"})


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return value.get("object") in ("conversation.response", "entry") or _claims(value)


def _claims(event: Event) -> bool:
    kind = event.get("type")
    return kind == _DELTA or (isinstance(kind, str) and kind.startswith("conversation.response."))


def _partial(event: Event) -> bool:
    return event.get("type") == _DELTA


class Stream:
    """One Conversations stream; each chunk of each output is a channel of text."""

    def __init__(self, context: StreamContext) -> None:
        """Start before ``conversation.response.started``."""
        self._text = TextChannels(context)
        self._positions: dict[Any, Positions] = {}
        self._templates: dict[Any, Event] = {}

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """Drop chunks of reasoning, close the gap in ``content_index``, filter text for inline tags."""
        if event.get("type") in _ENDS:
            return Outcome(edit, self.close())
        if event.get("type") != _DELTA:
            return Outcome(edit)
        output = (str(event.get("id")), str(event.get("output_index")))
        positions = self._positions.setdefault(output, Positions())
        index = event.get("content_index")
        if edit is DROP:
            if type(index) is int:
                positions.hide(index)
            return GONE
        edits: Children = dict(edit) if isinstance(edit, dict) else {}
        positions.renumber(event, "content_index", edits)
        return self._filtered(event, (*output, str(index)), edits)

    def close(self) -> Sequence[Event]:
        """One event for each chunk that still held text."""
        found: list[Event] = []
        for channel in self._text.open():
            rest = self._text.end(channel)
            if rest:
                found.append({**self._templates[channel], "content": rest})
        self._templates.clear()
        self._positions.clear()
        return found

    def _filtered(self, event: Event, channel: Any, edits: Children) -> Outcome:
        content = event.get("content")
        path: tuple[str, ...] = ("content",)
        if isinstance(content, dict) and content.get("type") == "text":
            content, path = content.get("text"), ("content", "text")
        if not isinstance(content, str):
            return Outcome(edits or None)
        shown = self._text.feed(channel, content)
        moved = edits.get("content_index")
        self._templates[channel] = {**event, "content_index": getattr(moved, "value", event.get("content_index"))}
        if shown == content:
            return Outcome(edits or None)
        return Outcome(put(edits, path, shown)) if shown else GONE


DIALECT = Dialect("mistral", kinds("mistral"), recognise=_recognise, claims=_claims, partial=_partial, stream=Stream)
