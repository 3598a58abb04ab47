"""Bedrock Converse: blocks without a type, strict alternation, all results of a turn in one user message.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
"""

from __future__ import annotations

from typing import Any

from reticent.history.entries import Context, Part, PartKind, Path, Raw, Role
from reticent.history.shapes._shape import Read, Shape, is_blank, listed, plain, stop_word, value_at, word


class BedrockConverse(Shape):
    """Messages as Converse takes them."""

    def look(self, raw: Raw, context: Context) -> Read:
        """Role, blocks and stop reason."""
        del context
        role = self.facts.roles.get(str(raw.get("role")), Role.UNKNOWN)
        parts = [self._part(block, ("content", index), role) for index, block in enumerate(listed(raw.get("content")))]
        return Read(role, parts, stop_word(raw))

    def _part(self, block: Any, path: Path, role: Role) -> Part:
        fields = plain(block) or {}
        key = next(iter(fields), None)
        fact = self.facts.part(key) if key is not None else None
        if key is None or fact is None:
            return Part(PartKind.UNKNOWN, path, name=key)
        part = Part(fact.kind, path, name=key, signed=fact.kind is PartKind.REASONING)
        if fact.kind is PartKind.TEXT:
            return part._replace(blank=key == "text" and is_blank(fields[key]))
        if fact.kind in {PartKind.CALL, PartKind.RESULT}:
            return self._tool(part, plain(fields[key]) or {}, role)
        return part

    def _tool(self, part: Part, inner: Raw, role: Role) -> Part:
        return part._replace(
            id=word(inner.get("toolUseId")),
            name=word(inner.get("name")),
            server=inner.get("type") == "server_tool_use" or (part.kind is PartKind.RESULT and role is Role.ASSISTANT),
            error=inner.get("status") == "error",
            final=inner.get("pending") is not True,
        )

    def text_part(self, text: str) -> dict[str, Any]:
        """A text block."""
        return {"text": text}

    def body_path(self, raw: Raw, part: Part) -> Path:
        """The ``content`` of the ``toolResult``."""
        del raw
        return (*part.path, "toolResult", "content")

    def body_of(self, value: Any, text: str) -> Any:
        """Converse takes a list of blocks."""
        del value
        return [{"text": text}]

    def error_result(self, call: Part, text: str) -> dict[str, Any]:
        """A ``toolResult`` block with status ``error``."""
        return {"toolResult": {"toolUseId": call.id, "status": "error", "content": [{"text": text}]}}

    def arguments(self, raw: Raw, call: Part) -> Any:
        """The ``input`` of the ``toolUse``."""
        return value_at(raw, (*call.path, "toolUse", "input"))

    def call_entry(self, call_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """A message with one ``toolUse`` block."""
        block = {"toolUse": {"toolUseId": call_id, "name": name, "input": arguments}}
        return {"role": "assistant", "content": [block]}

    def result_of(self, call_id: str | None, name: str, text: str) -> dict[str, Any]:
        """A ``toolResult`` block."""
        del name
        return {"toolResult": {"toolUseId": call_id, "content": [{"text": text}]}}
