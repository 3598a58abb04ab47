"""A real Envoy, set up as the documentation has it, between a client, an upstream and `reticent ext-proc`."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from tests.integrations.envoy_client import serving as processing
from tests.servers.certificates import Authority
from tests.servers.envoy import PROCESSOR, Front, envoy
from tests.servers.running import free_port
from tests.service.serving import serving

from reticent.integrations.envoy import Tls
from reticent.testing import canary, leaks

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.types import Receive, Scope, Send

SSE = b'data: {"choices":[{"index":0,"delta":{%s}}]}\n\n'
SHOWN, DONE = SSE % b'"content":"Done."', b"data: [DONE]\n\n"


@dataclass
class Model:
    """The upstream: each answer thinks, in a word that nobody may see."""

    secret: str = field(default_factory=canary)
    more: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    """Lets one event of a stream go on."""
    asked: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    def document(self, padding: int = 1) -> bytes:
        """An answer with its reasoning."""
        told = [{"role": "assistant", "content": "a" * padding, "reasoning_content": self.secret}]
        return json.dumps({"messages": told, "n": 1.5}, separators=(",", ":")).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer by the path."""
        if scope["type"] == "lifespan":
            for word in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{word}.complete"})
            return
        body = b""
        more = True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        self.asked.append(({name.decode(): value.decode() for name, value in scope["headers"]}, body))
        thought = SSE % (b'"reasoning_content":"%s"' % self.secret.encode())
        if scope["path"] == "/stream":
            await self._stream(send, [thought + SHOWN, thought, SHOWN, DONE])
        elif scope["path"] == "/breaks":
            broken = b'data: {"reasoning_content":"%s\n\n' % self.secret.encode()
            await self._stream(send, [SHOWN, broken, SHOWN], waits=False)
        else:
            whole = {"/half": self.document()[:40], "/long": self.document(2_000_000)}
            told = whole.get(scope["path"], self.document())
            packed = scope["path"] == "/packed"
            extra = [(b"content-encoding", b"gzip")] if packed else []
            await self._whole(send, gzip.compress(told) if packed else told, extra)

    async def _stream(self, send: Send, pieces: list[bytes], *, waits: bool = True) -> None:
        start: Any = {
            "type": "http.response.start",
            "status": 200,
            "headers": [(b"content-type", b"text/event-stream")],
        }
        await send(start)
        for number, piece in enumerate(pieces, 1):
            await send({"type": "http.response.body", "body": piece, "more_body": number < len(pieces)})
            if waits and number < len(pieces):
                assert await asyncio.to_thread(self.more.acquire, timeout=30)

    async def _whole(self, send: Send, body: bytes, extra: list[tuple[bytes, bytes]]) -> None:
        length = str(len(body)).encode()
        told = [(b"content-type", b"application/json"), (b"content-length", length), (b"etag", b'"1"'), *extra]
        await send({"type": "http.response.start", "status": 200, "headers": told})
        await send({"type": "http.response.body", "body": body})


@dataclass(frozen=True)
class Place:
    """Where everything is; ``fronts`` are the listeners of Envoy by name."""

    model: Model
    fronts: dict[str, str]

    def get(self, front: str, path: str, **options: Any) -> httpx2.Response:
        """Ask, with the reasoning out of sight wherever it must be."""
        with httpx2.Client(base_url=self.fronts[front], timeout=30) as client:
            response = client.request(options.pop("method", "GET"), path, **options)
        assert [] == leaks(response.content + repr(response.headers.raw).encode(), self.model.secret)
        return response


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """One Envoy with a listener for each processor: for responses, for requests, over TLS, and one that is away."""
    folder = tmp_path_factory.mktemp("envoy")
    trusted, model = Authority(folder), Model()
    pair = trusted.issue("processor", PROCESSOR)
    tls = Tls(pair.certificate, pair.key, client_ca=trusted.file)
    wrong = trusted.issue("wrong", "elsewhere.test")
    with (
        serving(model) as upstream,
        processing() as plain,
        processing("logs", side="request") as requests,
        processing(tls=tls) as mutual,
        processing(tls=Tls(wrong.certificate, wrong.key)) as misnamed,
    ):
        fronts = {
            "plain": Front(upstream, _port(plain)),
            "requests": Front(upstream, _port(requests), side="request"),
            "mutual": Front(upstream, _port(mutual), trust=trusted, own=trusted.issue("client")),
            "no certificate": Front(upstream, _port(mutual), trust=trusted),
            "wrong name": Front(upstream, _port(misnamed), trust=trusted),
            "not over TLS": Front(upstream, _port(mutual)),
            "away": Front(upstream, free_port()),
            "away for requests": Front(upstream, free_port(), side="request"),
        }
        with envoy(fronts, folder) as addresses:
            yield Place(model, addresses)


def _port(address: str) -> int:
    return int(address.rpartition(":")[2])


@pytest.mark.parametrize("front", ["plain", "mutual"])
@pytest.mark.parametrize("path", ["/", "/packed"])
def test_a_document_loses_its_reasoning(place: Place, front: str, path: str) -> None:
    """A JSON answer arrives without reasoning and without the headers that told of its bytes, also over mutual TLS."""
    response = place.get(front, path, headers={"accept-encoding": "gzip"})

    assert {"messages": [{"role": "assistant", "content": "a"}], "n": 1.5} == response.json()
    assert set() == {"content-length", "content-encoding", "etag"} & set(response.headers)
    assert "accept-encoding" not in place.model.asked[-1][0]


def test_a_long_document_arrives_whole(place: Place) -> None:
    """Two megabytes come through in pieces, and nothing but the reasoning is gone."""
    assert (
        place.model.document(2_000_000).replace(b',"reasoning_content":"%s"' % place.model.secret.encode(), b"")
        == place.get("plain", "/long").content
    )


@pytest.mark.parametrize("front", ["plain", "mutual"])
def test_a_stream_arrives_event_by_event(place: Place, front: str) -> None:
    """Each event is with the client before the upstream sends the next one."""
    seen = b""
    with (
        httpx2.Client(base_url=place.fronts[front], timeout=30) as client,
        client.stream("GET", "/stream") as response,
    ):
        pieces = response.iter_raw()
        # What is left of the thought between them may come with the first or with the second.
        for times in (1, 1, 2):
            while seen.count(SHOWN) < times:
                seen += next(pieces)
            place.model.more.release()
        seen += b"".join(pieces)

    assert "content-length" not in response.headers
    assert [SHOWN, SHOWN] == re.findall(re.escape(SHOWN), seen)
    assert seen.endswith(DONE)
    assert [] == leaks(seen, place.model.secret)


def test_what_cannot_be_judged_is_refused(place: Place) -> None:
    """Half a document becomes a problem document of ours, and a stream ends with an error event."""
    half, stream = place.get("plain", "/half"), place.get("plain", "/breaks")

    assert (500, "application/problem+json") == (half.status_code, half.headers["content-type"])
    assert "malformed-input" == half.json()["code"]
    assert stream.content.startswith(SHOWN + b"event: error\ndata: ")
    assert 1 == stream.content.count(b"Done.")


def test_head_tells_no_length(place: Place) -> None:
    """The length in the answer to HEAD would be that of a body nobody may see."""
    assert "content-length" not in place.get("plain", "/", method="HEAD").headers


def test_bodies_of_requests_are_judged(place: Place) -> None:
    """With the other side judged, the upstream gets requests without reasoning."""
    before = len(place.model.asked)
    with httpx2.Client(base_url=place.fronts["requests"], timeout=30) as client:
        response = client.post("/", content=place.model.document(), headers={"content-type": "application/json"})

    assert 200 == response.status_code
    [(headers, body)] = place.model.asked[before:]
    assert {"messages": [{"role": "assistant", "content": "a"}], "n": 1.5} == json.loads(body)
    assert str(len(body)) == headers.get("content-length", str(len(body)))


@pytest.mark.parametrize("front", ["away", "no certificate", "wrong name", "not over TLS"])
@pytest.mark.parametrize("path", ["/", "/breaks"])
def test_without_the_processor_nothing_goes_out(place: Place, front: str, path: str) -> None:
    """When nobody judges, because nobody is there or who is there is not trusted, the client gets an error."""
    response = place.get(front, path)

    assert response.status_code >= 500
    assert b"Done." not in response.content


def test_without_the_processor_nothing_goes_in(place: Place) -> None:
    """A request that nobody judged does not reach the upstream."""
    before = len(place.model.asked)
    with httpx2.Client(base_url=place.fronts["away for requests"], timeout=30) as client:
        response = client.post("/", content=place.model.document(), headers={"content-type": "application/json"})

    assert response.status_code >= 500
    assert [] == place.model.asked[before:]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_processor_that_dies_in_the_middle(tmp_path: Path, number: signal.Signals) -> None:
    """The command is killed, or told to stop, during a stream: what was judged has arrived, and nothing else does."""
    code = "import reticent.cli; reticent.cli.main()"
    command = [sys.executable, "-c", code, "ext-proc", "--surface", "browser_stream", "--port", "0"]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    model, seen = Model(), b""
    with (
        serving(model) as upstream,
        subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as process,  # noqa: S603 - our own
    ):
        assert process.stderr is not None
        port = re.search(r":(\d+) ", process.stderr.readline())
        assert port is not None
        with (
            envoy({"front": Front(upstream, int(port[1]))}, tmp_path) as addresses,
            httpx2.Client(base_url=addresses["front"], timeout=30) as client,
            client.stream("GET", "/stream") as response,
        ):
            pieces = response.iter_raw()
            while not seen.endswith(SHOWN):
                seen += next(pieces)
            process.send_signal(number)
            if number is signal.SIGKILL:
                process.wait(20)
            model.more.release(4)
            try:
                seen += b"".join(pieces)
            except httpx2.HTTPError:
                assert number is signal.SIGKILL
            else:
                assert seen.endswith(DONE)
                assert number is signal.SIGTERM
        if number is signal.SIGTERM:
            assert 0 == process.wait(40)
    assert [] == leaks(seen, model.secret)
