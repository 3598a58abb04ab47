"""Response classes and middleware in a real FastAPI application."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from anthropic.types import Message
from fastapi import FastAPI
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.testclient import TestClient
from sse_starlette import EventSourceResponse
from tests.integrations.reasoning import VISIBLE, clean, cycle, message
from tests.integrations.wires import STREAMS, pieces

from reticent.errors import UnknownSurface
from reticent.integrations.asgi import ReticentMiddleware
from reticent.integrations.starlette import json_response, stream_response
from reticent.testing import canary


def sdk_message(secret: str) -> Message:
    """An answer as the Anthropic SDK gives it."""
    told = {"id": "msg_1", "type": "message", "model": "claude-x", "stop_reason": "end_turn", "stop_sequence": None}
    usage = {"input_tokens": 1, "output_tokens": 1}
    return Message.model_validate({**told, **message(secret), "usage": usage})


def test_an_unknown_surface_fails_at_start() -> None:
    """A response class for a surface that the plan does not have is never made."""
    with pytest.raises(UnknownSurface):
        json_response("console")
    with pytest.raises(UnknownSurface):
        stream_response("browser")


def test_a_route_with_the_response_class_shows_no_reasoning() -> None:
    """What a FastAPI route returns goes out without reasoning, JSON values and SDK objects alike."""
    secret = canary()
    app = FastAPI()
    console = json_response("support_console")

    @app.get("/json", response_class=console)
    def as_json() -> Any:
        return {"conversation": [message(secret)]}

    @app.get("/sdk")
    def as_object() -> Any:
        return console(sdk_message(secret))

    @app.get("/text", response_class=console)
    def as_text() -> Any:
        return f"<think>{secret}</think>hello"

    with TestClient(app) as client:
        answers = [client.get(path) for path in ("/json", "/sdk", "/text")]

    assert all(answer.status_code == 200 and clean(answer.content, secret) for answer in answers)
    assert VISIBLE in answers[0].text
    assert VISIBLE in answers[1].text
    assert "hello" == answers[2].json()


def test_content_that_cannot_be_judged_is_a_problem() -> None:
    """A value that contains itself becomes a problem with status 500 and no content."""
    secret = canary()
    answer = json_response("support_console")(cycle(secret))

    assert 500 == answer.status_code
    assert "application/problem+json" == answer.headers["content-type"]
    assert {"title": "withheld", "status": 500, "code": "cyclic-input"} == json.loads(bytes(answer.body))


@pytest.mark.parametrize("asynchronous", [True, False])
@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_with_the_response_class_shows_no_reasoning(name: str, *, asynchronous: bool) -> None:
    """A streaming response filters what a generator of either kind yields."""
    secret = canary()
    make, kind = STREAMS[name]
    app = FastAPI()
    browser = stream_response("browser_stream")

    def chunks() -> Iterator[bytes]:
        yield from pieces(make(secret), 13)

    async def achunks() -> AsyncIterator[str]:
        for piece in pieces(make(secret), 13):
            yield piece.decode()

    @app.get("/")
    def answer() -> Any:
        return browser(achunks() if asynchronous else chunks(), media_type=kind)

    with TestClient(app) as client:
        got = client.get("/")

    assert clean(got.content, secret)
    assert VISIBLE in got.text
    assert got.headers["content-type"].startswith(kind.partition(";")[0])


def test_middleware_between_compression_and_routes() -> None:
    """With compression outside, clients get compressed answers without reasoning, those of sse-starlette too."""
    secret = canary()
    app = FastAPI()

    @app.get("/json")
    def as_json() -> Any:
        return {"conversation": [message(secret)] * 9}

    @app.get("/events")
    def as_events() -> Any:
        async def events() -> AsyncIterator[dict[str, str]]:
            yield {"data": json.dumps({"type": "reasoning-delta", "id": "r", "delta": secret})}
            yield {"data": json.dumps({"type": "text-delta", "id": "t", "delta": VISIBLE})}

        return EventSourceResponse(events())

    app.add_middleware(ReticentMiddleware, surface="browser_stream")
    app.add_middleware(GZipMiddleware, minimum_size=10)
    with TestClient(app) as client:
        got = client.get("/json", headers={"accept-encoding": "gzip"})
        events = client.get("/events")

    assert "gzip" == got.headers["content-encoding"]
    assert clean(got.content, secret)
    assert VISIBLE in got.text
    assert clean(events.content, secret)
    assert VISIBLE in events.text
