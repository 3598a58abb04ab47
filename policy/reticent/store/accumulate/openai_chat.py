"""Chat Completions and what speaks like it: choices whose messages grow by deltas.

Chunks: https://platform.openai.com/docs/api-reference/chat-streaming (read 2026-11-29). Reasoning comes under whatever
name the server gives it (``reasoning_content``, ``reasoning``, ``reasoning_text``), and any text that nobody listed
grows like it. Entries of ``reasoning_details`` grow by their index
(https://openrouter.ai/docs/use-cases/reasoning-tokens), calls by theirs; what a call carries beside its arguments
(``extra_content.google.thought_signature``, https://ai.google.dev/gemini-api/docs/openai) comes in one piece.
"""

from __future__ import annotations

from typing import Any, Final

from reticent.store.accumulate.merging import add_members, added, joined, list_of, position_of, text_of

__all__ = ["Response"]

_ONE_PIECE: Final = frozenset(("id", "type", "role", "name", "format", "signature", "index", "extra_content"))
_BLOCK_TYPES: Final = {"thinking": "thinking", "signature": "thinking", "data": "redacted_thinking", "text": "text"}


class Response:
    """One completion."""

    def __init__(self) -> None:
        """Start before the first chunk."""
        self.ended = False
        self.failure = ""
        self._told: dict[str, Any] = {}
        self._choices: dict[int, dict[str, Any]] = {}

    @property
    def closing(self) -> bool:
        """Whether every choice that was begun has told why it ended."""
        choices = self._choices.values()
        return self.ended or (bool(choices) and all(choice.get("finish_reason") for choice in choices))

    def event(self, event: dict[str, Any]) -> None:
        """Take the next chunk."""
        for name, value in event.items():
            if value is not None and name != "choices":
                self._told[name] = value
        for at, choice in enumerate(list_of(event.get("choices"))):
            if isinstance(choice, dict):
                self._choice(position_of(choice.get("index"), at), choice)
        error = event.get("error")
        if error:
            code = error.get("code") or error.get("type") if isinstance(error, dict) else None
            self.failure = text_of(code) or "error"

    def done(self) -> None:
        """Take note of ``[DONE]``."""
        self.ended = True

    def whole(self) -> dict[str, Any]:
        """The completion."""
        told = {name: value for name, value in self._told.items() if name != "error"}
        return {
            **told,
            "object": "chat.completion",
            "choices": [joined(self._choices[at]) for at in sorted(self._choices)],
        }

    def _choice(self, position: int, chunk: dict[str, Any]) -> None:
        choice = self._choices.get(position)
        if choice is None:
            message = {"role": "assistant", "content": None}
            choice = self._choices[position] = {"index": position, "message": message, "finish_reason": None}
        for name, value in chunk.items():
            if name == "delta" and isinstance(value, dict):
                _add_delta(choice["message"], value)
            elif name == "finish_reason":
                choice[name] = value if value is not None else choice[name]
            elif name not in ("index", "delta"):
                choice[name] = added(choice.get(name), value)


def _add_delta(message: dict[str, Any], delta: dict[str, Any]) -> None:
    for name, value in delta.items():
        add = _OWN_WAYS.get(name)
        if name == "content" and isinstance(value, str) and isinstance(message.get(name), list):
            message[name] = _parts(message[name], [{"type": "text", "text": value}] if value else [])
        elif add is not None and isinstance(value, list):
            message[name] = add(message.get(name), value)
        elif name in _ONE_PIECE:
            message[name] = value if value is not None else message.get(name)
        else:
            message[name] = added(message.get(name), value)


def _by_index(before: Any, new: list[Any]) -> list[Any]:
    """Entries that grow by their index; one without goes on growing the last one of its kind, or is another."""
    entries: list[Any] = list(before) if isinstance(before, list) else []
    for entry in new:
        at = _place(entries, entry)
        if at is None:
            entries.append(dict(entry) if isinstance(entry, dict) else entry)
        else:
            entries[at] = dict(entries[at])
            add_members(entries[at], entry, whole=_ONE_PIECE)
    return entries


def _place(entries: list[Any], entry: Any) -> int | None:
    """Which of ``entries`` a piece belongs to."""
    if not isinstance(entry, dict) or type(entry.get("index")) is not int:
        return None
    for at, known in enumerate(entries):
        if isinstance(known, dict) and known.get("index") == entry["index"] and _alike(known, entry):
            return at
    return None


def _alike(known: dict[str, Any], entry: dict[str, Any]) -> bool:
    """Whether two entries of one index are pieces of one thing: a detail of another type is another detail."""
    return entry.get("type") is None or known.get("type") in (None, entry["type"])


def _calls(before: Any, new: list[Any]) -> list[Any]:
    """Calls grow by their index; the name and the id of a call come whole, the arguments in pieces."""
    calls: list[Any] = list(before) if isinstance(before, list) else []
    for piece in new:
        at = _place(calls, piece)
        if at is None:
            calls.append(dict(piece) if isinstance(piece, dict) else piece)
            continue
        call, inner = dict(calls[at]), piece.get("function")
        add_members(call, {name: value for name, value in piece.items() if name != "function"}, whole=_ONE_PIECE)
        if isinstance(inner, dict):
            call["function"] = dict(call.get("function") or {})
            add_members(call["function"], inner, whole=_ONE_PIECE)
        calls[at] = call
    return calls


def _parts(before: Any, new: list[Any]) -> list[Any]:
    """Content in typed parts (https://docs.mistral.ai/capabilities/reasoning): a part goes on with one of its type."""
    parts: list[Any] = [{"type": "text", "text": before}] if before and not isinstance(before, list) else []
    parts += before if isinstance(before, list) else []
    for part in new:
        last = parts[-1] if parts else None
        if isinstance(last, dict) and isinstance(part, dict) and last.get("type") == part.get("type") in _GROWING:
            parts[-1] = dict(last)
            for name, value in part.items():
                grown = _parts(last.get(name), value) if isinstance(value, list) else added(last.get(name), value)
                parts[-1][name] = grown if name not in _ONE_PIECE else value
        else:
            parts.append(part)
    return parts


_GROWING: Final = frozenset(("text", "thinking"))


def _blocks(before: Any, new: list[Any]) -> list[Any]:
    """Anthropic blocks whose type a gateway leaves out of the pieces: https://portkey.ai/docs (``content_blocks``)."""
    blocks: list[Any] = list(before) if isinstance(before, list) else []
    for piece in new:
        delta = piece.get("delta") if isinstance(piece, dict) else None
        if not isinstance(delta, dict):
            blocks.append(piece)
            continue
        at = position_of(piece.get("index"), len(blocks))
        kind = next((told for name, told in _BLOCK_TYPES.items() if name in delta), "text")
        while len(blocks) <= at:
            blocks.append({"type": kind})
        blocks[at] = dict(blocks[at])
        add_members(blocks[at], delta, whole=_ONE_PIECE)
    return blocks


_OWN_WAYS: Final = {
    "tool_calls": _calls,
    "reasoning_details": _by_index,
    "content": _parts,
    "content_blocks": _blocks,
}
