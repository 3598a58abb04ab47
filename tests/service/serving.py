"""A service for tests: in the process, and behind a real socket."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING

import uvicorn
from fastapi.testclient import TestClient

from reticent.testing import canary
from reticent_service.app import create_app
from reticent_service.callers import hash_of
from reticent_service.protocol import GuardedProtocol
from reticent_service.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

    from starlette.types import ASGIApp

TOKEN = "operator-token"
THOUGHT = {"role": "assistant", "reasoning_content": canary("served"), "content": "Done."}
VISIBLE = {"role": "assistant", "content": "Done."}


def settings(**values: object) -> Settings:
    """Give settings under which ``TOKEN`` may do everything."""
    return Settings.model_validate({"operator_sha256": hash_of(TOKEN), "poll_seconds": 0.05, **values})


def client(chosen: Settings | None = None, *, token: str | None = TOKEN) -> TestClient:
    """Give a client of an application of its own."""
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    return TestClient(create_app(chosen or settings()), headers=headers, raise_server_exceptions=False)


def callers_file(folder: Path, callers: Mapping[str, Mapping[str, object]]) -> Path:
    """Write a file of callers; each is known by a token that is its name."""
    import json

    path = folder / "callers.yaml"
    entries = {name: {"token_sha256": [hash_of(name)], **entry} for name, entry in callers.items()}
    path.write_text(json.dumps({"version": 1, "callers": entries}), encoding="utf-8")
    return path


@contextlib.contextmanager
def serving(app: ASGIApp, *, header_seconds: float = 5.0) -> Generator[int]:
    """Run ``app`` behind a socket of the loopback interface, in a thread; yields the port."""
    protocol = type("TestedProtocol", (GuardedProtocol,), {"header_seconds": header_seconds})
    config = uvicorn.Config(
        app, port=0, http=protocol, ws="none", lifespan="on", log_config=None, proxy_headers=False, access_log=False
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        wait_until(lambda: server.started)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(timeout=20)
        assert not thread.is_alive(), "the server did not stop"


def wait_until(holds: object, seconds: float = 20.0) -> None:
    """Wait until ``holds()`` is true; fail when it never is."""
    end = time.monotonic() + seconds
    assert callable(holds)
    while not holds():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.02)
