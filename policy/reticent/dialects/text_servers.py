"""Servers that stream nothing but text, one token or piece an event: text-generation-inference, llama.cpp, Dify.

Models behind them write their reasoning between tags, and a tag opens in one event and closes in another. Homemade
endpoints that send ``{"token": "…"}`` or ``{"type": "token", "content": "…"}`` are read in the same way. An object with
a single text (``{"content": "…"}``) could be any record, so it is read so only where it is sent as an event.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.dialects._text_stream import ALL, Channels, ChannelStream, Piece
from reticent.edits import DROP, Children, Edit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reticent.dialects._stream import Event, StreamContext

_KINDS = kinds("text-servers")
_ANSWERS: Final = frozenset(_KINDS.data["dify_answers"])
_DIFY_ENDS: Final = frozenset(_KINDS.data["dify_ends"])
_TOKENS: Final = frozenset(_KINDS.data["token_types"])
_BESIDE_TOKEN: Final = frozenset({"token", "id", "index", "event", "type", "finish_reason", "done", "message_id"})
_TEXTS: Final = ("content", "text", "data", "delta")
_COPIES: Final = ("tokens", "prefill", "best_of_sequences", "top_tokens")
_BARE_TEXTS: Final = frozenset(_KINDS.data["bare_texts"])
_BARE_TYPES: Final = frozenset(_KINDS.data["bare_types"])
_BESIDE_BARE: Final = frozenset(_KINDS.data["beside_bare"])


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
    if any(isinstance(event.get(name), str) and event[name] in _TOKENS for name in ("type", "event")):
        return next(((name,) for name in _TEXTS if isinstance(event.get(name), str)), None)
    return None


def _bare(event: Event) -> tuple[str, ...] | None:
    """Where the only text of an event stands that has little else."""
    texts = [name for name in event if name in _BARE_TEXTS and isinstance(event[name], str)]
    if len(texts) != 1 or not event.keys() <= _BESIDE_BARE | {texts[0]}:
        return None
    if event.get("role", "assistant") != "assistant" or event.get("type", "text") not in _BARE_TYPES:
        return None
    return (texts[0],)


def _text(event: Event, path: Sequence[str]) -> str:
    value: Any = event
    for key in path:
        value = value[key]
    return str(value)


def _pieces(event: Event) -> Sequence[Piece]:
    path = _place(event) or _bare(event)
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


def drop_tokens(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """Where a text lost reasoning, the list of its tokens that stands beside it goes too."""
    details = node.get("details")
    if position == Position.DATA or "generated_text" not in edits or not isinstance(details, dict):
        return None
    found = edits.get("details")
    mine: Children = dict(found) if isinstance(found, dict) else {}
    for name in _COPIES:
        if details.get(name) and found is not DROP:
            walker.withhold(f"text-servers/{name}", details[name])
            mine[name] = DROP
            edits["details"] = mine
    return None


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
    pieces=lambda event: _bare(event) is not None,
    stream=Stream,
    hooks={"generated_text": (drop_tokens,)},
    signs={"generated_text": ()},
)
