"""An OPA that goes wrong: away, killed in the middle of a reload, answering garbage, half or nothing."""

from __future__ import annotations

import contextlib
import signal
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import opa_process
from tests.servers.opa import TOKEN
from tests.service.serving import THOUGHT, callers_file, client, settings, wait_until
from tests.service.test_plan_holder import DEFAULT, TIGHTER, ready, replace_with

from reticent._resources import policy_sources, rego_root
from reticent.errors import ConfigurationError, EngineError
from reticent_service.plan_holder import PlanHolder

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from tests.servers.opa import OpaOverTls

RULES = [str(rego_root() / path) for path in policy_sources()] + [str(rego_root() / "reticent_access" / "access.rego")]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Give a table file."""
    path = tmp_path / "surfaces.yaml"
    path.write_text(DEFAULT, encoding="utf-8")
    return path


class Between:
    """Something that stands before an OPA: passes questions on until it is told to answer something else."""

    def __init__(self, opa: str) -> None:
        """Pass on to ``opa``."""
        self.opa = opa
        self.instead: bytes | None = None
        self.length: int | None = None

    @contextlib.contextmanager
    def serving(self) -> Generator[str]:
        """Run for as long as the context is open; gives the address."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            """Answers."""

            def _answer(self) -> None:
                question = self.rfile.read(int(self.headers.get("content-length", 0)))
                body = outer.answer(self.command, self.path, question)
                if body is None:
                    self.close_connection = True
                    return
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(outer.length or len(body)))
                self.end_headers()
                self.wfile.write(body)
                self.close_connection = outer.length is not None

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

    def answer(self, method: str, path: str, question: bytes) -> bytes | None:
        """What to answer; None is nothing at all."""
        if self.instead is not None:
            return self.instead or None
        request = urllib.request.Request(self.opa + path, data=question or None, method=method)  # noqa: S310 - loopback
        with urllib.request.urlopen(request, timeout=10) as response:  # noqa: S310 - as above
            told: bytes = response.read()
            return told


GARBAGE = [b"", b"{}", b"[]", b"not json", b'{"result":null}', b'{"result":{"plan":{},"errors":[]}}']


@pytest.mark.parametrize("body", GARBAGE)
def test_garbage_starts_nothing(body: bytes) -> None:
    """An OPA that answers garbage, nothing, or half an answer gives no plan."""
    between = Between("")
    between.instead = body
    with between.serving() as url, pytest.raises(EngineError):
        PlanHolder(settings(opa=url))


@pytest.mark.opa
@pytest.mark.parametrize(("body", "length"), [*((body, None) for body in GARBAGE), (b'{"result":{"plan"', 4000)])
def test_garbage_changes_nothing(opa_access_url: str, table: Path, body: bytes, length: int | None) -> None:
    """An OPA that answers wrongly to a reload leaves the last good plan, until it recovers."""
    between = Between(opa_access_url)
    with between.serving() as url, client(settings(opa=url, table=table)) as caller:
        before = ready(caller)
        between.instead, between.length = body, length
        replace_with(table, TIGHTER)
        wait_until(lambda: ready(caller)["status"] == "stale")
        served = caller.post("/v1/surfaces/logs/filter", json=THOUGHT)
        between.instead = between.length = None
        wait_until(lambda: ready(caller)["status"] == "ready")

        assert before["plan"] == served.headers["reticent-plan"] != ready(caller)["plan"]
        assert "reasoning_content" not in served.text


@pytest.mark.opa
def test_killed_in_the_middle_of_a_reload(opa_binary: str, table: Path, tmp_path: Path) -> None:
    """An OPA that is killed while it is asked leaves the last good plan; without it a service does not start."""
    with opa_process(opa_binary, RULES, tmp_path / "log") as (url, process):
        chosen = settings(opa=url, table=table)
        holder = PlanHolder(chosen)
        plan = holder.state.plan
        replace_with(table, TIGHTER)
        process.send_signal(signal.SIGSTOP)
        reload = threading.Thread(target=holder.refresh)
        reload.start()
        reload.join(0.5)
        assert reload.is_alive(), "it did not wait for an answer"
        process.kill()
        reload.join(20)

    assert not reload.is_alive()
    assert holder.state.failure is not None
    assert ("engine-unavailable", plan) == (holder.state.failure.code, holder.state.plan)
    with pytest.raises(EngineError):
        PlanHolder(chosen)


@pytest.mark.opa
def test_an_opa_behind_tls_decides_tables_and_callers(opa_over_tls: OpaOverTls, table: Path, tmp_path: Path) -> None:
    """With its authority and a token, or a certificate, it decides both; with less there is no service."""
    callers = callers_file(tmp_path, {"console": {"may": [{"verbs": ["read"], "surfaces": ["logs"]}]}})
    wanted = PlanHolder(settings(table=table, callers=callers)).state
    trusting: dict[str, Any] = {"table": table, "callers": callers, "opa_ca": opa_over_tls.ours.file}
    shown: dict[str, Any] = {"opa_certificate": opa_over_tls.client.certificate, "opa_key": opa_over_tls.client.key}
    fitting: list[dict[str, Any]] = [
        {"opa": opa_over_tls.token, "opa_token": TOKEN},
        {"opa": opa_over_tls.mutual, **shown},
    ]
    for chosen in fitting:
        state = PlanHolder(settings(**trusting, **chosen)).state
        assert (wanted.plan.digest, wanted.grants) == (state.plan.digest, state.grants)

    lacking = [{**fitting[0], "opa_token": "guessed"}, {"opa": opa_over_tls.mutual}, {**fitting[0], "opa_ca": None}]
    for chosen in lacking:
        with pytest.raises(EngineError):
            PlanHolder(settings(**{**trusting, **chosen}))
    with pytest.raises(ConfigurationError):
        PlanHolder(settings(**{**trusting, **fitting[1], "opa_certificate": None}))
