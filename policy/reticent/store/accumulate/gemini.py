"""Gemini ``generateContent``: each chunk is a small response with further parts.

Pieces of one text are joined. A part that carries a signature stays a part of its own, as the vendor asks
(https://ai.google.dev/gemini-api/docs/thought-signatures, read 2026-11-29), also one with an empty text.
"""

from __future__ import annotations

from typing import Any, Final, TypeGuard

from reticent.store.accumulate.merging import Growing, added, joined, list_of, position_of, text_of

__all__ = ["Response"]

_TEXT: Final = frozenset(("text", "thought"))


class Response:
    """One response."""

    def __init__(self) -> None:
        """Start before the first chunk."""
        self.failure = ""
        self._told: dict[str, Any] = {}
        self._candidates: dict[int, dict[str, Any]] = {}
        self._done = False

    @property
    def closing(self) -> bool:
        """Whether every candidate that was begun has told why it ended, or the prompt was refused."""
        candidates = self._candidates.values()
        told = bool(candidates) and all(candidate.get("finishReason") for candidate in candidates)
        return self._done or told or "blockReason" in (self._told.get("promptFeedback") or ())

    @property
    def ended(self) -> bool:
        """Nothing in the protocol says that a chunk was the last one: the stream just ends."""
        return self._done

    def event(self, event: dict[str, Any]) -> None:
        """Take the next chunk."""
        self._told |= {name: value for name, value in event.items() if name not in ("candidates", "error")}
        for at, candidate in enumerate(list_of(event.get("candidates"))):
            if isinstance(candidate, dict):
                self._candidate(position_of(candidate.get("index"), at), candidate)
        error = event.get("error")
        if isinstance(error, dict):
            self.failure = text_of(error.get("status")) or "error"

    def done(self) -> None:
        """The protocol has no such terminator; some gateways send one."""
        self._done = True

    def whole(self) -> dict[str, Any]:
        """The response."""
        return {**self._told, "candidates": [joined(self._candidates[at]) for at in sorted(self._candidates)]}

    def _candidate(self, position: int, chunk: dict[str, Any]) -> None:
        candidate = self._candidates.setdefault(position, {"content": {"role": "model", "parts": []}})
        content = chunk.get("content")
        if isinstance(content, dict):
            mine = candidate["content"]
            mine |= {name: value for name, value in content.items() if name != "parts"}
            for part in list_of(content.get("parts")):
                _add_part(mine["parts"], part)
        candidate |= {name: value for name, value in chunk.items() if name != "content"}


def _add_part(parts: list[Any], part: Any) -> None:
    last = parts[-1] if parts else None
    if _is_text(last) and _is_text(part) and bool(last.get("thought")) == bool(part.get("thought")):
        parts[-1] = {**last, "text": added(last["text"], part["text"])}
    else:
        parts.append(part)


def _is_text(part: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(part, dict) and part.keys() <= _TEXT and isinstance(part.get("text"), str | Growing)
