"""Failures over HTTP: one shape, the right status, and nothing of what was sent."""

from __future__ import annotations

import logging
import secrets
from contextlib import asynccontextmanager
from inspect import isclass
from typing import TYPE_CHECKING

import pytest
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from fastapi.testclient import TestClient
from pydantic import BaseModel

from reticent import errors
from reticent_service import problems

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator


class Body(BaseModel):
    """A request body with one field."""

    size: int


PUBLIC_ERRORS = [
    kind
    for kind in vars(errors).values()
    if isclass(kind) and issubclass(kind, errors.ReticentError) and not kind.__name__.startswith("_")
]


def build(kind: type[errors.ReticentError]) -> errors.ReticentError:
    """Make one error of ``kind``."""
    if issubclass(kind, errors.TableError):
        return kind([errors.Fault("t.yaml", 3, 5, "surfaces.logs", "unknown-key", "unknown key 'flow'", "flows")])
    if hasattr(kind, "kind"):
        return kind("lgos", ["logs"])
    return kind("said plainly")


def serve(error: Exception) -> FastAPI:
    """Build an application whose only path raises ``error``."""
    app = FastAPI()
    problems.install(app)

    @app.get("/raise")
    async def fail() -> None:
        """Raise."""
        raise error

    @app.post("/body")
    async def body(body: Body) -> None:
        """Take a body."""

    return app


@pytest.mark.parametrize("kind", PUBLIC_ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_is_a_problem(kind: type[errors.ReticentError]) -> None:
    """Each error of the tree becomes a problem document that carries its code."""
    response = TestClient(serve(build(kind))).get("/raise")

    assert problems.MEDIA_TYPE == response.headers["content-type"]
    assert problems.TYPE_PREFIX + kind.code == response.json()["type"]
    assert response.status_code == response.json()["status"]
    assert response.status_code >= 400


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (errors.UnknownSurface, 404),
        (errors.UnknownDialect, 400),
        (errors.TableError, 422),
        (errors.PlanError, 500),
        (errors.EngineUnavailable, 503),
        (errors.MalformedInput, 422),
        (errors.InputTooLarge, 413),
        (errors.DialectFailure, 500),
    ],
)
def test_status_says_whose_fault_it_is(kind: type[errors.ReticentError], status: int) -> None:
    """The caller's faults are 4xx, ours are 5xx, and an engine that is away is 503."""
    assert status == TestClient(serve(build(kind))).get("/raise").status_code


def test_table_faults_are_listed() -> None:
    """A table error carries each fault with its place."""
    response = TestClient(serve(build(errors.TableError))).get("/raise")

    assert [("t.yaml", 3, 5)] == [(f["file"], f["line"], f["column"]) for f in response.json()["faults"]]


def test_invalid_body_is_not_repeated() -> None:
    """A body that fails validation is answered with the rule it broke and none of its text."""
    canary = secrets.token_hex(8)

    response = TestClient(serve(ValueError())).post("/body", json={canary: canary, "size": canary})

    assert 422 == response.status_code
    assert [{"in": "body", "rule": "int_parsing"}] == response.json()["faults"]
    assert canary not in response.text


def test_unknown_path_is_a_problem() -> None:
    """The framework's own errors take the same shape and keep their headers."""
    client = TestClient(serve(ValueError()))

    assert problems.TYPE_PREFIX + "http-404" == client.get("/nowhere").json()["type"]
    assert "GET" == client.post("/raise").headers["allow"]


def test_crash_is_neither_shown_nor_logged(caplog: pytest.LogCaptureFixture) -> None:
    """An unforeseen exception is a 500, and its message reaches neither the client nor the log."""
    canary = secrets.token_hex(8)

    with caplog.at_level(logging.DEBUG):
        response = TestClient(serve(ValueError(canary))).get("/raise")

    assert problems.TYPE_PREFIX + "internal-failure" == response.json()["type"]
    assert canary not in response.text
    assert "ValueError" in caplog.text
    assert canary not in caplog.text


def test_crash_in_a_stream_adds_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """A crash after the first byte ends the body and sends no second response."""
    canary = secrets.token_hex(8)
    app = serve(ValueError())

    @app.get("/stream")
    async def stream() -> StreamingResponse:
        """Stream one chunk, then fail."""

        async def chunks() -> AsyncIterator[bytes]:
            yield b"first"
            raise ValueError(canary)

        return StreamingResponse(chunks())

    response = TestClient(app).get("/stream")

    assert b"first" == response.content
    assert canary not in caplog.text


def test_crash_at_start_stops_the_server() -> None:
    """The barrier is for requests: an application whose start-up raises does not start."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        raise RuntimeError("no plan")
        yield

    app = FastAPI(lifespan=lifespan)
    problems.install(app)

    with pytest.raises(RuntimeError, match="no plan"), TestClient(app):
        pass
