"""Chat Completions and its clones: one message per turn or result, reasoning as members of the message.

https://platform.openai.com/docs/api-reference/chat and, for the members, each clone's own page.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from reticent.history.entries import Context, Part, PartKind, Path, Raw, Role
from reticent.history.shapes._shape import (
    METADATA,
    Read,
    Shape,
    is_blank,
    listed,
    plain,
    stop_word,
    typed_part,
    value_at,
    word,
)

_OLD_CALL = "function_call"
_KNOWN = METADATA | {
    "role",
    "content",
    "name",
    "tool_calls",
    "tool_call_id",
    "function_call",
    "refusal",
    "audio",
    "annotations",
    "phase",
    "id",
}


class OpenAIChat(Shape):
    """Messages as Chat Completions takes them."""

    def look(self, raw: Raw, context: Context) -> Read:
        """Role, content, calls and reasoning members."""
        del context
        role = self.facts.roles.get(str(raw.get("role")), Role.UNKNOWN)
        if role is Role.SYSTEM:
            return Read(role, [Part(PartKind.CONTROL, ())])
        if role is Role.TOOL:
            return Read(role, [self._result(raw)])
        parts = self._content(raw)
        if role is Role.ASSISTANT:
            parts = [*self._attributes(raw), *parts, *self._calls(raw)]
        return Read(role, parts, stop_word(raw))

    def _result(self, raw: Raw) -> Part:
        interim = raw.get("pending") is True
        return Part(
            PartKind.RESULT, (), id=word(raw.get("tool_call_id")), name=word(raw.get("name")), final=not interim
        )

    def _content(self, raw: Raw) -> list[Part]:
        content = raw.get("content")
        if isinstance(content, str):
            return [Part(PartKind.TEXT, ("content",), blank=is_blank(content))] if content else []
        return [self._part(value, index) for index, value in enumerate(listed(content))]

    def _part(self, value: Any, index: int) -> Part:
        part, fields, _ = typed_part(self.facts, value, ("content", index))
        return part._replace(blank=is_blank(fields.get("text", value))) if part.kind is PartKind.TEXT else part

    def _attributes(self, raw: Raw) -> list[Part]:
        """Reasoning members. An empty string counts: DeepSeek and Kimi want it back as it came; null is no value."""
        found = [key for key in self.facts.attributes if raw.get(key) is not None]
        parts = [Part(PartKind.REASONING, (key,), name=key) for key in found]
        if word(raw.get("refusal")):
            parts.append(Part(PartKind.REFUSAL, ("refusal",)))
        if raw.get("audio") is not None:
            parts.append(Part(PartKind.MEDIA, ("audio",)))
        strange = [key for key in raw if key not in _KNOWN and key not in self.facts.attributes]
        return parts + [Part(PartKind.UNKNOWN, (key,), name=key) for key in strange if raw[key] is not None]

    def _calls(self, raw: Raw) -> list[Part]:
        calls = [
            Part(PartKind.CALL, ("tool_calls", index), id=word(call.get("id")), name=_called(call))
            for index, value in enumerate(listed(raw.get("tool_calls")))
            if (call := plain(value)) is not None
        ]
        old = plain(raw.get(_OLD_CALL)) if raw.get(_OLD_CALL) is not None else None
        return calls if old is None else [*calls, Part(PartKind.CALL, (_OLD_CALL,), name=word(old.get("name")))]

    def user_entry(self, texts: Sequence[str]) -> dict[str, Any]:
        """A user message whose content is one string: some clones take no list."""
        return {"role": "user", "content": "\n\n".join(texts)}

    def assistant_entry(self, text: str) -> dict[str, Any]:
        """An assistant message."""
        return {"role": "assistant", "content": text}

    def extended(self, raw: Raw, additions: Sequence[Any]) -> Any:
        """Text joins text, so that a string stays a string."""
        texts = [addition["text"] for addition in additions if addition.get("type") == "text"]
        own = raw.get("content")
        if isinstance(own, str) and len(texts) == len(additions):
            return "\n\n".join([own, *texts])
        return super().extended(raw, additions)

    def settle_paths(self, raw: Raw, paths: Sequence[Path]) -> list[Path]:
        """A list of calls that becomes empty goes as a member: an empty one is refused."""
        gone = [path for path in paths if path[0] == "tool_calls"]
        if not gone or len(gone) < len(listed(raw.get("tool_calls"))):
            return list(paths)
        return [*(path for path in paths if path[0] != "tool_calls"), ("tool_calls",)]

    def body_path(self, raw: Raw, part: Part) -> Path:
        """The message's content."""
        del raw, part
        return ("content",)

    def error_result(self, call: Part, text: str) -> dict[str, Any]:
        """A tool message for the call."""
        if call.path == (_OLD_CALL,):
            return {"role": "function", "name": call.name, "content": text}
        return {"role": "tool", "tool_call_id": call.id, "content": text}

    def arguments(self, raw: Raw, call: Part) -> Any:
        """The ``arguments`` of the function as the string they are, or the ``input`` of a custom tool."""
        fields = plain(value_at(raw, call.path)) or {}
        inner = plain(fields.get("function")) or plain(fields.get("custom")) or fields
        return inner.get("arguments", inner.get("input"))

    def call_entry(self, call_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """A message with one call and no text."""
        function = {"name": name, "arguments": json.dumps(arguments)}
        calls = [{"id": call_id, "type": "function", "function": function}]
        return {"role": "assistant", "content": "", "tool_calls": calls}

    def result_of(self, call_id: str | None, name: str, text: str) -> dict[str, Any]:
        """A tool message; one of the old kind for a call without an id."""
        if call_id is None:
            return {"role": "function", "name": name, "content": text}
        return {"role": "tool", "tool_call_id": call_id, "content": text}

    def own_result_entries(self) -> bool:
        """Each result is a message."""
        return True


def _called(call: Raw) -> str | None:
    function = plain(call.get("function")) or plain(call.get("custom")) or {}
    return word(function.get("name"))
