"""ASGI middleware: JSON, streams, compression, disconnects and failures, on the bare protocol."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest
from tests.integrations.reasoning import VISIBLE, clean, message
from tests.integrations.wires import STREAMS, pieces

from reticent.errors import UnknownSurface
from reticent.integrations.asgi import ReticentMiddleware
from reticent.testing import canary

SIZES = (1, 7, 64, 100_000)


def app(chunks: Iterable[bytes], kind: str | None = "application/json", *, status: int = 200, **more: str) -> Any:
    """An application that answers with these chunks."""

    async def answer(scope: Any, _receive: Any, send: Any) -> None:
        names = {"content-type": kind, **{name.replace("_", "-"): value for name, value in more.items()}}
        headers = [(name.encode(), value.encode()) for name, value in names.items() if value is not None]
        await send({"type": "http.response.start", "status": status, "headers": headers, "seen": scope})
        for chunk in chunks:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    return answer


def get(application: Any, *, method: str = "GET", path: str = "/", headers: Iterable[Any] = ()) -> Any:
    """The messages that a server gets: start, headers as a dictionary, and the body."""
    sent: list[Any] = []

    async def send(told: Any) -> None:
        sent.append(told)

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    extensions: dict[str, Any] = {"tls": {}, "http.response.pathsend": {}, "http.response.debug": {}}
    scope = {"type": "http", "method": method, "path": path, "headers": list(headers), "extensions": extensions}
    asyncio.run(application(scope, receive, send))
    body = b"".join(one.get("body", b"") for one in sent[1:])
    return sent, {name.decode(): value.decode() for name, value in sent[0]["headers"]}, body


def test_an_unknown_surface_fails_at_start() -> None:
    """A middleware for a surface that the plan does not have is never made."""
    with pytest.raises(UnknownSurface, match="support_console"):
        ReticentMiddleware(app([]), "suport_console")


@pytest.mark.parametrize("size", SIZES)
def test_json_is_one_message(size: int) -> None:
    """A JSON answer goes out without reasoning, with the length it has then."""
    secret = canary()
    data = json.dumps({"conversation": [message(secret)]}).encode()
    given = app(pieces(data, size), "application/json", content_length=str(len(data)), etag='"1"')
    sent, headers, body = get(ReticentMiddleware(given, "support_console"))

    assert clean(sent, secret)
    assert VISIBLE in body.decode()
    assert {"content-type": "application/json", "content-length": str(len(body))} == headers


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", STREAMS)
def test_streams_are_filtered_as_they_come(name: str, size: int) -> None:
    """Every wire that people get loses its reasoning, however it is cut, and keeps its text."""
    secret = canary()
    make, kind = STREAMS[name]
    sent, headers, body = get(ReticentMiddleware(app(pieces(make(secret), size), kind), "browser_stream"))

    assert clean(sent, secret)
    assert VISIBLE in body.decode()
    assert {"content-type": kind} == headers
    assert not sent[-1]["more_body"]


def test_a_stream_starts_with_its_first_chunk() -> None:
    """The start of a response is held until a chunk was judged, and not until it has something to show."""
    sent: list[str] = []

    async def answer(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        sent.append("start handed in")
        await send({"type": "http.response.body", "body": b": hello\n\n", "more_body": True})
        sent.append("chunk handed in")

    async def send(told: Any) -> None:
        sent.append(told["type"])

    asyncio.run(ReticentMiddleware(answer, "browser_stream")({"type": "http", "path": "/"}, None, send))  # type: ignore[arg-type]

    assert ["start handed in", "http.response.start", "http.response.body", "chunk handed in"] == sent


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_compressed_answers_are_read(encoding: str) -> None:
    """An application that compresses although it was not asked to is read and answered plain."""
    secret = canary()
    data = json.dumps(message(secret)).encode()
    packed = gzip.compress(data) if encoding == "gzip" else zlib.compress(data)
    given = app(pieces(packed, 11), "application/json", content_encoding=encoding)
    sent, headers, body = get(ReticentMiddleware(given, "support_console"))

    assert clean(sent, secret)
    assert VISIBLE in body.decode()
    assert "content-encoding" not in headers


def test_an_unreadable_encoding_is_withheld() -> None:
    """A body in a compression that cannot be read does not go out."""
    sent, headers, body = get(ReticentMiddleware(app([b"\x1b\x03"], content_encoding="br"), "support_console"))

    assert 500 == sent[0]["status"]
    assert "application/problem+json" == headers["content-type"]
    assert "unsupported-type" == json.loads(body)["code"]


def test_the_application_is_asked_for_plain_bodies() -> None:
    """The application sees no Accept-Encoding and no extension that would send a body past the middleware."""
    sent, _, _ = get(ReticentMiddleware(app([b"{}"]), "support_console"), headers=[(b"accept-encoding", b"gzip, br")])

    assert [] == sent[0]["seen"]["headers"]
    assert {"tls": {}} == sent[0]["seen"]["extensions"]


def test_what_cannot_be_judged_is_an_honest_error() -> None:
    """Malformed JSON becomes a problem with a code, and a counter goes up."""
    secret = canary()
    middleware = ReticentMiddleware(app([b'{"thinking": "' + secret.encode()]), "support_console")
    sent, headers, body = get(middleware)

    assert clean(sent, secret)
    assert 500 == sent[0]["status"]
    assert {"title": "withheld", "status": 500, "code": "malformed-input"} == json.loads(body)
    assert str(len(body)) == headers["content-length"]
    assert {"malformed-input": 1} == middleware.guard.counts.failures


def test_a_stream_that_breaks_ends_with_an_error_event() -> None:
    """When a stream cannot be judged any further, it ends with an event that says so, and nothing follows."""
    secret = canary()
    good = b'data: {"type":"text-delta","id":"t","delta":"hello"}\n\n'
    bad = b'data: {"type":"reasoning-delta","delta":"' + secret.encode() + b"\n\n"
    given = app([good, bad, good], "text/event-stream")
    sent, _, body = get(ReticentMiddleware(given, "browser_stream"))

    assert clean(sent, secret)
    assert 200 == sent[0]["status"]
    assert body.startswith(good)
    assert body.count(good) == 1
    assert b"event: error" in body
    assert not sent[-1]["more_body"]


def test_held_bytes_are_lost_with_the_application() -> None:
    """When an application fails in the middle of an event, what was held back stays unsent and the error goes on."""
    secret = canary()

    async def answer(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        half = b'data: {"type":"reasoning-delta","delta":"' + secret.encode()
        await send({"type": "http.response.body", "body": half, "more_body": True})
        raise RuntimeError("gone")

    sent: list[Any] = []

    async def send(told: Any) -> None:
        sent.append(told)

    with pytest.raises(RuntimeError, match="gone"):
        asyncio.run(ReticentMiddleware(answer, "browser_stream")({"type": "http", "path": "/"}, None, send))  # type: ignore[arg-type]

    assert clean(sent, secret)


def test_a_disconnected_client_is_the_servers_business() -> None:
    """An error of the server's send reaches the application, which stops."""

    async def send(_told: Any) -> None:
        raise OSError("client disconnected")

    scope: Any = {"type": "http", "path": "/"}
    middleware: Any = ReticentMiddleware(app([b"data: 1\n\n"] * 3, "text/event-stream"), "browser_stream")

    with pytest.raises(OSError, match="disconnected"):
        asyncio.run(middleware(scope, None, send))


@pytest.mark.parametrize("kind", ["image/png", "application/pdf", "font/woff2", "text/css"])
def test_media_are_carried(kind: str) -> None:
    """Media types that no model writes go through as they are, with their headers."""
    _, headers, body = get(ReticentMiddleware(app([b"\x89PNG\x00\xff"], kind, content_length="6"), "browser_stream"))

    assert b"\x89PNG\x00\xff" == body
    assert "6" == headers["content-length"]


@pytest.mark.parametrize("kind", [None, "application/vnd.acme", "text/html"])
def test_other_types_are_judged(kind: str | None) -> None:
    """A body of another type, or of none, is judged by what it looks like."""
    secret = canary()
    _, _, body = get(ReticentMiddleware(app([json.dumps(message(secret)).encode()], kind), "browser_stream"))

    assert clean(body, secret)


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 204), ("GET", 304)])
def test_answers_without_a_body(method: str, status: int) -> None:
    """An answer that has no body is not taken for malformed JSON."""
    sent, headers, body = get(
        ReticentMiddleware(app([], status=status, content_length="120"), "support_console"), method=method
    )

    assert (status, b"") == (sent[0]["status"], body)
    assert method != "HEAD" or "content-length" not in headers


def test_paths_that_are_not_meant_are_left_alone() -> None:
    """Only paths that begin as told are filtered."""
    secret = canary()
    middleware = ReticentMiddleware(app([json.dumps(message(secret)).encode()]), "support_console", paths=("/support",))

    assert secret in get(middleware, path="/internal")[2].decode()
    assert clean(get(middleware, path="/support/1")[2], secret)


def test_a_pass_surface_changes_nothing() -> None:
    """On a pass surface every message is the application's own."""
    data = json.dumps(message("x")).encode()
    sent, headers, body = get(ReticentMiddleware(app([data], etag='"1"'), "provider_roundtrip"))

    assert data == body
    assert '"1"' == headers["etag"]
    assert "http.response.pathsend" in sent[0]["seen"]["extensions"]


async def over_websocket(messages: Iterable[Any]) -> AsyncIterator[Any]:
    """What goes out of messages that an application sends over a WebSocket."""
    sent: list[Any] = []

    async def answer(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})
        for told in messages:
            await send({"type": "websocket.send", **told})

    async def send(told: Any) -> None:
        sent.append(told)

    await ReticentMiddleware(answer, "browser_stream")({"type": "websocket", "path": "/"}, None, send)  # type: ignore[arg-type]
    for one in sent:
        yield one


def test_messages_of_a_websocket_are_one_stream() -> None:
    """JSON messages are events of one stream, text is text, and what cannot be judged closes the connection."""
    secret = canary()
    events = [
        {"type": "reasoning-start", "id": "r"},
        {"type": "reasoning-delta", "id": "r", "delta": secret},
        {"type": "reasoning-end", "id": "r"},
        {"type": "text-delta", "id": "t", "delta": VISIBLE},
    ]

    async def collect() -> list[Any]:
        told: list[dict[str, Any]] = [{"text": json.dumps(event, indent=1)} for event in events]
        told += [{"bytes": json.dumps(message(secret)).encode()}, {"text": f"<think>{secret}</think>hi"}]
        return [one async for one in over_websocket(told)]

    sent = asyncio.run(collect())

    assert clean(sent, secret)
    assert ["text-delta", "assistant", "hi"] == [
        "hi"
        if one.get("text") == "hi"
        else (body := json.loads(one.get("text") or one["bytes"])).get("type", body.get("role"))
        for one in sent[1:]
    ]
