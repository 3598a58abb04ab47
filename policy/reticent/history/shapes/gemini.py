"""Gemini ``generateContent``: roles user and model, parts without a type, signatures on any part.

https://ai.google.dev/gemini-api/docs/thought-signatures
"""

from __future__ import annotations

from typing import Any

from reticent.history.entries import Context, Part, PartKind, Path, Raw, Role
from reticent.history.shapes._shape import Read, Shape, is_blank, listed, plain, stop_word, value_at, word


def call_key(fields: Raw) -> str:
    """The member of a part that holds its call."""
    return next((key for key in ("functionCall", "function_call", "executableCode") if key in fields), "")


def _strange(fields: Raw) -> str | None:
    return next(iter(fields), None)


_IN_ORDER = "code execution"
"""``executableCode`` and ``codeExecutionResult`` name nothing; they answer each other in order."""


class Gemini(Shape):
    """Contents as Gemini takes them."""

    content = "parts"

    def look(self, raw: Raw, context: Context) -> Read:
        """Role, parts with their signatures, and finish reason."""
        del context
        role = self.facts.roles.get(str(raw.get("role") or "user"), Role.UNKNOWN)
        if role is Role.SYSTEM:
            return Read(role, [Part(PartKind.CONTROL, ())])
        parts: list[Part] = []
        for index, value in enumerate(listed(raw.get("parts"))):
            parts += self._parts(value, ("parts", index))
        return Read(role, parts, stop_word(raw))

    def _parts(self, value: Any, path: Path) -> list[Part]:
        fields = plain(value)
        if fields is None:
            return [Part(PartKind.UNKNOWN, path)]
        signature = next((key for key in self.facts.attributes if fields.get(key) is not None), None)
        key = next((key for key in fields if self.facts.part(key) is not None), None)
        if fields.get("thought") is True or self._only_signed(fields, key, signature):
            return [Part(PartKind.REASONING, path, signed=signature is not None)]
        own = Part(PartKind.UNKNOWN, path, name=_strange(fields)) if key is None else self._known(key, fields, path)
        if signature is None:
            return [own]
        return [own, Part(PartKind.REASONING, (*path, signature), name=signature, signed=True)]

    def _only_signed(self, fields: Raw, key: str | None, signature: str | None) -> bool:
        """A part that holds a signature and no visible character: the last chunk of a stream."""
        return signature is not None and (key is None or (key == "text" and is_blank(fields["text"])))

    def _known(self, key: str, fields: Raw, path: Path) -> Part:
        fact = self.facts.parts[key]
        part = Part(fact.kind, path, name=key, server=fact.server)
        if fact.kind is PartKind.TEXT:
            return part._replace(blank=is_blank(fields[key]))
        inner = plain(fields[key]) or {}
        if fact.kind in {PartKind.CALL, PartKind.RESULT}:
            interim = inner.get("willContinue", inner.get("will_continue")) is True
            name = word(inner.get("name")) or _IN_ORDER
            return part._replace(id=word(inner.get("id")), name=name, final=not interim)
        return part

    def text_part(self, text: str) -> dict[str, Any]:
        """A text part."""
        return {"text": text}

    def assistant_entry(self, text: str) -> dict[str, Any]:
        """A model entry without a signature."""
        return {"role": "model", "parts": [{"text": text}]}

    def body_path(self, raw: Raw, part: Part) -> Path:
        """The ``response`` of the ``functionResponse``."""
        fields = plain(value_at(raw, part.path)) or {}
        key = next(key for key in fields if self.facts.part(key) is not None)
        return (*part.path, key, "response")

    def body_of(self, value: Any, text: str) -> Any:
        """Gemini takes an object here."""
        del value
        return {"output": text}

    def error_result(self, call: Part, text: str) -> dict[str, Any]:
        """A ``functionResponse`` part that holds an error."""
        inner: dict[str, Any] = {"name": call.name, "response": {"error": text}}
        return {"functionResponse": inner if call.id is None else {"id": call.id, **inner}}

    def arguments(self, raw: Raw, call: Part) -> Any:
        """The ``args`` of the ``functionCall``; code is its own argument."""
        fields = plain(value_at(raw, call.path)) or {}
        inner = plain(fields.get(call_key(fields))) or {}
        return inner.get("args", inner)

    def call_entry(self, call_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """A model entry with one ``functionCall``; calls of earlier turns need no signature."""
        return {"role": "model", "parts": [{"functionCall": {"id": call_id, "name": name, "args": arguments}}]}

    def result_of(self, call_id: str | None, name: str, text: str) -> dict[str, Any]:
        """A ``functionResponse`` part."""
        inner: dict[str, Any] = {"name": name, "response": {"output": text}}
        return {"functionResponse": inner if call_id is None else {"id": call_id, **inner}}
