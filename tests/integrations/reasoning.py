"""Payloads whose reasoning is one canary, in the forms in which it reaches a log call or a span."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from reticent.testing import leaks

VISIBLE = "the parcel is in Hamburg"


@dataclass
class ThinkingBlock:
    """A block as SDKs print it."""

    thinking: str
    signature: str = "c2ln"
    type: str = "thinking"


class Client:
    """An object without a JSON form whose repr shows what it holds."""

    def __init__(self, held: object) -> None:
        """Hold ``held``."""
        self.held = held
        self.lock = object()

    def __repr__(self) -> str:
        """Show what is held, as many clients do."""
        return f"Client(last={self.held!r})"


class Broken:
    """An object whose own methods fail, and say why."""

    def __init__(self, secret: str) -> None:
        """Hold ``secret``."""
        self.secret = secret

    def __repr__(self) -> str:
        """Fail with the secret in the error."""
        raise ValueError(f"ThinkingBlock(thinking={self.secret!r}, type='thinking')")


def message(canary: str) -> dict[str, Any]:
    """An answer in the shape of the Anthropic API with one block of reasoning."""
    return {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": f"{canary} first", "signature": f"{canary}sig"},
            {"type": "text", "text": VISIBLE},
        ],
    }


def forms(canary: str) -> dict[str, Any]:
    """The same reasoning as dictionary, JSON, repr, tagged text, SDK object, and hidden in a client."""
    return {
        "dict": message(canary),
        "list": [message(canary)],
        "json": json.dumps(message(canary)),
        "json in json": json.dumps({"body": json.dumps(message(canary))}),
        "cut short": json.dumps(message(canary))[:90],
        "repr": repr(ThinkingBlock(canary)),
        "tags": f"<think>{canary}</think>{VISIBLE}",
        "object": ThinkingBlock(canary),
        "client": Client(ThinkingBlock(canary)),
        "client in a dict": {"client": Client(ThinkingBlock(canary)), "note": VISIBLE},
    }


FORMS = tuple(forms(""))


def clean(output: object, *canaries: str) -> bool:
    """Whether no spelling of ``output`` holds a canary."""
    text = output if isinstance(output, str | bytes) else repr(output)
    return not leaks(text, *canaries)


def cycle(canary: str) -> dict[str, Any]:
    """A value that contains itself, and reasoning."""
    value: dict[str, Any] = message(canary)
    value["self"] = value
    return value


def deep(canary: str) -> dict[str, Any]:
    """A value that is nested deeper than any limit, with reasoning at the bottom."""
    value: dict[str, Any] = message(canary)
    for _ in range(2_000):
        value = {"inner": value}
    return value
