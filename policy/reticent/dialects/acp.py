"""Agent Client Protocol: notifications of an agent to the editor that runs it.

A notification with a thought goes as a whole; it has no id, so that nobody waits for it. What is code: the update sits
inside the parameters of the notification, and an answer comes in chunks that belong to a session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._rules import kinds
from reticent.dialects._text_stream import ALL, Channels, ChannelStream, Piece
from reticent.edits import DROP, Children, Edit

if TYPE_CHECKING:
    from reticent.dialects._stream import Event, StreamContext

_TELLERS = ("sessionUpdate", "session_update")
_SESSIONS = ("sessionId", "session_id")
_TEXT = "agent_message_chunk"
_BETWEEN = frozenset({"agent_thought_chunk", "usage_update", "session_info_update", "available_commands_update"})


def _recognise(value: Any) -> bool:
    return isinstance(value, dict) and (_claims(value) or str(value.get("method", "")).startswith("session/"))


def _update(event: Event) -> tuple[tuple[str, ...], Event] | None:
    """The update in ``event`` and the keys that lead to it: a notification, its parameters, or the bare update."""
    body: Any = event
    for path in ((), ("update",), ("params", "update")):
        body = event
        for key in path:
            body = body.get(key) if isinstance(body, dict) else None
        if isinstance(body, dict) and any(isinstance(body.get(name), str) for name in _TELLERS):
            return path, body
    return None


def _claims(event: Event) -> bool:
    return _update(event) is not None


def _kind(update: Event) -> str:
    return next(str(update[name]) for name in _TELLERS if isinstance(update.get(name), str))


def _session(event: Event) -> Any:
    holder = event.get("params", event)
    return next((holder[name] for name in _SESSIONS if name in holder), None) if isinstance(holder, dict) else None


def drop_notification(_walker: Walker, node: Mapping[str, Any], edits: Children, _position: int) -> Edit | None:
    """What stands around an update that goes: the parameters, and through them the notification."""
    if edits.get("update") is DROP and any(name in node for name in _SESSIONS):
        return DROP
    return None


def _pieces(event: Event) -> Sequence[Piece]:
    found = _update(event)
    if found is None or _kind(found[1]) != _TEXT:
        return ()
    path, update = found
    content = update.get("content")
    if not isinstance(content, dict) or not isinstance(content.get("text"), str):
        return ()
    return [Piece(_session(event), (*path, "content", "text"), content["text"])]


class Stream(ChannelStream):
    """One connection, of as many sessions as it carries."""

    def __init__(self, context: StreamContext) -> None:
        """Start before the first notification."""
        super().__init__(Channels(_pieces, self._ended, bare=_claims), context)

    def _ended(self, event: Event) -> Any:
        """An answer ends where its session goes on with something else that a reader sees."""
        found = _update(event)
        if found is None:
            return ALL
        kind = _kind(found[1])
        return () if kind == _TEXT or kind in _BETWEEN else (_session(event),)


DIALECT = Dialect(
    "acp",
    kinds("acp"),
    recognise=_recognise,
    hooks={"update": (drop_notification,)},
    signs={"update": ()},
    claims=lambda event: _claims(event) or _is_end(event),
    partial=lambda event: bool(_pieces(event)),
    stream=Stream,
)


def _is_end(event: Event) -> bool:
    result = event.get("result")
    return "jsonrpc" in event and isinstance(result, dict) and "stopReason" in result
