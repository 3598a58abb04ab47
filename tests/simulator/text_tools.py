"""Tools played in plain text over Chat Completions, and what a provider says to a request without tools."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.simulator.dialects import ChatRenderer, render
from tests.simulator.providers import Refused, accept
from tests.simulator.render import Rendered, Signals

if TYPE_CHECKING:
    from tests.simulator.runs import Results, Run, Turn

TEXT = "text tools"
"""Names the mode beside the five dialects."""


class TextToolsRenderer(ChatRenderer):
    """Calls as JSON in the assistant's text, results as user messages with a prefix."""

    def turn(self, turn: Turn) -> list[dict[str, Any]]:
        """A model turn."""
        calls = [json.dumps({"tool": call.name, "id": call.id, **json.loads(call.args)}) for call in turn.calls]
        message = {"role": "assistant", "content": "\n".join([turn.text, *calls]).strip()}
        return [message | self.labels(turn, "finish_reason", self.WORDS)]

    def results(self, event: Results) -> list[dict[str, Any]]:
        """Tool results."""
        texts = [f"Tool Output ({call.name}): {body}" for call, body in event.bodies]
        return [self.user(text) for text in [*texts, *([event.steer] if event.steer else [])]]


def rendered(run: Run, mode: str) -> Rendered:
    """A run in one of the five dialects, or with its tools in plain text."""
    if mode == TEXT:
        return TextToolsRenderer(signals=Signals(), dialect="openai-chat").render(run)
    return render(run, mode)


def refusal(
    profile: str, dialect: str, sent: list[dict[str, Any]], issued: list[dict[str, Any]], *, tools: bool
) -> str | None:
    """What the provider has against a request; one without tools takes no tool roles and no calls."""
    try:
        accept(profile, dialect, sent, issued)
    except Refused as error:
        return str(error)
    roles = any(entry.get("role") == "tool" or "tool_calls" in entry for entry in sent)
    return "tool-roles-without-tools" if roles and not tools else None
