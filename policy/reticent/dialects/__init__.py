"""Wire shapes of reasoning, one file each, loaded when a plan first needs them.

To add one in this repository: its section in ``kinds.yaml``, a module with a ``DIALECT``, its name in ``BUILTIN``,
vectors in ``tests/conformance/<id>/`` and a page in ``docs/dialects/``; ``reticent new dialect`` lays the files out. A
package adds one through the entry point group ``reticent.dialects``, whose entries point at a ``Dialect``.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Final

from reticent.dialects._dialect import Dialect, Hook, Walker
from reticent.dialects._rules import Kinds, parse_section, vocabulary_version
from reticent.errors import ConfigurationError, UnknownDialect

__all__ = [
    "BUILTIN",
    "ENTRY_POINTS",
    "Dialect",
    "Hook",
    "Kinds",
    "Walker",
    "all_dialects",
    "get_dialect",
    "parse_section",
    "recognise",
    "vocabulary_version",
]

ENTRY_POINTS: Final = "reticent.dialects"

BUILTIN: Final = (
    "claude-agent-sdk",
    "claude-code",
    "google-adk",
    "strands-agents",
    "bedrock-agents",
    "bedrock-invoke-model",
    "anthropic-betas",
    "anthropic-messages",
    "openai-agents-sdk",
    "codex",
    "chatgpt-export",
    "openai-agents-api",
    "openai-responses",
    "cohere",
    "mistral",
    "ollama",
    "xai",
    "hosted-wrappers",
    "gateways",
    "litellm",
    "openai-chat",
    "openrouter",
    "harmony",
    "inline-tags",
    "gemini-interactions",
    "gemini",
    "gemini-openai",
    "bedrock-converse",
    "langchain",
    "langchain-v1",
    "llamaindex",
    "pydantic-ai",
    "ag-ui",
    "vercel-ai-sdk-v4",
    "vercel-ai-sdk",
    "acp",
    "a2a",
    "mcp",
    "openinference",
    "otel-genai",
    "langfuse",
    "exporters",
    "agent-sessions",
    "text-servers",
    "frameworks",
    "python-repr",
)
"""Ids of the dialects that ship with reticent, most specific first: the order in which a payload is named."""


@cache
def all_dialects() -> tuple[Dialect, ...]:
    """Every dialect: those that ship with reticent, then those of installed packages.

    Raises:
        ConfigurationError: a package's entry point does not load, or claims an id that is taken.
    """
    found = {name: _builtin(name) for name in BUILTIN}
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name):
        dialect = _load(entry.name, entry)
        if dialect.id in found:
            raise ConfigurationError(f"dialect {dialect.id!r} of entry point {entry.name!r} is already there")
        found[dialect.id] = dialect
    return tuple(found.values())


def get_dialect(name: str) -> Dialect:
    """The dialect with this id.

    Raises:
        UnknownDialect: nobody registered it.
    """
    for dialect in all_dialects():
        if dialect.id == name:
            return dialect
    raise UnknownDialect(name, [dialect.id for dialect in all_dialects()])


def recognise(value: Any) -> str | None:
    """The id of the dialect that a parsed payload is at its root, or None."""
    for dialect in all_dialects():
        if dialect.recognise(value):
            return dialect.id
    return None


def _builtin(name: str) -> Dialect:
    dialect: Dialect = import_module(f"reticent.dialects.{name.replace('-', '_')}").DIALECT
    return dialect


def _load(name: str, entry: Any) -> Dialect:
    try:
        dialect = entry.load()
    except Exception as error:
        raise ConfigurationError(f"entry point {name!r} does not load: {type(error).__name__}") from error
    if not isinstance(dialect, Dialect):
        raise ConfigurationError(f"entry point {name!r} does not point at a Dialect")
    return dialect
