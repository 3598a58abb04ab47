"""A whole request as it is sent: messages, tools and system text. Its size is measured as one envelope.

Before and after a fold the same envelope is compared, tools and all, or a growth could hide in what was left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from reticent.history.changes import encode

CHARS_PER_TOKEN = 4.0
"""What a token is taken for where the caller names nothing, or nothing that makes sense."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request. ``system`` is what the API takes beside the messages; it may be text or blocks.

    ``tools`` is None where nobody says which are declared; then the history's own calls say how they are played.
    """

    messages: Sequence[Any] = field(repr=False)
    tools: Sequence[Any] | None = field(default=(), repr=False)
    system: Any = field(default=None, repr=False)

    @property
    def size(self) -> int:
        """Characters of the serialised ``{messages, tools, system}``."""
        envelope = {"messages": list(self.messages), "tools": list(self.tools or ()), "system": self.system}
        return len(encode(envelope).decode("utf-8", "surrogatepass"))

    def tokens(self, chars_per_token: float = CHARS_PER_TOKEN) -> float:
        """The size in tokens, not rounded."""
        per_token = chars_per_token if chars_per_token > 0 else CHARS_PER_TOKEN
        return self.size / per_token

    def with_messages(self, messages: Sequence[Any]) -> Request:
        """The same request with other messages."""
        return replace(self, messages=messages)
