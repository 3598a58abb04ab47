"""Cohere Chat v2: thinking blocks, a plan before tool calls, and citations that quote either.

A citation says by index which content block it cites, so it follows the block when those before it go. In a stream
contents and citations are numbered apart, and both close up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.dialects._stream import GONE, BlockEvents, BlockStream, Event, Outcome, Positions, StreamContext, put
from reticent.edits import DROP, Children, Edit

_CONTENT = ("delta", "message", "content")
_CITATIONS = ("delta", "message", "citations")
_TEXT = (*_CONTENT, "text")
_EVENTS = frozenset(
    {
        "message-start",
        "content-start",
        "content-delta",
        "content-end",
        "tool-plan-delta",
        "tool-call-start",
        "tool-call-delta",
        "tool-call-end",
        "citation-start",
        "citation-end",
        "message-end",
    }
)


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    message = value.get("message")
    return _claims(value) or (isinstance(message, dict) and "finish_reason" in value)


def _claims(event: Event) -> bool:
    kind = event.get("type")
    return isinstance(kind, str) and kind in _EVENTS


def lower_indexes(_walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """Let citations follow the content blocks that moved up."""
    content, citations = edits.get("content"), node["citations"]
    if position == Position.DATA or not isinstance(content, dict) or not isinstance(citations, list):
        return None
    gone = Positions()
    for at, edit in content.items():
        if edit is DROP:
            gone.hide(at)
    found = edits.get("citations")
    mine: Children = dict(found) if isinstance(found, dict) else {}
    for at, citation in enumerate(citations):
        if isinstance(citation, dict) and mine.get(at) is not DROP:
            moved = _moved(citation, gone, mine.get(at))
            if moved is not None:
                mine[at] = moved
    if mine:
        edits["citations"] = mine
    return None


def _moved(citation: Mapping[str, Any], positions: Positions, edit: Edit | None) -> Edit | None:
    edits: Children = dict(edit) if isinstance(edit, dict) else {}
    positions.renumber(citation, "content_index", edits)
    return edits or None


def _at(value: Any, path: Sequence[str]) -> Any:
    """What stands at a path of keys in a value or in a tree of edits; DROP above it counts for it."""
    for key in path:
        if value is DROP:
            return DROP
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _text(event: Event) -> tuple[tuple[str, ...], str] | None:
    text = _at(event, _TEXT)
    return (_TEXT, text) if isinstance(text, str) else None


def _event(kind: str, index: Any, content: Event) -> Event:
    return {"type": kind, "index": index, "delta": {"message": {"content": content}}}


_NAMES = BlockEvents(
    start=frozenset({"content-start"}),
    delta=frozenset({"content-delta"}),
    stop=frozenset({"content-end"}),
    position="index",
    block="delta",
    at="content",
    text=_text,
    make_text=lambda index, text: _event("content-delta", index, {"text": text}),
    make_mark=lambda index, mark: (_event("content-start", index, mark), {"type": "content-end", "index": index}),
)


class Stream(BlockStream):
    """One stream of chat events."""

    drops_held = True

    def __init__(self, context: StreamContext) -> None:
        """Start before ``message-start``."""
        super().__init__(_NAMES, context)
        self._citations = Positions()

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """As for any numbered blocks; plans go, citations of what went go too."""
        kind = event.get("type")
        if kind == "message-start":
            self.restart()
            self._citations = Positions()
        if kind == "message-end":
            return Outcome(edit, self.close())
        if kind == "tool-plan-delta" and _at(edit, ("delta", "message", "tool_plan")) is DROP:
            return GONE
        if kind in ("citation-start", "citation-end"):
            return self._citation(event, edit)
        return super().event(event, edit)

    def _start(self, event: Event, edit: Edit | None) -> Outcome:
        block = _at(event, _CONTENT)
        gone = _at(edit, _CONTENT) is DROP
        unknown = not gone and isinstance(block, dict) and self.context.is_unknown("content", block)
        if gone or unknown:
            self._withhold(event.get("index"), block, unknown=unknown)
            return GONE
        before = self._mark_events()
        return Outcome(self._shown(event, event.get("index"), self._renumbered(event, edit)), before)

    def _delta(self, event: Event, edit: Edit | None) -> Outcome:
        if _at(edit, (*_CONTENT, "thinking")) is DROP:
            if self.positions.is_hidden(event.get("index")):
                self._count(event.get("index"), event)
            else:
                self._withhold(event.get("index"), _at(event, _CONTENT), unknown=False)
            return GONE
        return super()._delta(event, edit)

    def _citation(self, event: Event, edit: Edit | None) -> Outcome:
        index = event.get("index")
        gone = edit is DROP or _at(edit, _CITATIONS) is DROP
        if gone and type(index) is int:
            self._citations.hide(index)
        if gone or self._citations.is_hidden(index):
            return GONE
        moved = self._citations.moved(index)
        if moved != index:
            edit = put(edit, ("index",), moved)
        citation = _at(event, _CITATIONS)
        cited = citation.get("content_index") if isinstance(citation, dict) else None
        now = self.positions.moved(cited)
        return Outcome(put(edit, (*_CITATIONS, "content_index"), now) if now != cited else edit)


DIALECT = Dialect(
    "cohere",
    kinds("cohere"),
    recognise=_recognise,
    hooks={"citations": (lower_indexes,)},
    signs={"citations": ()},
    claims=_claims,
    partial=lambda event: event.get("type") == "content-delta",
    stream=Stream,
)
