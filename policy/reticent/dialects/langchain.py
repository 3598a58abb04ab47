"""LangChain messages: the providers' own blocks in ``content``, copies in ``additional_kwargs``, and chunks.

Blocks and members are data (``kinds.yaml``). What is code is the stream of ``AIMessageChunk``: chunks merge by message
id and by the ``index`` of a block, so that a block that is dropped everywhere leaves no gap, and text comes in pieces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reticent.dialects._channels import hashable
from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._gathering import Gathering
from reticent.dialects._marks import typed_mark
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.dialects._stream import Outcome, placed
from reticent.dialects._text_stream import Channels, ChannelStream, Piece, found_at
from reticent.edits import DROP, Children, Edit

if TYPE_CHECKING:
    from reticent.dialects._stream import Event, StreamContext

_MESSAGES = frozenset({"ai", "AIMessage", "AIMessageChunk", "human", "system", "tool"})
_LAST = ("finish_reason", "stop_reason", "stopReason", "done_reason")


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("lc") == 1 and value.get("type") == "constructor":
        return True
    body = value.get("data")
    told = str(value.get("type")) in _MESSAGES
    return told and ("additional_kwargs" in value or (isinstance(body, dict) and "content" in body))


def withhold_unknown(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """Blocks of unknown type in the data of an assistant's message."""
    body, inner = node["data"], edits.get("data")
    if position != Position.ASSISTANT or node.get("type") != "ai" or not isinstance(body, dict) or inner is DROP:
        return None
    mine: Children = dict(inner) if isinstance(inner, dict) else {}
    if isinstance(body.get("content"), list):
        walker.check_list("content", body["content"], mine)
    if mine:
        edits["data"] = mine
    return None


def _chunk(event: Event) -> tuple[tuple[str, ...], Event] | None:
    """The chunk in ``event`` and the keys that lead to it."""
    if event.get("type") == "AIMessageChunk":
        return (), event
    path, body = event.get("id"), event.get("kwargs")
    if event.get("lc") == 1 and isinstance(path, list) and path[-1:] == ["AIMessageChunk"] and isinstance(body, dict):
        return ("kwargs",), body
    return None


def _claims(event: Event) -> bool:
    return _chunk(event) is not None


def _pieces(event: Event) -> Sequence[Piece]:
    found = _chunk(event)
    if found is None:
        return ()
    at, body = found
    content = body.get("content")
    if isinstance(content, str):
        return [Piece((body.get("id"), None), (*at, "content"), content)] if content else ()
    blocks = enumerate(content) if isinstance(content, list) else ()
    return [
        Piece((body.get("id"), block.get("index", number)), (*at, "content", number, "text"), block["text"])
        for number, block in blocks
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
    ]


class Stream(ChannelStream):
    """One stream of message chunks."""

    def __init__(self, context: StreamContext) -> None:
        """Start before the first chunk."""
        super().__init__(Channels(_pieces, self._ended, _make), context)
        self._lost = Gathering(
            context,
            typed_mark,
            name=lambda block: hashable(block.get("index")),
            goes_on=lambda index: index is not None,
        )

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """As for any channels of text; a mark stands in front of the next block that is shown, or ends the message."""
        found, outcome = _chunk(event), super().event(event, edit)
        if found is None or outcome.edit is DROP:
            return outcome
        at, body = found
        content, place = body.get("content"), (*at, "content")
        inner = found_at(outcome.edit, place)
        if isinstance(content, list) and (inner is None or isinstance(inner, dict)):
            marked = self._lost.gathered(body.get("id"), content, inner)
            if marked is not None and marked != inner:
                outcome = Outcome(placed(outcome.edit, place, marked), outcome.before)
        is_next = isinstance(content, str) and content
        if not is_next and not self._is_over(body):
            return outcome
        return Outcome(outcome.edit, [*outcome.before, *self._marks_of(body.get("id"), event)])

    def close(self) -> Sequence[Event]:
        """Text that was held back, and the marks of messages that broke off."""
        return [*super().close(), *(mark for name in self._lost.open() for mark in self._marks_of(name, None))]

    def _marks_of(self, name: Any, like: Event | None) -> list[Event]:
        event: Event = {"type": "AIMessageChunk", "id": name} if like is None else like
        return [_made(event, [mark]) for mark in self._lost.take(name)]

    def _ended(self, event: Event) -> Any:
        """The channels of a message whose last chunk this is, or that goes on with a call."""
        found = _chunk(event)
        if found is None:
            return ()
        _, body = found
        return [channel for channel in self._text.open() if channel[0] == body.get("id")] if self._is_over(body) else ()

    @staticmethod
    def _is_over(body: Event) -> bool:
        """Whether a chunk is the last of its message, or goes on with a call."""
        metadata = body.get("response_metadata")
        told = isinstance(metadata, dict) and any(metadata.get(name) for name in _LAST)
        return body.get("chunk_position") == "last" or told or bool(body.get("tool_call_chunks"))


def _make(event: Event, piece: Piece, text: str) -> Event:
    """A chunk of the same message with nothing but ``text``."""
    content: Any = text
    found = _chunk(event)
    body = event if found is None else found[1]
    if len(piece.path) > 1 and isinstance(piece.path[-2], int):
        block = body["content"][piece.path[-2]]
        content = [{name: block[name] for name in ("type", "index") if name in block} | {"text": text}]
    return _made(event, content)


def _made(event: Event, content: Any) -> Event:
    """A chunk of the message that ``event`` is of, with nothing but ``content``."""
    found = _chunk(event)
    body = event if found is None else found[1]
    made: Event = {name: body[name] for name in ("type", "id", "name", "example") if name in body}
    made |= {"content": content, "additional_kwargs": {}, "response_metadata": {}}
    return made if body is event else {**event, "kwargs": made}


DIALECT = Dialect(
    "langchain",
    kinds("langchain"),
    recognise=_recognise,
    hooks={"data": (withhold_unknown,)},
    signs={"data": ()},
    claims=_claims,
    partial=lambda event: bool(_pieces(event)),
    stream=Stream,
    gathers=lambda event: ("content",) if _claims(event) else (),
)
