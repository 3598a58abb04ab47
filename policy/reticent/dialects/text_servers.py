"""Servers that stream nothing but text, one token or piece an event: text-generation-inference, llama.cpp, Dify.

Models behind them write their reasoning between tags, and a tag opens in one event and closes in another. Homemade
endpoints that send ``{"token": "…"}`` or ``{"type": "token", "content": "…"}`` are read in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from reticent.dialects._dialect import Dialect
from reticent.dialects._rules import kinds
from reticent.dialects._text_stream import ALL, Channels, ChannelStream, Piece

if TYPE_CHECKING:
    from reticent.dialects._stream import Event, StreamContext

_KINDS = kinds("text-servers")
_ANSWERS: Final = frozenset(_KINDS.data["dify_answers"])
_DIFY_ENDS: Final = frozenset(_KINDS.data["dify_ends"])
_TOKENS: Final = frozenset(_KINDS.data["token_types"])
_BESIDE_TOKEN: Final = frozenset({"token", "id", "index", "event", "type", "finish_reason", "done", "message_id"})
_TEXTS: Final = ("content", "text", "data", "delta")


def _place(event: Event) -> tuple[str, ...] | None:
    """Where the piece of text in an event stands, if it is one of such a server."""
    token = event.get("token")
    if isinstance(token, dict) and isinstance(token.get("text"), str) and "special" in token:
        return "token", "text"
    if isinstance(token, str) and event.keys() <= _BESIDE_TOKEN:
        return ("token",)
    if isinstance(event.get("content"), str) and isinstance(event.get("stop"), bool):
        return ("content",)
    told = event.get("event")
    if isinstance(told, str) and told in _ANSWERS and isinstance(event.get("answer"), str):
        return ("answer",)
    told = event.get("type")
    if isinstance(told, str) and told in _TOKENS:
        return next(((name,) for name in _TEXTS if isinstance(event.get(name), str)), None)
    return None


def _text(event: Event, path: Sequence[str]) -> str:
    value: Any = event
    for key in path:
        value = value[key]
    return str(value)


def _pieces(event: Event) -> Sequence[Piece]:
    path = _place(event)
    return () if path is None else (Piece("answer", path, _text(event, path)),)


def _is_dify_end(event: Event) -> bool:
    told = event.get("event")
    return isinstance(told, str) and told in _DIFY_ENDS and ("message_id" in event or "task_id" in event)


def _is_over(event: Event) -> bool:
    """Whether no more text follows: the whole of it is repeated, or the server says so."""
    return isinstance(event.get("generated_text"), str) or event.get("stop") is True or _is_dify_end(event)


def _ends(event: Event) -> Any:
    ended: Iterable[Any] = ()
    return ALL if _is_over(event) else ended


def _claims(event: Event) -> bool:
    return _place(event) is not None or _is_dify_end(event)


def _partial(event: Event) -> bool:
    return not _is_over(event)


class Stream(ChannelStream):
    """One answer: a single channel of text."""

    def __init__(self, context: StreamContext) -> None:
        """Start before the first event."""
        super().__init__(Channels(_pieces, _ends), context)


DIALECT = Dialect(
    "text-servers",
    _KINDS,
    recognise=lambda value: isinstance(value, dict) and _claims(value),
    claims=_claims,
    partial=_partial,
    stream=Stream,
)
