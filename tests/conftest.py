"""Engines and tables for tests of every part."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.servers.opa import opa_over_tls
from tests.servers.postgresql import postgres_database, postgres_server, postgres_url
from tests.servers.redis_server import redis_server, redis_url
from tests.servers.running import free_port

from reticent._resources import policy_sources, rego_root
from reticent.compiler.embedded import EmbeddedEngine, default_engine

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

# Fixtures of real servers, for tests of every part; a server starts when the first test asks for it.
__all__ = ["opa_over_tls", "postgres_database", "postgres_server", "postgres_url", "redis_server", "redis_url"]

TESTS = Path(__file__).parent
TODAY = date(2026, 11, 29)


@pytest.fixture(scope="session")
def today() -> date:
    """Give the day on which test tables are decided."""
    return TODAY


@pytest.fixture(scope="session")
def tables() -> Path:
    """Give the folder of test tables; those in ``broken`` have faults."""
    return TESTS / "tables"


@pytest.fixture(scope="session")
def embedded() -> EmbeddedEngine:
    """Give the embedded engine, compiled once."""
    return default_engine()


@pytest.fixture(scope="session")
def opa_binary() -> str:
    """Find a real OPA: RETICENT_OPA, else the PATH."""
    found = os.environ.get("RETICENT_OPA") or shutil.which("opa")
    if not found or not Path(found).is_file():
        pytest.skip("no opa: neither RETICENT_OPA nor the PATH has one")
    return found


@pytest.fixture(scope="session")
def opa_url(opa_binary: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a real OPA server on the loopback interface, with the rules loaded."""
    rules = [str(rego_root() / path) for path in policy_sources()]
    with _serving(opa_binary, rules, tmp_path_factory.mktemp("opa") / "log") as url:
        yield url


@pytest.fixture
def empty_opa_url(opa_binary: str, tmp_path: Path) -> Iterator[str]:
    """Run a real OPA server that has no rules."""
    with _serving(opa_binary, [], tmp_path / "log") as url:
        yield url


@contextlib.contextmanager
def _serving(opa: str, rules: list[str], log: Path) -> Generator[str]:
    with opa_process(opa, rules, log) as (url, _):
        yield url


@contextlib.contextmanager
def opa_process(opa: str, rules: list[str], log: Path) -> Generator[tuple[str, subprocess.Popen[bytes]]]:
    """Run an OPA server with some rules; gives its address and its process."""
    port = free_port()
    command = [opa, "run", "--server", "--addr", f"127.0.0.1:{port}", "--log-level", "error", *rules]
    with log.open("wb") as out:
        server = subprocess.Popen(command, stdout=out, stderr=out)  # noqa: S603 - our own tool
    try:
        _wait_for(f"http://127.0.0.1:{port}", server)
        yield f"http://127.0.0.1:{port}", server
    finally:
        server.terminate()
        server.wait(timeout=10)


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        assert server.poll() is None, "opa ended before it was ready"
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=1):  # noqa: S310 - a loopback address of ours
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    pytest.fail("opa was not ready in ten seconds")
