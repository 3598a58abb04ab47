"""Where messages of a model stand, in an answer and in a history, and what of them a reader can see.

A *unit* is what goes back into a history as one entry: a message of Messages, Chat Completions, ``generateContent`` or
Converse, an item of Responses or Interactions. Its *pieces* are the texts and calls in it, less everything that clients
change without changing a word: order of keys, nulls, spelling of numbers, cache marks.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from reticent.errors import NotReplayable

if TYPE_CHECKING:
    from reticent.store.gaps import Path

HISTORIES: Final = ("messages", "input", "contents")
"""Members of a request body that list its history."""

_SPEAKERS: Final = frozenset({"assistant", "model"})
_LISTED: Final = ("output", "outputs", "steps")
_TEXTS: Final = frozenset({None, "text", "output_text", "input_text"})
_CALLS: Final = {
    "tool_use": ("id", "name", "input"),
    "server_tool_use": ("id", "name", "input"),
    "mcp_tool_use": ("id", "name", "input"),
    "function_call": ("call_id", "name", "arguments"),
    "custom_tool_call": ("call_id", "name", "input"),
    "local_shell_call": ("call_id", "status", "action"),
    "computer_call": ("call_id", "status", "action"),
}
"""Calls that a ``type`` tells: the members with the id, the name and the arguments."""

_KEYED_CALLS: Final = {"functionCall": ("id", "name", "args"), "toolUse": ("toolUseId", "name", "input")}
_VOLATILE: Final = frozenset({"cache_control", "cachePoint", "index", "status", "partial"})
_INPUT_ITEMS: Final = frozenset({"user_input", "function_result", "item_reference", "compaction_trigger"})


class Piece(NamedTuple):
    """A text, a call, or something else that is visible; ``call`` is the id of a call."""

    kind: str
    call: str
    said: bytes


class Place(NamedTuple):
    """Where units of an answer stand: at ``path`` itself, or, when it is a list, as its elements."""

    path: Path
    is_list: bool


# --- answers ----------------------------------------------------------------------------------------------------------


def places(turn: Any) -> list[Place]:
    """Where the units of a turn stand; ``turn`` is JSON values: a response, a message, or a list of entries.

    Raises:
        NotReplayable: there is none.
    """
    found = [Place((), is_list=True)] if isinstance(turn, list) else list(_inside(turn))
    if not found:
        raise NotReplayable("no message of a model is in this; hold a response, a message, or a list of output items")
    return found


def _inside(turn: Any) -> Iterator[Place]:
    if not isinstance(turn, dict):
        return
    if is_speaker(turn):
        yield Place((), is_list=False)
        return
    for name in _LISTED:
        if isinstance(turn.get(name), list):
            yield Place((name,), is_list=True)
    for path in (("message",), ("output", "message")):
        if is_speaker(at(turn, path)):
            yield Place(path, is_list=False)
    for name, member in (("choices", "message"), ("candidates", "content")):
        listed = turn.get(name)
        for position, choice in enumerate(listed if isinstance(listed, list) else ()):
            if is_speaker(at(choice, (member,))):
                yield Place((name, position, member), is_list=False)


def at(value: Any, path: Path) -> Any:
    """What stands at ``path``, None when nothing does."""
    for key in path:
        if isinstance(value, Mapping):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return None
    return value


def is_speaker(entry: Any) -> bool:
    """Whether ``entry`` is a message that a model wrote."""
    return isinstance(entry, Mapping) and str(entry.get("role", "")).lower() in _SPEAKERS


def is_unit(entry: Any) -> bool:
    """Whether an entry of a history is a model's: a message, or an item without a role that is no result or input."""
    if not isinstance(entry, Mapping):
        return False
    if "role" in entry:
        return is_speaker(entry)
    kind = entry.get("type")
    is_result = isinstance(kind, str) and kind.endswith("_output") and kind != "model_output"
    return isinstance(kind, str) and not is_result and kind not in _INPUT_ITEMS


def is_said_by_user(entry: Any) -> bool:
    """Whether an entry is a person's text and not the result of a tool: a live tool loop starts behind it."""
    if not isinstance(entry, Mapping) or str(entry.get("role", "")).lower() != "user":
        return False
    content = entry.get("content", entry.get("parts"))
    if isinstance(content, list):
        return any(isinstance(block, Mapping) and not _is_result(block) for block in content)
    return True


def _is_result(block: Mapping[str, Any]) -> bool:
    return str(block.get("type", "")).endswith("tool_result") or "toolResult" in block or "functionResponse" in block


def dialect_of(turn: Any, place: Place) -> str:
    """The dialect of the units at ``place``, by their shape alone."""
    unit = at(turn, place.path)
    if place.is_list:
        entries = [entry for entry in unit if isinstance(entry, Mapping)]
        if place.path[-1:] in {("outputs",), ("steps",)}:
            return "gemini-interactions"
        if any("role" not in entry for entry in entries) or place.path == ("output",):
            return "openai-responses"
        unit = next((entry for entry in entries if is_speaker(entry)), {})
    return _dialect_of_message(turn, unit)


def _dialect_of_message(turn: Any, unit: Mapping[str, Any]) -> str:
    if "parts" in unit:
        return "gemini"
    if isinstance(turn, Mapping) and "message" in turn:
        return "ollama" if "done" in turn else "cohere"
    blocks = unit.get("content")
    if isinstance(blocks, list) and "tool_calls" not in unit and not (isinstance(turn, Mapping) and "choices" in turn):
        typed = any(isinstance(block, Mapping) and "type" in block for block in blocks)
        return "anthropic-messages" if typed or not blocks else "bedrock-converse"
    return "openai-chat"


# --- pieces -----------------------------------------------------------------------------------------------------------


def pieces(unit: Mapping[str, Any]) -> list[Piece]:
    """What a reader sees of a unit, in order; JSON values in."""
    if "role" not in unit and "content" not in unit and "parts" not in unit:
        return [_piece(unit)]
    content = unit.get("content", unit.get("parts"))
    found = (
        [Piece("text", "", content.encode("utf-8", "surrogatepass"))] if isinstance(content, str) and content else []
    )
    found += [_piece(block) for block in content] if isinstance(content, list) else []
    found += [_piece(call) for call in unit.get("tool_calls") or ()]
    legacy = unit.get("function_call")
    return [*found, _call("", legacy.get("name"), legacy.get("arguments"))] if isinstance(legacy, Mapping) else found


def _piece(block: Any) -> Piece:
    if not isinstance(block, Mapping):
        return Piece("other", "", _canonical(block))
    kind = block.get("type")
    for key, names in _KEYED_CALLS.items():
        if isinstance(block.get(key), Mapping):
            return _call(*(block[key].get(name) for name in names))
    if isinstance(kind, str) and kind in _CALLS:
        name, title, arguments = _CALLS[kind]
        return _call(block.get(name) or block.get("id"), block.get(title), block.get(arguments))
    if isinstance(block.get("function"), Mapping):
        return _call(block.get("id"), block["function"].get("name"), block["function"].get("arguments"))
    if isinstance(block.get("text"), str) and kind in _TEXTS:
        return Piece("text", "", block["text"].encode("utf-8", "surrogatepass"))
    return Piece("other", "", _canonical({name: item for name, item in block.items() if name not in _VOLATILE}))


def _call(name: Any, title: Any, arguments: Any) -> Piece:
    if isinstance(arguments, str):
        with contextlib.suppress(ValueError):
            arguments = orjson.loads(arguments)
    return Piece("call", name if isinstance(name, str) else "", _canonical([title, arguments]))


def _canonical(value: Any) -> bytes:
    return orjson.dumps(_plain(value), option=orjson.OPT_SORT_KEYS)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # 1.0 comes back as 1 from every client in JavaScript
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.encode("utf-8", "surrogatepass").hex() if isinstance(value, str) and not _is_text(value) else value


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def digest(piece: Piece, key: bytes) -> str:
    """A keyed digest of one piece, 32 hexadecimal digits: without the task's key nobody can guess at the text."""
    told = b"\0".join((piece.kind.encode(), piece.call.encode("utf-8", "surrogatepass"), piece.said))
    return hashlib.blake2b(told, key=key, digest_size=16).hexdigest()


def entry_digest(entry: Any, key: bytes) -> bytes:
    """A keyed digest of one entry of a history, whoever wrote it, by what can be seen of it."""
    role = str(entry.get("role", "")) if isinstance(entry, Mapping) else ""
    seen = pieces(entry) if isinstance(entry, Mapping) else [_piece(entry)]
    call = str(entry.get("tool_call_id") or "") if isinstance(entry, Mapping) else ""
    told = "\0".join((role, call, *(digest(piece, key) for piece in seen)))
    return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), key=key, digest_size=16).digest()
