"""Ollama: a ``thinking`` text beside the answer, on messages (``/api/chat``) and on results (``/api/generate``).

Models that nobody asked to think separately write tags into the answer, so the answer of a result is read as assistant
text, in a stream of lines across all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.dialects._stream import Event, Outcome, StreamContext, TextChannels, put

if TYPE_CHECKING:
    from reticent.edits import Children, Edit

_CHAT = ("message", "content")
_GENERATE = ("response",)


def _claims(event: Event) -> bool:
    return isinstance(event.get("done"), bool) and "model" in event and _place(event) is not None


def _partial(event: Event) -> bool:
    return event.get("done") is False


def _place(event: Event) -> tuple[tuple[str, ...], str] | None:
    """Where the answer of an event stands, and the answer."""
    message = event.get("message")
    if isinstance(message, dict) and isinstance(message.get("content"), str):
        return _CHAT, message["content"]
    if isinstance(event.get("response"), str):
        return _GENERATE, event["response"]
    return None


def read_answer(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """Read the answer of a result as what it is: text that a model wrote."""
    answer = node.get("response")
    if isinstance(answer, str) and position == Position.OPEN and "model" in node and "response" not in edits:
        edit = walker.value(answer, int(Position.ASSISTANT), "response", 0)
        if edit is not None:
            edits["response"] = edit
    return None


class Stream:
    """Lines of one answer: a single channel of text."""

    def __init__(self, context: StreamContext) -> None:
        """Start before the first line."""
        self._text = TextChannels(context)
        self._last: Event = {}

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """Filter the answer for inline tags; the last line gives up what was held."""
        found = _place(event)
        if found is None:
            return Outcome(edit)
        path, text = found
        done = event.get("done") is True
        if done and not self._text.open():
            return Outcome(edit)
        shown = self._text.feed("answer", text) + (self._text.end("answer") if done else "")
        self._last = {} if done else {"model": event["model"], **_around(path, "")}
        return Outcome(edit if shown == text else put(edit, path, shown))

    def close(self) -> Sequence[Event]:
        """One line for text that was held back when the stream broke off."""
        rest = self._text.end("answer")
        if not rest or not self._last:
            return ()
        path = _CHAT if "message" in self._last else _GENERATE
        return ({**self._last, **_around(path, rest), "done": False},)


def _around(path: tuple[str, ...], text: str) -> Event:
    return {"response": text} if path == _GENERATE else {"message": {"role": "assistant", "content": text}}


DIALECT = Dialect(
    "ollama",
    kinds("ollama"),
    recognise=lambda value: isinstance(value, dict) and _claims(value),
    hooks={"done": (read_answer,)},
    signs={"done": ()},
    claims=_claims,
    partial=_partial,
    stream=Stream,
)
