"""Mistral: reasoning as chunks in a content list that may turn into a string from one event to the next.

Chat streams are ``openai-chat``; what is code here is the Conversations stream, whose chunks have a ``content_index``
that closes up behind a withheld one. A system message may show the model how to think: that is a prompt and stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reticent.dialects._dialect import Dialect
from reticent.dialects._marks import Counted, Mark, Run, block_label, block_length, text_mark
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
        self._marks = context.marks
        self._runs: dict[Any, tuple[Run, Event]] = {}
        """Withheld chunks that no mark stands for yet, by output, and the last event of each."""

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
            if type(index) is int and not positions.is_marked(index):
                positions.hide(index)
                self._count(output, event, index)
            return GONE
        before = self._mark(output)
        edits: Children = dict(edit) if isinstance(edit, dict) else {}
        positions.renumber(event, "content_index", edits)
        outcome = self._filtered(event, (*output, str(index)), edits)
        return Outcome(outcome.edit, [*before, *outcome.before])

    def _count(self, output: Any, event: Event, index: int) -> None:
        if not self._marks:
            return
        content = event.get("content")
        label = block_label(content) if isinstance(content, dict) else "unnamed"
        run, _ = self._runs.get(output) or (Run(label, first=index), event)
        run.add(index, block_length(content))
        self._runs[output] = run, event

    def _mark(self, output: Any) -> list[Event]:
        """The event that stands for the withheld chunks of one output, if there were any since the last."""
        found = self._runs.pop(output, None)
        if found is None:
            return []
        run, event = found
        positions = self._positions[output]
        positions.mark(run.first)
        return [{**event, "content_index": positions.moved(run.first), "content": text_mark(run.counted)}]

    def close(self) -> Sequence[Event]:
        """One event for each chunk that still held text, and the marks of what the outputs ended with."""
        found: list[Event] = []
        marks = [event for output in list(self._runs) for event in self._mark(output)]
        for channel in self._text.open():
            rest = self._text.end(channel)
            if rest:
                found.append({**self._templates[channel], "content": rest})
        self._templates.clear()
        self._positions.clear()
        return [*found, *marks]

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


def _make_own(block: Mapping[str, Any], _key: Any, counted: Counted) -> Mark | None:
    """For a chunk of thinking, which holds chunks itself: the SDK refuses one that holds none."""
    return text_mark(counted) if block.get("type") == "thinking" and isinstance(block.get("thinking"), list) else None


DIALECT = Dialect(
    "mistral",
    kinds("mistral"),
    recognise=_recognise,
    claims=_claims,
    partial=_partial,
    stream=Stream,
    mark=_make_own,
)
