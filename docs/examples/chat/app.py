"""The application: a chat for customers, a console for support.

``uvicorn --app-dir docs/examples chat.app:create_app --factory``
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, TextIO

import httpx2
from anthropic import AsyncAnthropic
from fastapi import FastAPI
from fastapi.responses import JSONResponse, StreamingResponse  # noqa: F401 - what routes without a guard would use
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic import BaseModel

from chat import agent, telemetry
from chat.provider import Provider
from chat.store import Store
from reticent.integrations.anthropic_client import round_trip
from reticent.integrations.starlette import json_response, stream_response

PAGE = Path(__file__).with_name("page.html")
Console = json_response("support_console")
Browser = stream_response("browser_stream")


class Said(BaseModel):
    """What a customer says."""

    text: str


def create_app(
    folder: Path | None = None,
    *,
    provider: Provider | None = None,
    spans: InMemorySpanExporter | None = None,
    out: TextIO = sys.stderr,
) -> FastAPI:
    """The application; databases in ``folder``, logs to ``out``, spans to ``spans``, answers from ``provider``."""
    telemetry.configure_logs(out)
    telemetry.configure_traces(spans or InMemorySpanExporter())
    store = Store(folder or Path(tempfile.mkdtemp()))
    http = httpx2.AsyncClient(transport=provider or Provider())
    client = round_trip(AsyncAnthropic(api_key="none", http_client=http), "provider_roundtrip")
    app = FastAPI(title="chat")

    async def turn(conversation: str, history: list[Any]) -> AsyncIterator[bytes]:
        """Go on with a conversation; what waits for approval is put aside, what is done is stored."""
        known = len(history)
        async for piece in agent.answer(client, history):
            yield piece
        for message in history[known:]:
            store.say(conversation, message)
        if agent.open_call(history):
            store.wait(conversation, history)
        else:
            store.done(conversation)

    @app.post("/chat/{conversation}", response_class=Browser)
    async def chat(conversation: str, said: Said) -> Any:
        """Say something, and get the answer as a stream."""
        message = {"role": "user", "content": said.text}
        history = [*store.said(conversation), message]
        store.say(conversation, message)
        return Browser(turn(conversation, history), media_type="text/event-stream")

    @app.post("/support/{conversation}/approve", response_class=Browser)
    async def approve(conversation: str) -> Any:
        """Approve what waits; the customer's stream goes on."""
        history = store.waiting(conversation)
        result = agent.approved(agent.open_call(history) or "")
        store.say(conversation, result)
        return Browser(turn(conversation, [*history, result]), media_type="text/event-stream")

    @app.get("/support/{conversation}", response_class=Console)
    async def console(conversation: str) -> Any:
        """What support staff see: the conversation, and the task that waits for them."""
        return {"conversation": store.said(conversation), "waiting": store.waiting(conversation)}

    @app.get("/", response_class=Browser)
    async def page() -> Any:
        """The page in the customer's browser."""
        return Browser(iter([PAGE.read_bytes()]), media_type="text/html")

    return app
