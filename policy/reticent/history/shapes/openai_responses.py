"""OpenAI Responses: a flat list of items; a reasoning item stands before what it led to.

https://platform.openai.com/docs/api-reference/responses
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from reticent.history.entries import Context, Part, PartKind, Path, Raw, Role
from reticent.history.shapes._shape import Read, Shape, is_blank, listed, stop_word, typed_part, word

_INTERIM = frozenset({"in_progress", "pending", "queued"})
_DONE = frozenset({"completed", "failed", "incomplete", "cancelled"})
_OUTCOMES = ("output", "outputs", "result", "results", "error", "action")


class OpenAIResponses(Shape):
    """Items as the Responses API takes them in ``input`` and gives them in ``output``."""

    def look(self, raw: Raw, context: Context) -> Read:
        """A message, or an item that is one part as a whole."""
        del context
        if raw.get("type", "message") == "message" and "role" in raw:
            return self._message(raw)
        part, fields, fact = typed_part(self.facts, raw, ())
        if part.kind is PartKind.CALL:
            part = self._call(part, fields, whole=fact is not None and fact.whole)
        elif part.kind is PartKind.RESULT:
            part = self._result(part, fields)
        elif part.kind is PartKind.REASONING:
            part = part._replace(signed=True)
        return Read(self._role(part.kind), [part], _turn_stop(raw))

    def _role(self, kind: PartKind) -> Role:
        roles = {PartKind.RESULT: Role.TOOL, PartKind.CONTROL: Role.SYSTEM, PartKind.OPAQUE: Role.SYSTEM}
        return roles.get(kind, Role.ASSISTANT)

    def _call(self, part: Part, fields: Raw, *, whole: bool) -> Part:
        approval = fields.get("type") == "mcp_approval_request"
        identity = word(fields.get("id")) if approval or whole else word(fields.get("call_id"))
        return part._replace(
            id=identity or word(fields.get("id")),
            name=word(fields.get("name")) or part.name,
            closed=whole and _is_done(fields),
        )

    def _result(self, part: Part, fields: Raw) -> Part:
        return part._replace(
            id=word(fields.get("call_id")) or word(fields.get("approval_request_id")),
            final=fields.get("status") not in _INTERIM,
        )

    def _message(self, raw: Raw) -> Read:
        role = self.facts.roles.get(str(raw.get("role")), Role.UNKNOWN)
        if role is Role.SYSTEM:
            return Read(role, [Part(PartKind.CONTROL, ())])
        content = raw.get("content")
        if isinstance(content, str):
            parts = [Part(PartKind.TEXT, ("content",), blank=is_blank(content))] if content else []
        else:
            parts = [self._content(part, index) for index, part in enumerate(listed(content))]
        stop = _turn_stop(raw)
        return Read(role, parts, stop or word(raw.get("status")), item_stop=stop is None)

    def _content(self, value: Any, index: int) -> Part:
        part, fields, _ = typed_part(self.facts, value, ("content", index))
        return part._replace(blank=is_blank(fields.get("text", value))) if part.kind is PartKind.TEXT else part

    def text_part(self, text: str) -> dict[str, Any]:
        """An ``input_text`` part."""
        return {"type": "input_text", "text": text}

    def user_entry(self, texts: Sequence[str]) -> dict[str, Any]:
        """A user message item."""
        return {"type": "message", **super().user_entry(texts)}

    def assistant_entry(self, text: str) -> dict[str, Any]:
        """An assistant message item without an id."""
        return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}

    def body_path(self, raw: Raw, part: Part) -> Path:
        """The ``output`` of the item."""
        del raw, part
        return ("output",)

    def error_result(self, call: Part, text: str) -> dict[str, Any]:
        """An output item for the call."""
        if call.name == "mcp_approval_request":
            return {"type": "mcp_approval_response", "approval_request_id": call.id, "approve": False}
        return {"type": "function_call_output", "call_id": call.id, "output": text}

    def arguments(self, raw: Raw, call: Part) -> Any:
        """The ``arguments`` of the item as the string they are, else what a call of its type holds instead."""
        del call
        return next((raw[key] for key in ("arguments", "input", "action", "operation") if key in raw), None)

    def call_entry(self, call_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """A ``function_call`` item without an id."""
        return {"type": "function_call", "call_id": call_id, "name": name, "arguments": json.dumps(arguments)}

    def result_of(self, call_id: str | None, name: str, text: str) -> dict[str, Any]:
        """A ``function_call_output`` item."""
        del name
        return {"type": "function_call_output", "call_id": call_id, "output": text}

    def own_result_entries(self) -> bool:
        """Each output is an item."""
        return True


def _turn_stop(raw: Raw) -> str | None:
    """The stop word of the whole response, where the harness keeps it; content filters have a reason of their own."""
    found = stop_word(raw)
    details = raw.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return reason if isinstance(reason, str) else found


def _is_done(fields: Raw) -> bool:
    status = fields.get("status")
    return status in _DONE if status is not None else any(fields.get(key) is not None for key in _OUTCOMES)
