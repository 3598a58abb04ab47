"""The five dialects that abstract runs are rendered in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from tests.simulator.render import Rendered, Renderer, Signals, call_seal, seal

if TYPE_CHECKING:
    from tests.simulator.runs import Results, Run, Standing, Turn


class AnthropicRenderer(Renderer):
    """Anthropic Messages."""

    WORDS: ClassVar = {"natural": "end_turn", "tool": "tool_use", "continue": "max_tokens", "refused": "refusal"}

    def user(self, text: str) -> dict[str, Any]:
        """User text."""
        return {"role": "user", "content": [{"type": "text", "text": text}]}

    def turn(self, turn: Turn) -> list[dict[str, Any]]:
        """A model turn."""
        content: list[dict[str, Any]] = []
        if turn.reasoning:
            sig = self.thinking(turn.reasoning)
            content.append({"type": "thinking", "thinking": turn.reasoning, "signature": sig})
        if turn.strange:
            content.append({"type": "reasoning_v9", "blob": turn.strange})
        if turn.server:
            used = {"type": "server_tool_use", "id": turn.server.id, "name": turn.server.name, "input": {}}
            content += [used, {"type": "web_search_tool_result", "tool_use_id": turn.server.id, "content": []}]
        if turn.text:
            content.append({"type": "text", "text": turn.text})
        content += [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": json.loads(call.args)}
            for call in turn.calls
        ]
        return [{"role": "assistant", "content": content} | self.labels(turn, "stop_reason", self.WORDS)]

    def results(self, event: Results) -> list[dict[str, Any]]:
        """Tool results."""
        content: list[dict[str, Any]] = [
            {"type": "tool_result", "tool_use_id": call.id, "content": body} for call, body in event.bodies
        ]
        return [{"role": "user", "content": content + ([{"type": "text", "text": event.steer}] if event.steer else [])}]


class ResponsesRenderer(Renderer):
    """OpenAI Responses."""

    WORDS: ClassVar = {
        "natural": "completed",
        "tool": "completed",
        "continue": "incomplete",
        "refused": "content_filter",
    }

    def user(self, text: str) -> dict[str, Any]:
        """User text."""
        return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}

    def standing(self, event: Standing) -> list[dict[str, Any]]:
        """System text."""
        return [{"type": "message", "role": "developer", "content": event.text}]

    def turn(self, turn: Turn) -> list[dict[str, Any]]:
        """A model turn."""
        items: list[dict[str, Any]] = []
        ids: dict[str, Any] = {}
        if turn.reasoning:
            self.blocks += 1
            rs = f"rs_{self.blocks}"
            items.append(
                {
                    "type": "reasoning",
                    "id": rs,
                    "summary": [],
                    "encrypted_content": f"{turn.reasoning}.{seal(rs, turn.reasoning)}",
                }
            )
            ids = {"id": f"item_{self.blocks}"}
        if turn.strange:
            items.append({"type": "citation_trail", "blob": turn.strange})
        if turn.text:
            message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": turn.text}]}
            items.append(message | ids)
        for index, call in enumerate(turn.calls):
            own = {"id": f"{ids['id']}_{index}"} if ids else {}
            items.append({"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.args} | own)
        labels = self.labels(turn, "stop_reason", self.WORDS)
        if items and turn.stop != "tool":
            items[-1] |= labels
        return items

    def results(self, event: Results) -> list[dict[str, Any]]:
        """Tool results."""
        items = [{"type": "function_call_output", "call_id": call.id, "output": body} for call, body in event.bodies]
        return items + ([self.user(event.steer)] if event.steer else [])


class ChatRenderer(Renderer):
    """Chat Completions with ``reasoning_content``."""

    WORDS: ClassVar = {"natural": "stop", "tool": "tool_calls", "continue": "length", "refused": "content_filter"}

    def user(self, text: str) -> dict[str, Any]:
        """User text."""
        return {"role": "user", "content": text}

    def standing(self, event: Standing) -> list[dict[str, Any]]:
        """System text."""
        return [{"role": "system", "content": event.text}]

    def turn(self, turn: Turn) -> list[dict[str, Any]]:
        """A model turn."""
        message: dict[str, Any] = {"role": "assistant", "content": turn.text}
        if turn.reasoning:
            message["reasoning_content"] = turn.reasoning
        if turn.strange:
            message["afterword"] = turn.strange
        if turn.calls:
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.args}}
                for call in turn.calls
            ]
        return [message | self.labels(turn, "finish_reason", self.WORDS)]

    def results(self, event: Results) -> list[dict[str, Any]]:
        """Tool results."""
        messages = [{"role": "tool", "tool_call_id": call.id, "content": body} for call, body in event.bodies]
        return messages + ([self.user(event.steer)] if event.steer else [])


class GeminiRenderer(Renderer):
    """Gemini: signatures on the first call of a step, and on the text of a turn."""

    WORDS: ClassVar = {"natural": "STOP", "tool": "STOP", "continue": "MAX_TOKENS", "refused": "SAFETY"}

    def user(self, text: str) -> dict[str, Any]:
        """User text."""
        return {"role": "user", "parts": [{"text": text}]}

    def turn(self, turn: Turn) -> list[dict[str, Any]]:
        """A model turn."""
        parts: list[dict[str, Any]] = []
        if turn.reasoning:
            parts.append({"text": turn.reasoning, "thought": True})
        if turn.strange:
            parts.append({"hologram": turn.strange})
        if turn.text:
            signed = not turn.calls
            parts.append({"text": turn.text} | ({"thoughtSignature": seal("text", turn.text)} if signed else {}))
        for index, call in enumerate(turn.calls):
            inner = {"id": call.id, "name": call.name, "args": json.loads(call.args)}
            parts.append({"functionCall": inner} | ({} if index else {"thoughtSignature": call_seal(inner)}))
        return [{"role": "model", "parts": parts} | self.labels(turn, "finishReason", self.WORDS)]

    def results(self, event: Results) -> list[dict[str, Any]]:
        """Tool results."""
        parts: list[dict[str, Any]] = [
            {"functionResponse": {"id": call.id, "name": call.name, "response": {"v": body}}}
            for call, body in event.bodies
        ]
        return [{"role": "user", "parts": parts + ([{"text": event.steer}] if event.steer else [])}]


class BedrockRenderer(Renderer):
    """Bedrock Converse with a Claude model."""

    WORDS: ClassVar = {
        "natural": "end_turn",
        "tool": "tool_use",
        "continue": "max_tokens",
        "refused": "guardrail_intervened",
    }

    def user(self, text: str) -> dict[str, Any]:
        """User text."""
        return {"role": "user", "content": [{"text": text}]}

    def turn(self, turn: Turn) -> list[dict[str, Any]]:
        """A model turn."""
        content: list[dict[str, Any]] = []
        if turn.reasoning:
            inner = {"text": turn.reasoning, "signature": self.thinking(turn.reasoning)}
            content.append({"reasoningContent": {"reasoningText": inner}})
        if turn.strange:
            content.append({"hologram": {"blob": turn.strange}})
        if turn.text:
            content.append({"text": turn.text})
        content += [
            {"toolUse": {"toolUseId": call.id, "name": call.name, "input": json.loads(call.args)}}
            for call in turn.calls
        ]
        return [{"role": "assistant", "content": content} | self.labels(turn, "stopReason", self.WORDS)]

    def results(self, event: Results) -> list[dict[str, Any]]:
        """Tool results."""
        content: list[dict[str, Any]] = [
            {"toolResult": {"toolUseId": call.id, "content": [{"text": body}]}} for call, body in event.bodies
        ]
        return [{"role": "user", "content": content + ([{"text": event.steer}] if event.steer else [])}]


RENDERERS: dict[str, type[Renderer]] = {
    "anthropic-messages": AnthropicRenderer,
    "openai-responses": ResponsesRenderer,
    "openai-chat": ChatRenderer,
    "gemini": GeminiRenderer,
    "bedrock-converse": BedrockRenderer,
}


def render(run: Run, dialect: str, signals: Signals | None = None) -> Rendered:
    """A run in one dialect."""
    return RENDERERS[dialect](signals=signals or Signals(), dialect=dialect).render(run)
