"""AG-UI events and messages, and the parts of TanStack AI, which speaks the same events.

Events and messages of reasoning are data (``kinds.yaml``). What is code: the encrypted value of any message or tool
call, where PydanticAI keeps bookkeeping of its own that a reader needs; patches of the state, where the path of a patch
tells what its value is; and text that comes in deltas by the id of its message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2s
from typing import TYPE_CHECKING, Any, Final

import orjson

from reticent.dialects._channels import hashable
from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.dialects._stream import Event, Outcome, StreamContext
from reticent.dialects._text_stream import ALL, Channels, ChannelStream, MarkEvents, Piece, same_event
from reticent.edits import DROP, Children, Edit, Put

if TYPE_CHECKING:
    from reticent.dialects._marks import Counted, Mark, Run

_KINDS = kinds("ag-ui")
_KEPT: Final[frozenset[str]] = frozenset(_KINDS.data["kept"])
_ENCRYPTED = ("encryptedValue", "encrypted_value")
_COPIES = ("rawEvent", "raw_event")
_EVENTS = (
    "TEXT_MESSAGE_",
    "TOOL_CALL_",
    "REASONING_",
    "THINKING_",
    "RUN_",
    "STEP_",
    "STATE_",
    "SUBAGENT_",
    "ACTIVITY_",
)
_OPENING = ("TEXT_MESSAGE_START", "TEXT_MESSAGE_CHUNK")
_NAMES = frozenset({"MESSAGES_SNAPSHOT", "RAW", "CUSTOM"})
_DEEPEST_PATH = 40


def _recognise(value: Any) -> bool:
    return isinstance(value, dict) and (
        _claims(value) or ("threadId" in value and isinstance(value.get("messages"), list))
    )


def _claims(event: Event) -> bool:
    kind = event.get("type")
    return isinstance(kind, str) and (kind.startswith(_EVENTS) or kind in _NAMES)


def drop_encrypted(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """The encrypted value goes; the part of it that a framework keeps for itself stays."""
    if position == Position.DATA or not walker.withholds("opaque"):
        return None
    for name in _ENCRYPTED:
        value = node.get(name)
        if isinstance(value, str) and value and edits.get(name) is not DROP:
            kept = _kept(value)
            if kept != value:
                walker.withhold("ag-ui/encryptedValue", value)
                edits[name] = DROP if kept is None else Put(kept)
    return None


def _kept(value: str) -> str | None:
    """What of an encrypted value stays: all of it, the namespaces that hold no reasoning, or None."""
    try:
        content = orjson.loads(value)
    except ValueError:
        return None
    if not isinstance(content, dict):
        return None
    kept = {name: inner for name, inner in content.items() if name in _KEPT}
    if len(kept) == len(content) and kept:
        return value
    return orjson.dumps(kept).decode() if kept else None


def drop_copy(_walker: Walker, _node: Mapping[str, Any], edits: Children, _position: int) -> Edit | None:
    """The provider's event that an event was made from: it goes as a whole when anything in it would."""
    for name in _COPIES:
        if name in edits:
            edits[name] = DROP
    return None


def drop_patch(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """A patch whose path or value is reasoning: judged as the object it writes to would be."""
    path = node.get("path")
    if position == Position.DATA or not isinstance(path, str) or "value" not in node or "value" in edits:
        return None
    keys = path.split("/")[1:]
    if not keys or len(keys) > _DEEPEST_PATH:
        return None
    value: Any = node["value"]
    for key in reversed(keys):
        value = {key.replace("~1", "/").replace("~0", "~"): value}
    edit = walker.value(value, position, None, len(keys))
    for key in keys:
        edit = edit.get(key.replace("~1", "/").replace("~0", "~")) if isinstance(edit, dict) else edit
    if edit is not None and edit is not DROP:
        edits["value"] = edit
    return DROP if edit is DROP else None


_CALL_PIECES = ("TOOL_CALL_ARGS", "TOOL_CALL_CHUNK")


def _pieces(event: Event) -> Sequence[Piece]:
    kind = event.get("type")
    if kind in _CALL_PIECES and isinstance(event.get("delta"), str):
        return [Piece(("call", hashable(event.get("toolCallId"))), ("delta",), event["delta"], arguments=True)]
    if kind not in ("TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK") or not isinstance(event.get("delta"), str):
        return ()
    return [Piece(event.get("messageId"), ("delta",), event["delta"])]


def _ends(event: Event) -> Any:
    kind = event.get("type")
    if kind == "TEXT_MESSAGE_END":
        return (event.get("messageId"),)
    if kind == "TOOL_CALL_END":
        return (("call", hashable(event.get("toolCallId"))),)
    return ALL if kind in ("RUN_FINISHED", "RUN_ERROR") else ()


def _unsaid(event: Event, delta: Edit) -> Children:
    """What goes with text that changed: the provider's own event, and a delta of nothing, which no client accepts."""
    gone: Children = {name: DROP for name in _COPIES if name in event}
    return {**gone, "delta": DROP} if isinstance(delta, Put) and not delta.value else gone


def _make(event: Event, piece: Piece, text: str) -> Event:
    """An event like the last one of its message, without the provider's own."""
    return same_event({name: value for name, value in event.items() if name not in _COPIES}, piece, text)


_BEGINS = ("TEXT_MESSAGE_START", "TEXT_MESSAGE_CHUNK", "TOOL_CALL_START", "TOOL_CALL_CHUNK", "TOOL_CALL_RESULT")
_SETTLES = frozenset({*_BEGINS, "MESSAGES_SNAPSHOT", "ACTIVITY_SNAPSHOT", "RUN_FINISHED", "RUN_ERROR"})
"""Events that add a message, or after which none is added."""


def _count(event: Event, run: Run) -> None:
    """Count an event of a message of reasoning, or of the value that belongs to one."""
    kind = str(event.get("type"))
    name, entity = event.get("messageId"), hashable(event.get("entityId"))
    if kind.startswith("REASONING_MESSAGE_") and name is not None:
        run.first = name if run.first is None else run.first
        run.add(hashable(name), len(str(event.get("delta") or "")))
    elif isinstance(event.get("encryptedValue"), str) and run.holds(entity):
        run.put(entity, len(event["encryptedValue"]), "encryptedValue")


def _mark_id(name: Any) -> str:
    """An id for a mark that whole and stream agree about, and that no API takes for the block's own."""
    return f"withheld-{blake2s(str(name).encode('utf-8', 'replace'), digest_size=8).hexdigest()}"


def _make_own(block: Mapping[str, Any], key: Any, counted: Counted) -> Mark | None:
    """A message of activity, whose type and content the protocol leaves to its users."""
    if key != "messages" or block.get("role") != "reasoning":
        return None
    name = _mark_id(block.get("id"))
    return {
        "id": name,
        "role": "activity",
        "activityType": "withheld",
        "content": {**counted.told, "type": "reasoning"},
    }


def _make_mark(run: Run) -> Event:
    told = {"activityType": "withheld", "content": run.counted.told}
    return {"type": "ACTIVITY_SNAPSHOT", "messageId": _mark_id(run.first), **told}


_CHANNELS = Channels(
    _pieces,
    _ends,
    _make,
    lambda event: event.get("type") in ("TEXT_MESSAGE_CONTENT", "TOOL_CALL_ARGS"),
    MarkEvents("reasoning", _count, lambda event: event.get("type") in _SETTLES, _make_mark),
)


class Stream(ChannelStream):
    """One stream of events; text that a person or the application wrote is left alone."""

    def __init__(self, context: StreamContext) -> None:
        """Start before ``RUN_STARTED``."""
        super().__init__(_CHANNELS, context)
        self._foreign: set[Any] = set()

    def _judged(self, event: Event, edit: Edit | None) -> Outcome:
        """As for any channels of text, but only for messages of the assistant."""
        name = hashable(event.get("messageId"))
        if event.get("type") in _OPENING and event.get("role", "assistant") != "assistant":
            self._foreign.add(name)
        if name in self._foreign:
            if event.get("type") == "TEXT_MESSAGE_END":
                self._foreign.discard(name)
            return Outcome(edit)
        outcome = super()._judged(event, edit)
        if isinstance(outcome.edit, dict) and "delta" in outcome.edit:
            return Outcome({**outcome.edit, **_unsaid(event, outcome.edit["delta"])}, outcome.before)
        return outcome


DIALECT = Dialect(
    "ag-ui",
    _KINDS,
    recognise=_recognise,
    hooks={
        **dict.fromkeys(_ENCRYPTED, (drop_encrypted,)),
        **dict.fromkeys(_COPIES, (drop_copy,)),
        "op": (drop_patch,),
    },
    signs=dict.fromkeys(_COPIES, ()),
    claims=_claims,
    partial=lambda event: bool(_pieces(event)),
    stream=Stream,
    mark=_make_own,
)
