"""What goes wrong on purpose: vanishing clients, silent connections, slow ones, SIGTERM under load."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import resource
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.servers.running import free_port
from tests.service.serving import TOKEN, serving, settings, wait_until
from tests.service.test_filtering import EVENT, head, piece, talk

from reticent_service.app import create_app

if TYPE_CHECKING:
    from collections.abc import Generator

ROOT = Path(__file__).parents[2]
HALF_OPEN = 10_000


def is_alive(port: int) -> bool:
    """Tell whether the service answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/livez")
        return connection.getresponse().status == 200
    finally:
        connection.close()


def open_files(process: int | str = "self") -> int:
    """Count a process's file descriptors."""
    return sum(1 for _ in Path(f"/proc/{process}/fd").iterdir())


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


def test_ten_thousand_half_open_requests() -> None:
    """Requests that never come to an end are given up in time, and the service answers others meanwhile."""
    begun = [
        b"G",
        b"POST /v1/surfaces/logs/filter HTTP/1.1\r\nhost:",
        head("logs", "application/json", "content-length: 9"),
    ]
    with running(seconds=4.0) as (port, process):
        before = open_files(process.pid)
        half = [socket.create_connection(("127.0.0.1", port)) for _ in range(_most(HALF_OPEN))]
        for number, connection in enumerate(half):
            with contextlib.suppress(ConnectionError):  # given up already
                connection.send(begun[number % len(begun)])
        assert is_alive(port)
        wait_until(lambda: open_files(process.pid) <= before, 60)
        assert is_alive(port)
        for connection in half:
            connection.close()


def _most(wanted: int) -> int:
    """As many connections as a process may have open here."""
    return min(wanted, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - open_files() - 100)


@contextlib.contextmanager
def running(*options: str, seconds: float = 30.0) -> Generator[tuple[int, subprocess.Popen[bytes]]]:
    """Run `reticent serve` as a process of its own; a request has ``seconds`` to arrive."""
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT / "policy"), str(ROOT / "service")]),
        "RETICENT_SERVICE_OPERATOR_SHA256": settings().operator_sha256 or "",
        "RETICENT_SERVICE_RECEIVE_SECONDS": str(seconds),
        # Those that happen to be installed take seconds to load.
        "PYDANTIC_DISABLE_PLUGINS": "__all__",
    }
    port = free_port()
    code = (
        f"import reticent_service.protocol as p; p.GuardedProtocol.header_seconds = {seconds}; "
        "import reticent.cli; reticent.cli.main()"
    )
    command = [sys.executable, "-c", code, "serve", "--port", str(port), *options]
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # noqa: S603 - ours
    try:
        wait_until(lambda: _answers(port), 60)
        yield port, process
    finally:
        process.terminate()
        process.communicate(timeout=40)


@pytest.mark.parametrize("workers", [1, 2])
def test_sigterm_lets_streams_end(workers: int) -> None:
    """Told to stop under load, the service takes no new connection, and streams under way end as streams end."""
    with running("--workers", str(workers)) as (port, process):
        told = asyncio.run(_streams_over_a_stop(port, process))
        out, _ = process.communicate(timeout=40)

    assert 20 == len(told)
    assert all(b"[DONE]" in one and one.endswith(b"0\r\n\r\n") for one in told)
    assert TOKEN.encode() not in out


def test_workers_are_one_service(tmp_path: Path) -> None:
    """Several workers serve by one plan, append whole lines to one decision log, and stop together."""
    log = tmp_path / "decisions.jsonl"
    with running("--workers", "2", "--decision-log", str(log)) as (port, process):
        workers = _children(process.pid)
        answers = [_filtered(port) for _ in range(40)]
        process.terminate()
        process.wait(timeout=40)
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]

    assert len(workers) >= 2
    assert {b'{"content":"Done."}'} == {body for body, _ in answers}
    assert 1 == len({plan for _, plan in answers})
    assert 40 == len(lines)
    wait_until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))


def _filtered(port: int) -> tuple[bytes, str | None]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        sent = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
        connection.request("POST", "/v1/surfaces/logs/filter", b'{"reasoning_content":"x","content":"Done."}', sent)
        response = connection.getresponse()
        return response.read(), response.headers["reticent-plan"]
    finally:
        connection.close()


def _children(process: int) -> list[int]:
    """The processes that a process started, without multiprocessing's own resource tracker."""
    found = Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()
    return [int(child) for child in found if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def test_reader_that_takes_nothing_is_cut_off() -> None:
    """A client that writes and never reads is held back, and cut off after the time to send is over."""

    async def act(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        writer.write(head("browser_stream", "text/event-stream"))
        try:
            while True:
                writer.write(piece(EVENT % 1 * 2000))
                await writer.drain()
        except OSError:
            return True

    app = create_app(settings(send_seconds=0.3))
    with serving(app) as port:
        assert asyncio.run(talk(port, act))
        wait_until(lambda: 'outcome="client-gone",surface="browser_stream"} 1.0' in app.state.metrics.text().decode())


def test_slow_writer_is_served() -> None:
    """A stream that comes a byte at a time is filtered as if it came at once."""
    body = b'data: {"choices":[{"delta":{"reasoning_content":"x"}}]}\n\n' + EVENT % 1

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(head("browser_stream", "text/event-stream"))
        for at in range(len(body)):
            writer.write(piece(body[at : at + 1]))
            await writer.drain()
            await asyncio.sleep(0)
        seen = await reader.readuntil(b'"1"}}]}\n\n')
        writer.write(b"0\r\n\r\n")
        return seen + await reader.readuntil(b"0\r\n\r\n")

    with serving(create_app(settings())) as port:
        told = asyncio.run(talk(port, act))

    assert b"reasoning_content" not in told
    assert told.endswith(b"0\r\n\r\n")


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
