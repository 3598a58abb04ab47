"""Each integration imports its own library and no other's."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

import pytest

LIBRARIES: Final = frozenset(
    (
        "agents",
        "anthropic",
        "django",
        "google.adk",  # `google` alone is a namespace that many share
        "httpx",
        "httpx2",
        "langchain",
        "langchain_core",
        "langgraph",
        "openai",
        "opentelemetry",
        "pydantic_ai",
        "sqlalchemy",
        "starlette",
        "structlog",
    )
)

OWN: Final = {
    "anthropic_client": set[str](),
    "asgi": set[str](),
    "django": {"django"},
    "google_adk": {"google.adk", "httpx", "httpx2", "opentelemetry", "starlette", "anthropic", "sqlalchemy"},
    "httpx": set[str](),
    "iterators": set[str](),
    "langchain": {"langchain", "langchain_core", "langgraph", "httpx", "httpx2", "opentelemetry"},
    "langgraph_checkpoint": {"langchain_core", "langgraph", "httpx", "httpx2", "opentelemetry"},
    "openai_agents": {"agents", "openai", "httpx", "httpx2", "starlette", "opentelemetry"},
    "openai_agents_session": set[str](),
    "openai_client": set[str](),
    "pydantic_ai": {"pydantic_ai", "httpx", "httpx2", "opentelemetry"},
    "sqlalchemy": {"sqlalchemy"},
    "starlette": {"starlette"},
    "values": set[str](),
    "wsgi": set[str](),
}
"""Integrations, and the libraries that theirs bring along."""


@pytest.mark.parametrize("name", OWN)
def test_an_integration_loads_its_own_library_only(name: str) -> None:
    """Importing an integration loads what it serves and what that needs; those that serve a protocol load nothing."""
    code = f"import reticent.integrations.{name}; print(*sys.modules)"
    path = [entry for entry in sys.path if entry]
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}; {code}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)  # noqa: S603 - our own line

    loaded = {module if module.startswith("google.") else module.partition(".")[0] for module in done.stdout.split()}
    assert OWN[name] >= LIBRARIES & loaded
