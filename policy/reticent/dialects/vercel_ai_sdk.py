"""Vercel AI SDK 5 to 7: messages of parts, and the UI message stream.

A part of reasoning is data (``kinds.yaml``). What is code: signatures and ciphertext that sit in the metadata of a
provider, on parts of every kind; ids that pair the parts after a reasoning item of OpenAI with it, which a replay
refuses without; and text that comes in deltas by the id of its part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from reticent.dialects._channels import hashable
from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._marks import Counted, Mark, block_length
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.dialects._text_stream import ALL, Channels, ChannelStream, MarkEvents, Piece, found_at
from reticent.edits import DROP, Children, Edit

if TYPE_CHECKING:
    from reticent.dialects._marks import Run
    from reticent.dialects._stream import Event, Outcome, StreamContext

_KINDS = kinds("vercel-ai-sdk")
_METADATA: Final[tuple[str, ...]] = tuple(_KINDS.data["metadata"])
_FIELDS: Final[tuple[str, ...]] = tuple(_KINDS.data["fields"])
_LISTS = ("parts", "content")
_STEPS = ("step-start", "start-step")
_TEXTS = ("delta", "text", "textDelta")
_CHUNKS = frozenset(
    {
        "start",
        "start-step",
        "finish-step",
        "finish",
        "abort",
        "message-metadata",
        "text-start",
        "text-delta",
        "text-end",
        "reasoning-start",
        "reasoning-delta",
        "reasoning-end",
        "reasoning-file",
        "tool-input-start",
        "tool-input-delta",
        "tool-input-end",
        "tool-input-available",
        "tool-input-error",
        "tool-output-available",
        "tool-output-error",
        "source-url",
        "source-document",
    }
)


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    parts = value.get("parts")
    told = isinstance(parts, list) and bool(parts) and isinstance(parts[0], dict) and "type" in parts[0]
    return _claims(value) or (told and value.get("role") in ("assistant", "user"))


def _claims(event: Event) -> bool:
    kind = event.get("type")
    return isinstance(kind, str) and (kind in _CHUNKS or (kind.startswith("data-") and "data" in event))


def drop_binding(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """Signatures, ciphertext and handles in the metadata of any provider; settings beside them stay."""
    if position == Position.DATA or not walker.withholds("opaque"):
        return None
    for name in _METADATA:
        providers = node.get(name)
        if isinstance(providers, dict) and edits.get(name) is not DROP:
            for provider, fields in providers.items():
                for field in _bound(fields):
                    if found_at(edits, (name, provider, field)) is None:
                        walker.withhold(f"vercel-ai-sdk/{field}", fields[field])
                        _drop(edits, (name, provider), field)
    _collapse(node, edits)
    return None


def _bound(fields: Any) -> list[str]:
    if not isinstance(fields, dict):
        return []
    found = [field for field in _FIELDS if isinstance(fields.get(field), (str, list, dict)) and fields[field]]
    handle = fields.get("itemId")
    return [*found, "itemId"] if isinstance(handle, str) and handle.startswith("rs_") else found


def _drop(edits: Children, path: Sequence[str], name: str) -> None:
    """Put DROP at ``path`` and ``name`` into ``edits``, keeping what stands there already."""
    inner: Children = edits
    for key in path:
        below = inner.get(key)
        inner[key] = dict(below) if isinstance(below, dict) else {}
        inner = inner[key]  # type: ignore[assignment]  # a dict was put there
    inner[name] = DROP


def _collapse(node: Mapping[str, Any], edits: Children) -> None:
    """Metadata that held nothing but what goes is gone itself."""
    for name in _METADATA:
        providers, inner = node.get(name), edits.get(name)
        if isinstance(providers, dict) and isinstance(inner, dict):
            gone: Children = {key: DROP for key, fields in providers.items() if _is_emptied(fields, inner.get(key))}
            edits[name] = DROP if len(gone) == len(providers) else {**inner, **gone}


def _is_emptied(fields: Any, edit: Edit | None) -> bool:
    if not isinstance(fields, dict) or not isinstance(edit, dict):
        return edit is DROP
    return bool(fields) and all(edit.get(field) is DROP for field in fields)


def drop_pairing_ids(_walker: Walker, items: Sequence[Any], edits: Children, key: Any) -> None:
    """Take the item ids of OpenAI off the parts that follow a withheld reasoning item in the same step."""
    if key not in _LISTS:
        return
    paired = False
    for at, item in enumerate(items):
        if not isinstance(item, dict):
            return
        paired = paired and item.get("type") not in _STEPS
        if edits.get(at) is DROP:
            paired = paired or bool(_item_ids(item))
        elif paired:
            edits[at] = _without_ids(item, edits.get(at)) or {}
            if not edits[at]:
                del edits[at]


def _item_ids(item: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Where ``item`` holds the id of an OpenAI item: ``(metadata key, provider)``."""
    found: list[tuple[str, str]] = []
    for name in _METADATA:
        providers = item.get(name)
        if isinstance(providers, dict):
            found += [
                (name, key) for key, fields in providers.items() if isinstance(fields, dict) and "itemId" in fields
            ]
    return found


def _without_ids(item: Mapping[str, Any], edit: Edit | None) -> Edit | None:
    if edit is not None and not isinstance(edit, dict):
        return edit
    edits: Children = dict(edit) if edit is not None else {}
    for path in _item_ids(item):
        if found_at(edits, (*path, "itemId")) is None:
            _drop(edits, path, "itemId")
    _collapse(item, edits)
    return edits or None


_CALL_DELTAS = frozenset({"tool-input-delta", "tool-call-delta"})
_CALL_ENDS = frozenset({"tool-input-end", "tool-input-available", "tool-input-error", "tool-call"})


def _pieces(event: Event) -> Sequence[Piece]:
    if event.get("type") in _CALL_DELTAS:
        name = next((name for name in ("inputTextDelta", "delta") if isinstance(event.get(name), str)), None)
        call = event.get("toolCallId", event.get("id"))
        return () if name is None else (Piece(("call", hashable(call)), (name,), event[name], arguments=True),)
    if event.get("type") != "text-delta":
        return ()
    return [Piece(event.get("id"), (name,), event[name]) for name in _TEXTS if isinstance(event.get(name), str)][:1]


def _ends(event: Event) -> Any:
    kind = event.get("type")
    if kind == "text-end":
        return (event.get("id"),)
    if kind in _CALL_ENDS:
        return (("call", hashable(event.get("toolCallId", event.get("id")))),)
    return ALL if kind in ("finish", "finish-step", "abort", "error") else ()


_GOES_ON = frozenset(
    {
        *("start", "message-metadata", "text-delta", "text-end", "tool-input-delta", "tool-input-end"),
        *("tool-output-available", "tool-output-error"),
    }
)
"""Chunks that add no part of their own to the message."""


def _count(event: Event, run: Run) -> None:
    """Count a chunk of reasoning: text adds up, and metadata takes the place of what was there."""
    kind = str(event.get("type"))
    if not kind.startswith("reasoning"):
        return
    name = hashable(event.get("id", event.get("url")))
    if kind == "reasoning-file":
        run.put(name, block_length(event))
        return
    text = next((event[key] for key in _TEXTS if isinstance(event.get(key), str)), "")
    run.add(name, len(text), "text")
    for key in _METADATA:
        if isinstance(event.get(key), dict):
            run.put(name, block_length(event[key]), key)


def _mark(counted: Counted) -> Mark:
    """A part of the namespace that the protocol leaves to its users: readers refuse other types they do not know."""
    return {"type": "data-withheld", "data": counted.told}


def _make_own(block: Mapping[str, Any], key: Any, counted: Counted) -> Mark | None:
    """For parts of messages from version 5 on; version 4 and OpenCode have parts of the same name."""
    told = key == "parts" and isinstance(block.get("type"), str)
    return _mark(counted) if told and "reasoning" not in block and "sessionID" not in block else None


_MARKS = MarkEvents(
    "reasoning",
    _count,
    lambda event: event.get("type") not in _GOES_ON,
    lambda run: _mark(run.counted),
)
_CHANNELS = Channels(_pieces, _ends, bare=lambda event: event.get("type") == "text-delta", marks=_MARKS)


class Stream(ChannelStream):
    """One UI message stream, or one full stream."""

    def __init__(self, context: StreamContext) -> None:
        """Start before the first chunk."""
        super().__init__(_CHANNELS, context)
        self._paired = False

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """As for any channels of text, and ids that pair with a withheld reasoning item go."""
        if event.get("type") in _STEPS:
            self._paired = False
        if edit is DROP:
            self._paired = self._paired or bool(_item_ids(event))
        elif self._paired:
            edit = _without_ids(event, edit)
        return super().event(event, edit)


DIALECT = Dialect(
    "vercel-ai-sdk",
    _KINDS,
    recognise=_recognise,
    hooks=dict.fromkeys(_METADATA, (drop_binding,)),
    lists=(drop_pairing_ids,),
    claims=_claims,
    partial=lambda event: bool(_pieces(event)),
    stream=Stream,
    mark=_make_own,
)
