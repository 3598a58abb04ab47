"""A request body as a :class:`Request`: its messages, and whatever it says of tools and system text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from reticent.history.fold.request import Request
from reticent.history.shapes._shape import listed, plain

if TYPE_CHECKING:
    from reticent.history.document import Document

_SYSTEM = ("system", "instructions", "systemInstruction", "system_instruction")


def request_of(document: Document) -> Request:
    """The request that a document is; where it is a bare list of entries, nobody says which tools are declared."""
    body = _body(document)
    if body is None:
        return Request(messages=document.entries, tools=None)
    config = plain(body.get("toolConfig")) or {}
    tools = [*listed(body.get("tools")), *listed(config.get("tools"))]
    system = next((body[key] for key in _SYSTEM if body.get(key) is not None), None)
    return Request(messages=document.entries, tools=tools, system=system)


def _body(document: Document) -> dict[str, Any] | None:
    if document.lines or not document.text.lstrip().startswith("{"):
        return None
    body: Any = json.loads(document.text)
    return body if isinstance(body, dict) else None
