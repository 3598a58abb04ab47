"""OpenAI Responses: the last event repeats the whole response, and each item came whole before it.

Events: https://platform.openai.com/docs/api-reference/responses-streaming (read 2026-11-29). Servers that speak the
protocol without a store of their own send a last event with no items in it; then the items are those of
``response.output_item.done``. An item that never was done is not part of the response.
"""

from __future__ import annotations

from typing import Any, Final

from reticent.store.accumulate.merging import list_of, position_of, text_of

__all__ = ["Response"]

_LAST: Final = frozenset(("response.completed", "response.incomplete", "response.failed"))
_LIFE: Final = frozenset(("response.created", "response.in_progress", "response.queued"))


class Response:
    """One response."""

    def __init__(self) -> None:
        """Start before ``response.created``."""
        self.closing = False
        self.ended = False
        self.failure = ""
        self._response: dict[str, Any] = {}
        self._items: dict[int, dict[str, Any]] = {}

    def event(self, event: dict[str, Any]) -> None:
        """Take the next event."""
        kind = event.get("type")
        if kind == "response.output_item.done":
            item = event.get("item")
            if isinstance(item, dict):
                self._items[position_of(event.get("output_index"), len(self._items))] = item
        elif kind in _LAST or kind in _LIFE:
            self._life(kind, event.get("response"))
        elif kind == "error":
            self.failure = text_of(event.get("code")) or "error"

    def done(self) -> None:
        """The protocol has no such terminator; some clones send one."""
        self.closing = self.ended = True

    def whole(self) -> dict[str, Any]:
        """The response."""
        listed = list_of(self._response.get("output"))
        output = _merged(listed, self._items) if listed else [self._items[at] for at in sorted(self._items)]
        return {"object": "response", **self._response, "output": output}

    def _life(self, kind: str, response: Any) -> None:
        if isinstance(response, dict):
            self._response = {**self._response, **response}
        if kind in _LAST:
            self.closing = self.ended = True
        if kind == "response.failed":
            error = self._response.get("error")
            self.failure = (text_of(error.get("code")) if isinstance(error, dict) else "") or "failed"


def _merged(listed: list[Any], items: dict[int, dict[str, Any]]) -> list[Any]:
    """The items of the last event, with members that only the item's own event had."""
    known = {item["id"]: item for item in items.values() if isinstance(item.get("id"), str)}
    return [
        {**known[item["id"]], **item} if isinstance(item, dict) and item.get("id") in known else item for item in listed
    ]
