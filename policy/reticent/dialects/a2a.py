"""A2A: the protocol has no reasoning, the agents of ADK send theirs as parts with a flag in the metadata.

A part with the flag goes; its signature goes from every part. What is code: the flag sits one level below the part, a
message or artifact without any part left is not sent, and artifacts come in pieces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.dialects._text_stream import ALL, Channels, ChannelStream, Piece
from reticent.edits import DROP, Children, Edit

if TYPE_CHECKING:
    from reticent.dialects._marks import Counted, Mark
    from reticent.dialects._stream import Event, StreamContext

_FLAG = "adk_thought"
_OWNERS = ("messageId", "message_id", "artifactId", "artifact_id")
_PATHS: Final[tuple[tuple[str, ...], ...]] = ((), ("result",), ("artifactUpdate",), ("result", "artifactUpdate"))
_STATES = frozenset({"completed", "failed", "canceled", "rejected", "input-required", "auth-required"})


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    kind = value.get("kind")
    owned = isinstance(value.get("parts"), list) and any(name in value for name in _OWNERS)
    return _claims(value) or owned or kind in ("task", "message")


def _artifact(event: Event) -> tuple[tuple[str, ...], Event] | None:
    """The update of an artifact in ``event``, and the keys that lead to it."""
    for path in _PATHS:
        body: Any = event
        for key in path:
            body = body.get(key) if isinstance(body, dict) else None
        if (
            isinstance(body, dict)
            and isinstance(body.get("artifact"), dict)
            and ("taskId" in body or "contextId" in body)
        ):
            return path, body
    return None


def _claims(event: Event) -> bool:
    return _artifact(event) is not None or _is_end(event)


def _is_end(event: Event) -> bool:
    """Whether ``event`` says that the task came to rest."""
    body: Any = event.get("result", event)
    body = body.get("statusUpdate", body) if isinstance(body, dict) else body
    status = body.get("status") if isinstance(body, dict) else None
    if not isinstance(status, dict) or not ("taskId" in body or "contextId" in body):
        return False
    state = str(status.get("state")).lower().removeprefix("task_state_").replace("_", "-")
    return body.get("final") is True or state in _STATES


def drop_thought(walker: Walker, node: Mapping[str, Any], _edits: Children, position: int) -> Edit | None:
    """A part that ADK marked as a thought, whatever it holds."""
    metadata = node.get("metadata")
    if position == Position.DATA or not isinstance(metadata, dict) or metadata.get(_FLAG) is not True:
        return None
    if not walker.withholds("summary"):
        return None
    walker.withhold(f"a2a/{_FLAG}", node)
    return DROP


def _make_own(block: Mapping[str, Any], key: Any, counted: Counted) -> Mark | None:
    """A part of data, which the protocol leaves to its users; in version 1 parts have no kind."""
    metadata = block.get("metadata")
    if key != "parts" or not isinstance(metadata, dict) or _FLAG not in metadata:
        return None
    told = {"data": {"withheld": {**counted.told, "type": "thought"}}}
    return {"kind": "data", **told} if "kind" in block else told


def drop_empty(_walker: Walker, node: Mapping[str, Any], edits: Children, _position: int) -> Edit | None:
    """A message or artifact that has lost every part: the protocol wants at least one."""
    parts, inner = node.get("parts"), edits.get("parts")
    if not isinstance(parts, list) or not isinstance(inner, dict) or not any(name in node for name in _OWNERS):
        return None
    return DROP if all(inner.get(at) is DROP for at in range(len(parts))) else None


def _pieces(event: Event) -> Sequence[Piece]:
    found = _artifact(event)
    if found is None:
        return ()
    path, body = found
    parts: Any = body["artifact"].get("parts")
    return [
        Piece(_channel(body), (*path, "artifact", "parts", number, "text"), part["text"])
        for number, part in enumerate(parts if isinstance(parts, list) else [])
        if isinstance(part, dict) and isinstance(part.get("text"), str)
    ]


def _channel(body: Event) -> Any:
    artifact = body["artifact"]
    return (body.get("taskId"), artifact.get("artifactId", artifact.get("artifact_id")))


def _ends(event: Event) -> Any:
    found = _artifact(event)
    if found is not None:
        return (_channel(found[1]),) if found[1].get("lastChunk") is True else ()
    return ALL


def _make(event: Event, piece: Piece, text: str) -> Event:
    """An update that appends one part to the artifact, with nothing in it but ``text``."""
    found = _artifact(event)
    if found is None:
        return event
    path, body = found
    artifact = body["artifact"]
    part = {name: value for name, value in artifact["parts"][piece.path[-2]].items() if name in ("kind", "text")}
    kept = {name: artifact[name] for name in ("artifactId", "artifact_id") if name in artifact}
    made: Event = {**body, "append": True, "artifact": {**kept, "parts": [{**part, "text": text}]}}
    for key in reversed(path):
        made = {key: made}
    return {**{name: event[name] for name in ("jsonrpc", "id") if name in event}, **made} if path else made


_CHANNELS = Channels(_pieces, _ends, _make)


class Stream(ChannelStream):
    """One stream of task updates."""

    def __init__(self, context: StreamContext) -> None:
        """Start before the first update."""
        super().__init__(_CHANNELS, context)


DIALECT = Dialect(
    "a2a",
    kinds("a2a"),
    recognise=_recognise,
    hooks={"metadata": (drop_thought,), "parts": (drop_empty,)},
    signs={"metadata": (f'"{_FLAG}":true',), "parts": ()},
    claims=_claims,
    partial=lambda event: bool(_pieces(event)),
    stream=Stream,
    mark=_make_own,
)
