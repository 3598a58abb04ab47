"""What counts as an answer of a model: calls of known clients, and arguments of their classes.

Names are those that the SDKs document; a call counts by the end of its dotted name, whatever the client is called.
"""

from __future__ import annotations

from typing import Final

__all__ = ["CARRIES", "CLASSES", "ENDINGS", "FUNCTIONS", "INERT", "PLAIN_CALLS", "VISIBLE", "is_source"]

ENDINGS: Final = (
    "messages.create",
    "messages.parse",
    "messages.stream",
    "completions.create",
    "completions.parse",
    "completions.stream",
    "responses.create",
    "responses.parse",
    "responses.stream",
    "models.generate_content",
    "models.generate_content_stream",
    "interactions.create",
    "chat.complete",
    "get_final_message",
    "get_final_response",
    "get_final_completion",
    "converse",
    "converse_stream",
)
"""Methods of the Anthropic, OpenAI, Google and Mistral SDKs, and of boto3's Bedrock client."""

FUNCTIONS: Final = frozenset(
    (
        "litellm.completion",
        "litellm.acompletion",
        "litellm.responses",
        "litellm.aresponses",
        "ollama.chat",
        "ollama.generate",
        "agents.Runner.run",
        "agents.Runner.run_sync",
    )
)

CLASSES: Final = (
    "anthropic.types.",
    "openai.types.chat.",
    "openai.types.responses.",
    "langchain_core.messages.AIMessage",
    "pydantic_ai.messages.ModelResponse",
    "google.genai.types.GenerateContentResponse",
)
"""Beginnings of the classes whose instances are answers, where a parameter is annotated with one."""

VISIBLE: Final = frozenset(
    (
        "created",
        "created_at",
        "finish_reason",
        "id",
        "model",
        "name",
        "object",
        "output_text",
        "refusal",
        "role",
        "status",
        "stop_reason",
        "stop_sequence",
        "text",
        "tool_use_id",
        "total_tokens",
        "type",
        "usage",
    )
)
"""Members of an answer that are no reasoning; ``text`` and ``output_text`` are what a reader is meant to see."""

INERT: Final = frozenset(("count", "endswith", "index", "isdigit", "keys", "startswith"))
"""Methods of an answer that give nothing of it."""

CARRIES: Final = frozenset(
    (
        "copy.copy",
        "copy.deepcopy",
        "dataclasses.asdict",
        "dict",
        "enumerate",
        "json.dumps",
        "list",
        "orjson.dumps",
        "repr",
        "reversed",
        "set",
        "sorted",
        "str",
        "tuple",
        "zip",
    )
)
"""Functions that give what they were given."""

PLAIN_CALLS: Final = frozenset(("append", "extend", "insert", "add", "update", "put", "setdefault"))
"""Methods that put their arguments into the object they are called on."""


def is_source(dotted: str) -> bool:
    """Whether a call of this dotted name gives an answer of a model."""
    return dotted in FUNCTIONS or any(dotted == end or dotted.endswith(f".{end}") for end in ENDINGS)
