"""What every accumulator can do, and which there are."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final, Protocol, cast

from reticent.errors import UnknownDialect

__all__ = ["DIALECTS", "Accumulator", "open_accumulator"]

_MODULES: Final = {
    "anthropic-messages": "anthropic_messages",
    "openai-responses": "openai_responses",
    "openai-chat": "openai_chat",
    "gemini": "gemini",
}

DIALECTS: Final = tuple(_MODULES)
"""Ids of the dialects whose streams can be put together; clones of Chat Completions are ``openai-chat``."""


class Accumulator(Protocol):
    """Puts the events of one response together."""

    closing: bool
    """Whether an event has told how the response ends; from there on only usage and terminators follow."""
    ended: bool
    """Whether the event that ends the response has come."""
    failure: str
    """The producer's own word for an error that it sent inside the stream; empty when there was none."""

    def event(self, event: dict[str, Any]) -> None:
        """Take the next event, a parsed payload."""
        ...

    def done(self) -> None:
        """Take note of a terminator that is no JSON (``[DONE]``)."""
        ...

    def whole(self) -> dict[str, Any]:
        """The response as far as it came, in the shape of one that was not streamed."""
        ...


def open_accumulator(dialect: str) -> Accumulator:
    """An accumulator for one response.

    Raises:
        UnknownDialect: streams of this dialect cannot be put together.
    """
    if dialect not in _MODULES:
        raise UnknownDialect(dialect, DIALECTS)
    module = import_module(f"reticent.store.accumulate.{_MODULES[dialect]}")
    return cast("Accumulator", module.Response())
