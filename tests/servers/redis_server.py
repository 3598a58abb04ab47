"""A real Redis that appends every write to a file and evicts nothing."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import signal
from typing import TYPE_CHECKING

import pytest
import redis
from tests.servers.running import Program, Server, data_folder, running

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator


@contextlib.contextmanager
def redis_process() -> Generator[tuple[Server, Program]]:
    """Run a Redis of one's own; its append-only file and its dumps stand in the server's folder."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("no Redis: the PATH has no redis-server")
    password = secrets.token_urlsafe(12)
    with data_folder("redis") as folder:

        def command(port: int) -> list[str]:
            return [program, *_settings(port, password, str(folder))]

        def ready(port: int) -> bool:
            try:
                with redis.Redis.from_url(_url(password, port)) as client:
                    return bool(client.ping())
            except redis.RedisError:
                return False

        with running(Program(command, folder / "log", ready), signal.SIGTERM) as made:
            yield Server(_url(password, made.port), folder, made.pid), made


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Server]:
    """Run a Redis for all tests."""
    with redis_process() as (server, _):
        yield server


@pytest.fixture(scope="session")
def redis_url(redis_server: Server) -> str:
    """Give the address of a real Redis that persists and does not evict; tests use key prefixes of their own."""
    return redis_server.url


def _settings(port: int, password: str, folder: str) -> list[str]:
    settings = {
        "port": str(port),
        "bind": "127.0.0.1",
        "requirepass": password,
        "dir": folder,
        "appendonly": "yes",
        "save": "",
        "maxmemory": "256mb",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
    }
    return [word for name, value in settings.items() for word in (f"--{name}", value)]


def _url(password: str, port: int) -> str:
    return f"redis://:{password}@127.0.0.1:{port}/0"
