"""Anthropic Messages: roles user and assistant, typed content blocks, results in the next user message.

https://platform.claude.com/docs/en/api/messages
"""

from __future__ import annotations

from typing import Any

from reticent.history.entries import Context, Part, PartKind, Path, Raw, Role
from reticent.history.shapes._shape import Read, Shape, is_blank, listed, stop_word, typed_part, value_at, word


class AnthropicMessages(Shape):
    """Messages as the Anthropic API takes them."""

    def look(self, raw: Raw, context: Context) -> Read:
        """Role, blocks and stop reason."""
        del context
        role = self.facts.roles.get(str(raw.get("role")), Role.UNKNOWN)
        content = raw.get("content")
        if role is Role.SYSTEM:
            return Read(role, [Part(PartKind.CONTROL, ())])
        if isinstance(content, str):
            parts = [Part(PartKind.TEXT, ("content",), blank=is_blank(content))] if content else []
        else:
            parts = [self._part(block, index, role) for index, block in enumerate(listed(content))]
        return Read(role, parts, stop_word(raw))

    def _part(self, block: Any, index: int, role: Role) -> Part:
        part, fields, _ = typed_part(self.facts, block, ("content", index))
        if part.kind is PartKind.TEXT:
            return part._replace(blank=is_blank(fields.get("text", block)))
        if part.kind is PartKind.REASONING:
            return part._replace(signed=True)
        if part.kind is PartKind.CHECKPOINT:
            return part._replace(signed="signature" in fields)
        if part.kind is PartKind.CALL:
            return part._replace(id=word(fields.get("id")), name=word(fields.get("name")))
        if part.kind is PartKind.RESULT:
            return self._result(part, fields, role)
        return part

    def _result(self, part: Part, fields: Raw, role: Role) -> Part:
        return part._replace(
            id=word(fields.get("tool_use_id")),
            server=part.server or role is Role.ASSISTANT,
            final=fields.get("pending") is not True,
            error=fields.get("is_error") is True,
        )

    def body_path(self, raw: Raw, part: Part) -> Path:
        """The ``content`` of the ``tool_result`` block."""
        del raw
        return (*part.path, "content")

    def error_result(self, call: Part, text: str) -> dict[str, Any]:
        """A ``tool_result`` block marked as an error."""
        return {"type": "tool_result", "tool_use_id": call.id, "is_error": True, "content": text}

    def arguments(self, raw: Raw, call: Part) -> Any:
        """The ``input`` of the ``tool_use`` block."""
        return value_at(raw, (*call.path, "input"))

    def call_entry(self, call_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """A message with one ``tool_use`` block."""
        block = {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
        return {"role": "assistant", "content": [block]}

    def result_of(self, call_id: str | None, name: str, text: str) -> dict[str, Any]:
        """A ``tool_result`` block."""
        del name
        return {"type": "tool_result", "tool_use_id": call_id, "content": text}
