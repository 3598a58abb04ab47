"""What goes wrong on purpose: vanishing clients, silent connections, an OPA that dies, SIGTERM under load."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.conftest import _serving
from tests.service.serving import TOKEN, serving, settings, wait_until
from tests.service.test_filtering import EVENT, head, piece, talk

from reticent._resources import policy_sources, rego_root
from reticent.errors import EngineError
from reticent_service.app import create_app
from reticent_service.plan_holder import PlanHolder

if TYPE_CHECKING:
    from collections.abc import Generator

ROOT = Path(__file__).parents[2]
HALF_OPEN = 1000


def is_alive(port: int) -> bool:
    """Tell whether the service answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/livez")
        return connection.getresponse().status == 200
    finally:
        connection.close()


def open_files() -> int:
    """Count this process's file descriptors."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_client_that_vanishes_leaves_nothing() -> None:
    """A client that goes away in the middle of a stream is noted, and nothing of it stays open."""

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head("browser_stream", "text/event-stream") + piece(EVENT % 1))
        await reader.readuntil(b'"1"}}]}\n\n')

    app = create_app(settings())
    with serving(app) as port:
        assert is_alive(port)
        before = open_files()
        for _ in range(20):
            asyncio.run(talk(port, act))
        wait_until(lambda: 'outcome="client-gone",surface="browser_stream"} 20.0' in app.state.metrics.text().decode())
        wait_until(lambda: open_files() <= before)


def test_half_open_connections_are_closed() -> None:
    """Connections that never finish their headers are closed in time, and the service answers others meanwhile."""
    with serving(create_app(settings()), header_seconds=1.0) as port:
        before = open_files()
        half = [socket.create_connection(("127.0.0.1", port)) for _ in range(min(HALF_OPEN, _most()))]
        for number, connection in enumerate(half):
            connection.send(b"POST /v1/surfaces/logs/filter HTTP/1.1\r\nhost:" if number % 2 else b"G")
        assert is_alive(port)
        # The service's ends are this process's too, so they go first.
        wait_until(lambda: open_files() <= before + len(half))
        for connection in half:
            connection.close()


def _most() -> int:
    import resource

    return max(50, (resource.getrlimit(resource.RLIMIT_NOFILE)[0] - open_files()) // 2 - 50)


@pytest.mark.opa
def test_opa_that_dies_leaves_the_last_good_plan(opa_binary: str, tmp_path: Path) -> None:
    """When the OPA server goes away the last good plan serves; without it a service does not start."""
    rules = [str(rego_root() / path) for path in policy_sources()] + [str(rego_root() / "reticent_access")]
    with _serving(opa_binary, rules, tmp_path / "log") as url:
        chosen = settings(opa=url)
        holder = PlanHolder(chosen)
        plan = holder.state.plan
        assert not holder.refresh()
        assert holder.state.failure is None

    assert not holder.refresh()
    assert holder.state.failure is not None
    assert ("engine-unavailable", plan) == (holder.state.failure.code, holder.state.plan)
    with pytest.raises(EngineError):
        PlanHolder(chosen)


@contextlib.contextmanager
def answering(body: bytes, status: int = 200) -> Generator[str]:
    """Run something that is no OPA and answers every question with ``body``."""

    class Handler(BaseHTTPRequestHandler):
        """Answers."""

        def _answer(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _answer  # noqa: N815 - the names that the class looks for

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"[]", b"not json", b'{"result":null}', b'{"result":{"plan":{},"errors":[]}}']
)
def test_opa_that_answers_garbage_starts_nothing(body: bytes) -> None:
    """An OPA that answers garbage, nothing, or half an answer gives no plan."""
    with answering(body) as url, pytest.raises(EngineError):
        PlanHolder(settings(opa=url))


def test_sigterm_lets_streams_end() -> None:
    """Told to stop, the service takes no new connection and lets streams under way end as streams end."""
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT / "policy"), str(ROOT / "service")]),
        "RETICENT_SERVICE_OPERATOR_SHA256": settings().operator_sha256 or "",
    }
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    code = "import reticent.cli; reticent.cli.main()"
    command = [sys.executable, "-c", code, "serve", "--port", str(port)]
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # noqa: S603 - ours
    try:
        wait_until(lambda: _answers(port), 60)
        told = asyncio.run(_streams_over_a_stop(port, process))
        out, _ = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()

    assert 20 == len(told)
    assert all(b"[DONE]" in one and one.endswith(b"0\r\n\r\n") for one in told)
    assert TOKEN.encode() not in out


def _answers(port: int) -> bool:
    try:
        return is_alive(port)
    except OSError:
        return False


async def _streams_over_a_stop(port: int, process: subprocess.Popen[bytes]) -> list[bytes]:
    begun, stopped = asyncio.Semaphore(0), asyncio.Event()

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(head("browser_stream", "text/event-stream") + piece(EVENT % 1))
        start = await reader.readuntil(b'"1"}}]}\n\n')
        begun.release()
        await stopped.wait()
        writer.write(piece(EVENT % 2) + piece(b"data: [DONE]\n\n") + b"0\r\n\r\n")
        return start + await reader.readuntil(b"0\r\n\r\n")

    tasks = [asyncio.create_task(talk(port, act)) for _ in range(20)]
    for _ in tasks:
        await begun.acquire()
    process.send_signal(signal.SIGTERM)
    for _ in range(200):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            break
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
        await asyncio.sleep(0.05)
    else:
        pytest.fail("it still takes connections")
    stopped.set()
    told: list[bytes] = await asyncio.gather(*tasks)
    return told
