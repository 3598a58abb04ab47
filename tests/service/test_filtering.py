"""The data path: documents, streams, tightening, limits, and what a client that misbehaves meets."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.service.serving import THOUGHT, TOKEN, VISIBLE, client, serving, settings

from reticent.testing import canary, leaks
from reticent_service.app import create_app
from reticent_service.described import EXAMPLE_ANSWER, EXAMPLE_BODY, EXAMPLE_STREAM

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from httpx2 import Response

URL = "/v1/surfaces/{}/filter"


def post(surface: str, query: str = "", **body: Any) -> Response:
    """Filter something for one surface."""
    with client() as caller:
        return caller.post(URL.format(surface) + query, **body)


def test_document_loses_its_reasoning() -> None:
    """A JSON document comes back without reasoning, byte for byte the same otherwise."""
    response = post("logs", content=b'{ "role":"assistant", "reasoning_content":"x", "n": 1.50 }')

    assert (200, b'{ "role":"assistant", "n": 1.50 }') == (response.status_code, response.content)
    assert "no-store" == response.headers["cache-control"]
    assert response.headers["reticent-plan"].startswith("sha256:")


def test_pass_surface_gives_the_same_bytes() -> None:
    """On a pass surface nothing is read: what is no JSON at all comes back as it is."""
    assert b'{"half":' == post("task_store", content=b'{"half":').content


def test_examples_of_the_description_hold() -> None:
    """The examples in the OpenAPI document are what the service answers."""
    sent = {"content-type": "text/event-stream"}

    assert EXAMPLE_ANSWER == post("logs", json=EXAMPLE_BODY).json()
    assert EXAMPLE_STREAM == post("logs", content=EXAMPLE_STREAM.encode(), headers=sent).text


@pytest.mark.parametrize(
    ("media_type", "body", "expected"),
    [
        ("application/x-ndjson", b'{"reasoning_content":"x","content":"a"}\n{"content":"b"}\n', None),
        ("text/plain", b"<think>x</think>shown", b"shown"),
        ("application/vnd.team+json", b'{"reasoning_content":"x","content":"a"}', b'{"content":"a"}'),
    ],
)
def test_media_type_tells_the_framing(media_type: str, body: bytes, expected: bytes | None) -> None:
    """The media type says how the body is framed, and comes back."""
    response = post("logs", content=body, headers={"content-type": media_type})

    assert media_type == response.headers["content-type"]
    assert b'"x"' not in response.content
    assert expected in {None, response.content}


@pytest.mark.parametrize("query", ["?strip=text,summary,opaque", "?to=openai&producer=anthropic"])
def test_a_request_can_tighten(query: str) -> None:
    """Parameters withhold more than the table does, on a pass surface too."""
    assert VISIBLE == post("provider_roundtrip", query, json=THOUGHT).json()


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("?unknown_types=carry", 400),
        ("?strip=none", 400),
        ("?pass=text", 400),
        ("?wire=morse", 400),
        ("?wire=sse&wire=sse", 400),
        ("?dialect=anthropc-messages", 400),
        ("?to=%00", 400),
        ("?starts_inside=perhaps", 400),
    ],
)
def test_a_parameter_nobody_knows_is_refused(query: str, status: int) -> None:
    """A word that would loosen the table, or means nothing, is a problem and never ignored."""
    assert status == post("logs", query, json=THOUGHT).status_code


@pytest.mark.parametrize(
    ("surface", "body", "headers", "code"),
    [
        ("lgos", b"{}", {}, "unknown-surface"),
        ("logs", b'{"a":', {}, "malformed-input"),
        ("logs", b'{"a":' * 400 + b"1" + b"}" * 400, {}, "input-too-deep"),
        ("logs", b'"' + b"a" * 3000 + b'"', {}, "input-too-large"),
        ("logs", b"{}", {"content-type": "image/png"}, "unsupported-media-type"),
        ("logs", b'data: {"reasoning_content":\n\n', {"content-type": "text/event-stream"}, "malformed-input"),
    ],
)
def test_refusals_are_problems(surface: str, body: bytes, headers: dict[str, str], code: str) -> None:
    """Each refusal has a stable type, and the body is not in it."""
    limit = 2048 if code == "input-too-large" else 20_000
    with client(settings(max_body_bytes=limit)) as caller:
        response = caller.post(URL.format(surface), content=body, headers=headers)

    assert f"urn:reticent:problem:{code}" == response.json()["type"]
    assert "application/problem+json" == response.headers["content-type"]


def test_no_canary_in_problems_logs_or_metrics(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """What was sent is in no problem, no log line, no metric and no page of the plan."""
    secret = canary()
    bodies = [json.dumps({**THOUGHT, "reasoning_content": secret}), f'{{"{secret}":', f"[{secret}]"]
    with caplog.at_level("DEBUG"), client(settings(decision_log="stderr", hash_key="k")) as caller:
        told = [caller.post(URL.format("logs"), content=body).content for body in bodies]
        told.append(caller.post(URL.format("logs"), content=bodies[1], headers={"content-type": secret}).content)
        told.append(caller.get("/metrics").content)
    out, err = capfd.readouterr()

    assert [] == leaks(b"\n".join(told), secret)
    assert [] == leaks(out + err + caplog.text, secret)
    assert '"outcome":"malformed-input"' in err


async def talk(port: int, act: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[Any]]) -> Any:
    """Open one connection and do something with it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        return await asyncio.wait_for(act(reader, writer), timeout=20)
    finally:
        # Not closed: that would wait for a service that reads no more.
        writer.transport.abort()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def head(surface: str, media_type: str, length: str = "transfer-encoding: chunked") -> bytes:
    """Give the first lines of a request."""
    return (
        f"POST {URL.format(surface)} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\n"
        f"content-type: {media_type}\r\n{length}\r\n\r\n"
    ).encode()


def piece(data: bytes) -> bytes:
    """Give one piece of a chunked body."""
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


EVENT = b'data: {"choices":[{"index":0,"delta":{"content":"%d"}}]}\n\n'


def test_streams_both_ways() -> None:
    """Each event is answered before the next one is sent."""

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> list[bytes]:
        writer.write(head("browser_stream", "text/event-stream"))
        seen: list[bytes] = []
        for number in range(3):
            writer.write(piece(EVENT % number))
            seen.append(await reader.readuntil(b'"%d"}}]}\n\n' % number))
        writer.write(piece(b"data: [DONE]\n\n") + b"0\r\n\r\n")
        seen.append(await reader.readuntil(b"0\r\n\r\n"))
        return seen

    with serving(create_app(settings())) as port:
        seen = asyncio.run(talk(port, act))

    assert seen[0].startswith(b"HTTP/1.1 200 OK")
    assert b"[DONE]" in seen[-1]


def test_slow_reader_holds_the_writer_back() -> None:
    """When nobody reads the answer, the service stops reading the request."""

    async def act(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
        writer.write(head("browser_stream", "text/event-stream"))
        written = 0
        try:
            async with asyncio.timeout(2):
                while written < 200_000_000:
                    writer.write(piece(EVENT % 1 * 2000))
                    await writer.drain()
                    written += 2000 * len(EVENT)
        except TimeoutError:
            pass
        return written

    with serving(create_app(settings())) as port:
        written = asyncio.run(talk(port, act))

    assert written < 60_000_000


def test_refused_stream_ends_with_an_error_event() -> None:
    """After the first byte a refusal is an event named error, and the stream ends as streams end."""

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(head("browser_stream", "text/event-stream") + piece(EVENT % 1))
        start = await reader.readuntil(b'"1"}}]}\n\n')
        writer.write(piece(b'data: {"reasoning_content":"half\n\n') + piece(EVENT % 2) + b"0\r\n\r\n")
        return start + await reader.readuntil(b"0\r\n\r\n")

    with serving(create_app(settings())) as port:
        told = asyncio.run(talk(port, act))

    assert b"event: error\ndata: " in told
    assert b"malformed-input" in told
    assert b"half" not in told


def test_refused_lines_end_with_a_cut_connection() -> None:
    """A refused stream that has no place for an error stops without the mark of a whole response."""

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(head("logs", "application/x-ndjson") + piece(b'{"content":"a"}\n'))
        start = await reader.readuntil(b'"a"}\n')
        writer.write(piece(b'{"reasoning_content":"half\n') + piece(b'{"content":"b"}\n') + b"0\r\n\r\n")
        return start + await reader.read()

    with serving(create_app(settings())) as port:
        told = asyncio.run(talk(port, act))

    assert b"half" not in told
    assert not told.endswith(b"0\r\n\r\n")


@pytest.mark.parametrize("media_type", ["application/json", "text/event-stream"])
def test_body_that_never_ends_is_given_up(media_type: str) -> None:
    """A body that stops arriving is answered with 408."""

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(head("logs", media_type))
        return await reader.readline()

    with serving(create_app(settings(receive_seconds=0.3))) as port:
        assert b"HTTP/1.1 408 Request Timeout\r\n" == asyncio.run(talk(port, act))


def test_length_is_refused_before_the_body_is_read() -> None:
    """A body that says it is too long is refused by what it says."""

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(head("logs", "application/json", "content-length: 99999999"))
        return await reader.readline()

    with serving(create_app(settings())) as port:
        assert asyncio.run(talk(port, act)).startswith(b"HTTP/1.1 413 ")
