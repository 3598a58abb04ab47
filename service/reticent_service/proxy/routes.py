"""Which requests are turns of a model, by their path; everything else is carried.

The end of a path tells, since servers that speak one protocol put different things in front of it: ``/v1/responses``,
``/openai/v1/responses``, ``/api/v1/chat/completions``. A path that hides what it is costs its client the way back: its
answer is stripped all the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

Family = Literal["anthropic", "openai", "openai-responses", "google"]


@dataclass(frozen=True, slots=True)
class Route:
    """A turn: its dialect, the family whose errors its clients read, and whether JSON is a stream of chunks."""

    dialect: str
    family: Family
    chunks: bool = False


_MESSAGES: Final = Route("anthropic-messages", "anthropic")
_RESPONSES: Final = Route("openai-responses", "openai-responses")
_CHAT: Final = Route("openai-chat", "openai")
_GEMINI: Final = Route("gemini", "google")
_GEMINI_CHUNKS: Final = Route("gemini", "google", chunks=True)

_ENDS: Final = (
    (re.compile(r"/v1/messages$"), _MESSAGES),
    (re.compile(r"/responses$"), _RESPONSES),
    (re.compile(r"/chat/completions$"), _CHAT),
    (re.compile(r"/models/[^/]+:generateContent$"), _GEMINI),
    (re.compile(r"/models/[^/]+:streamGenerateContent$"), _GEMINI_CHUNKS),
)


def route_of(method: str, path: str) -> Route | None:
    """The turn that a request asks for; None for everything else. ``path`` is decoded."""
    if method != "POST":
        return None
    return next((route for end, route in _ENDS if end.search(path)), None)


def model_of(path: str, body: dict[str, object]) -> str | None:
    """The model that a request names, in its body or, as with Gemini, in its path."""
    named = body.get("model")
    if isinstance(named, str):
        return named
    found = re.search(r"/models/([^/:]+):", path)
    return found[1] if found else None
