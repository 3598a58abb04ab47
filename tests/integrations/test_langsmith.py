"""LangSmith: the bytes that its client sends to its server."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
import zstandard
from langsmith import Client, traceable
from langsmith.run_helpers import tracing_context
from tests.integrations.reasoning import FORMS, VISIBLE, ThinkingBlock, clean, cycle, forms, message

from reticent.errors import UnknownSurface
from reticent.integrations.langsmith import hooks
from reticent.testing import canary

if TYPE_CHECKING:
    from collections.abc import Iterator


class Backend(BaseHTTPRequestHandler):
    """Takes runs and keeps their bytes."""

    taken: list[bytes]

    def do_GET(self) -> None:
        """Say what the server can do."""
        limits = {"size_limit": 100, "size_limit_bytes": 20_971_520, "scale_up_qsize_trigger": 1_000}
        threads = {"scale_up_nthreads_limit": 16, "scale_down_nempty_trigger": 4, "use_multipart_endpoint": True}
        self._answer(json.dumps({"batch_ingest_config": limits | threads}).encode())

    def do_POST(self) -> None:
        """Keep what was sent."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if "zstd" in self.headers.get("Content-Encoding", ""):
            body = zstandard.ZstdDecompressor().decompressobj().decompress(body)
        self.taken.append(body)
        self._answer(b"{}")

    def do_PATCH(self) -> None:
        """Keep what was sent, as for POST."""
        self.do_POST()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name it has
        """Say nothing."""

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def backend() -> Iterator[tuple[str, list[bytes]]]:
    """A server on the loopback interface, and what it was sent."""
    taken: list[bytes] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Own", (Backend,), {"taken": taken}))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", taken
    server.shutdown()
    server.server_close()
    thread.join()


def client(url: str) -> Client:
    """A client with guarded hooks."""
    return Client(api_url=url, api_key="key", **hooks("logs"))


@traceable(run_type="llm")
def chat(value: Any, *, note: str) -> Any:
    """Answer with what came in."""
    return {"answer": value, "note": note}


@traceable(run_type="llm")
def answers(value: Any) -> Any:
    """Answer with the value alone."""
    return value


@traceable
def fails(value: Any) -> Any:
    """Fail with the value in the message."""
    raise ValueError(f"no answer in {value!r}")


@pytest.mark.parametrize("form", [form for form in FORMS if form != "tags"])
def test_runs_show_no_reasoning(form: str, backend: tuple[str, list[bytes]]) -> None:
    """Inputs, outputs, metadata and errors of a run lose reasoning on the wire."""
    secret = canary()
    value = forms(secret)[form]
    url, taken = backend
    sending = client(url)
    with tracing_context(enabled=True, client=sending, metadata={"answer": value}):
        chat(value, note=VISIBLE)
        with pytest.raises(ValueError, match="no answer"):
            fails(value)
    sending.flush()
    sending.cleanup()
    said = b"".join(taken)

    assert VISIBLE.encode() in said
    assert b"no answer in" in said
    assert clean(said, secret)


def test_plain_answers_and_events_show_no_reasoning(backend: tuple[str, list[bytes]]) -> None:
    """The text of an answer and the events of a run lose reasoning too."""
    secret = canary()
    url, taken = backend
    sending = client(url)
    with tracing_context(enabled=True, client=sending):
        answers(f"<think>{secret}</think>{VISIBLE}")
    sending.create_run(
        "stream",
        {"a": 1},
        "llm",
        trace_id="0" * 8 + "-0000-4000-8000-" + "0" * 12,
        id="0" * 8 + "-0000-4000-8000-" + "0" * 12,
        dotted_order="20261129T000000000000Z00000000-0000-4000-8000-000000000000",
        events=[{"name": "new_token", "kwargs": {"chunk": message(secret), "text": repr(ThinkingBlock(secret))}}],
    )
    sending.flush()
    sending.cleanup()
    said = b"".join(taken)

    assert VISIBLE.encode() in said
    assert b"new_token" in said
    assert clean(said, secret)


def test_what_cannot_be_judged_leaves_a_placeholder() -> None:
    """The anonymizer answers with a dictionary in any case, and other fields stay."""
    secret = canary()
    told = hooks("logs")["anonymizer"]({"bad": cycle(secret), "note": VISIBLE})

    assert {"bad": "[reticent withheld a value: cyclic-input]", "note": VISIBLE} == told


def test_unknown_surface_fails_at_start() -> None:
    """A wrong name fails when the hooks are made."""
    with pytest.raises(UnknownSurface):
        hooks("log")
