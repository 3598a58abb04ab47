"""Anthropic Messages: numbered blocks that start, grow and stop.

Events and deltas: https://platform.claude.com/docs/en/build-with-claude/streaming (read 2026-11-29). A signature comes
once, in a delta of its own, and replaces what the block started with, as it does in the vendor's SDK; so does the
content of a compaction block.
"""

from __future__ import annotations

import json
from typing import Any, Final

from reticent.store.accumulate.merging import add_members, added, joined, position_of, text_of

__all__ = ["Response"]

_WHOLE: Final = frozenset(("signature", "encrypted_content"))
_REPLACING: Final = frozenset(("compaction_delta",))
_BESIDE: Final = frozenset(("type", "estimated_tokens"))
"""Members of a delta that are not part of the block."""


class Response:
    """One message."""

    def __init__(self) -> None:
        """Start before ``message_start``."""
        self.closing = False
        self.ended = False
        self.failure = ""
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, list[str]] = {}

    def event(self, event: dict[str, Any]) -> None:
        """Take the next event."""
        kind = event.get("type")
        position = position_of(event.get("index"), len(self._blocks))
        if kind == "content_block_delta":
            self._delta(position, event.get("delta"))
        elif kind == "content_block_start" and isinstance(event.get("content_block"), dict):
            self._blocks[position] = dict(event["content_block"])
        elif kind == "message_start" and isinstance(event.get("message"), dict):
            self._message = dict(event["message"])
        elif kind == "message_delta":
            self._ending(event)
        elif kind == "message_stop":
            self.closing = self.ended = True
        elif kind == "error":
            error = event.get("error")
            self.failure = text_of(error.get("type")) if isinstance(error, dict) else "error"
            self.failure = self.failure or "error"

    def done(self) -> None:
        """The protocol has no such terminator; some clones send one."""
        self.closing = self.ended = True

    def whole(self) -> dict[str, Any]:
        """The message."""
        content = [joined(self._block(position)) for position in sorted(self._blocks)]
        return {"type": "message", "role": "assistant", **self._message, "content": content}

    def _delta(self, position: int, delta: Any) -> None:
        block = self._blocks.setdefault(position, {})
        if not isinstance(delta, dict):
            return
        kind = delta.get("type")
        members = {name: value for name, value in delta.items() if name not in _BESIDE}
        if kind == "input_json_delta":
            self._inputs.setdefault(position, []).append(text_of(delta.get("partial_json")))
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or []), delta.get("citation")]
        elif kind in _REPLACING:
            block.update(members)
        else:
            add_members(block, members, whole=_WHOLE)

    def _ending(self, event: dict[str, Any]) -> None:
        """How the message ended: members of the delta are the message's, usage counts what came so far."""
        delta = event.get("delta")
        self._message |= delta if isinstance(delta, dict) else {}
        beside = {name: value for name, value in event.items() if name not in ("type", "delta", "usage")}
        self._message |= beside
        before, usage = self._message.get("usage"), event.get("usage")
        if isinstance(usage, dict):
            self._message["usage"] = {**before, **usage} if isinstance(before, dict) else usage
        self.closing = self.closing or self._message.get("stop_reason") is not None

    def _block(self, position: int) -> dict[str, Any]:
        block = self._blocks[position]
        written = "".join(self._inputs.get(position, ()))
        return {**block, "input": _parsed(written, block.get("input"))} if written.strip() else block


def _parsed(written: str, start: Any) -> Any:
    """The input of a call; what the block started with when the call was cut off in the middle."""
    try:
        return json.loads(written)
    except ValueError:
        return added(start, None)
