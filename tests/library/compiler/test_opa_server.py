"""The OPA server engine: against a real OPA, and against servers that misbehave."""

from __future__ import annotations

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from tests.servers.running import free_port

from reticent.compiler import Engine, load_plan
from reticent.compiler.opa_server import OpaServer, ServerSettings, _mapped
from reticent.errors import ConfigurationError, EngineAnswerInvalid, EngineError, EngineUnavailable
from reticent.surfaces import load_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date
    from pathlib import Path

    Answering = Callable[[BaseHTTPRequestHandler], object]

TOKEN = "token-canary-7714"


class Fake:
    """A server on the loopback interface that answers as it is told, and remembers what it was sent."""

    def __init__(self) -> None:
        self.answer: Answering = send(200, b"{}")
        self.seen: list[tuple[str, dict[str, str], bytes]] = []
        fake = self

        class Handler(BaseHTTPRequestHandler):
            """Hands every request to the test."""

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                fake.seen.append((self.path, dict(self.headers), self.rfile.read(length)))
                fake.answer(self)

            do_GET = do_PUT = do_POST  # noqa: N815 - the names that http.server looks for

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the signature of http.server
                """Stay silent."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


def send(status: int, body: bytes, **headers: str) -> Answering:
    """Answer with a status and a body."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def answered(content: object) -> Answering:
    """Answer with JSON."""
    return send(200, json.dumps(content).encode())


@pytest.fixture
def fake() -> Iterator[Fake]:
    """Give a server that misbehaves on demand."""
    made = Fake()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def engine(url: str, **settings: Any) -> OpaServer:
    """Make an engine that loses patience soon."""
    patience: dict[str, Any] = {"timeout": 0.5, "retries": 0}
    return OpaServer(ServerSettings(url=url, **patience | settings))


@pytest.mark.opa
def test_real_server_gives_the_plan_of_the_embedded_engine(opa_url: str, embedded: Engine, today: date) -> None:
    """Both engines make the same plan of the shipped table, down to the digest."""
    server = OpaServer(ServerSettings(url=opa_url))

    assert isinstance(server, Engine)
    assert load_plan(engine=embedded, today=today).digest == load_plan(engine=server, today=today).digest


@pytest.mark.opa
def test_real_server_tells_which_rules_it_has(opa_url: str, embedded: Engine) -> None:
    """The digest of what the server has loaded is the digest of what ships."""
    assert embedded.policy_digest == OpaServer(ServerSettings(url=opa_url)).policy_digest


@pytest.mark.opa
def test_rules_are_uploaded_as_they_are(empty_opa_url: str, embedded: Engine, today: date) -> None:
    """An empty server leaves the decision undefined; uploading puts the very texts on it, and then it decides."""
    server = OpaServer(ServerSettings(url=empty_opa_url))
    with pytest.raises(EngineAnswerInvalid, match=r"are the rules reticent\.main loaded"):
        server.decide(load_table().document(today))
    server.upload()

    assert embedded.policy_digest == server.policy_digest
    assert load_plan(engine=embedded, today=today).digest == load_plan(engine=server, today=today).digest


BAD_ANSWERS = {
    "nothing": answered({}),
    "null": answered(None),
    "a null result": answered({"result": None}),
    "an empty result": answered({"result": {}}),
    "half a result": answered({"result": {"plan": {}}}),
    "another type": answered({"result": [1]}),
    "a list": answered([]),
    "a hole": answered({"result": {"plan": {}, "errors": []}}),
    "an unknown word": answered({"result": {"plan": {"logs": {"verdict": "perhaps"}}, "errors": []}}),
    "garbage": send(200, b"\xff\x00 not JSON"),
    "nothing at all": send(200, b""),
    "half a document": send(200, b'{"result": {"plan": '),
}


@pytest.mark.parametrize("name", BAD_ANSWERS)
def test_bad_answer_makes_no_plan(name: str, fake: Fake, today: date) -> None:
    """Nothing, null, garbage, a hole or a word nobody knows is refused as an answer."""
    fake.answer = BAD_ANSWERS[name]

    with pytest.raises(EngineAnswerInvalid):
        load_plan(engine=engine(fake.url), today=today)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 500, 503])
def test_server_that_refuses_is_unavailable(status: int, fake: Fake, today: date) -> None:
    """Every error status is an engine that gave no answer, and its body is not repeated."""
    fake.answer = send(status, b'{"message": "body-canary-5521"}')

    with pytest.raises(EngineUnavailable, match=f"status {status}") as caught:
        load_plan(engine=engine(fake.url), today=today)
    assert "body-canary-5521" not in f"{caught.value!r}{caught.value}"


def test_slow_server_is_unavailable(fake: Fake, today: date) -> None:
    """A server that does not answer in time is given up."""
    released = threading.Event()
    fake.answer = lambda _: released.wait(5)

    with pytest.raises(EngineUnavailable, match="in time"):
        load_plan(engine=engine(fake.url, timeout=0.1), today=today)
    released.set()


def test_server_that_hangs_up_is_unavailable(fake: Fake, today: date) -> None:
    """A connection that ends without an answer is no answer."""
    fake.answer = lambda handler: handler.connection.shutdown(socket.SHUT_RDWR)

    with pytest.raises(EngineUnavailable):
        load_plan(engine=engine(fake.url), today=today)


def test_server_that_is_not_there_is_unavailable(today: date) -> None:
    """Nobody listening is an engine that is away."""
    with pytest.raises(EngineUnavailable, match="cannot be reached"):
        load_plan(engine=engine(f"http://127.0.0.1:{free_port()}"), today=today)


def test_server_without_rules_has_no_digest(fake: Fake) -> None:
    """A server that has no reticent rules, or tells nonsense about them, has no policy digest."""
    for answer in (answered({"result": []}), answered({"result": [{"id": "x"}]}), answered({})):
        fake.answer = answer
        with pytest.raises(EngineError):
            _ = engine(fake.url).policy_digest


def test_only_the_table_is_sent(fake: Fake, today: date, embedded: Engine) -> None:
    """One request carries the document to the entrypoints' package, with the token as a bearer."""
    document = load_table().document(today)
    fake.answer = answered({"result": embedded.decide(document)})
    engine(fake.url, token=TOKEN).decide(document)
    [(path, headers, body)] = fake.seen

    assert "/v1/data/reticent/main" == path
    assert f"Bearer {TOKEN}" == headers["Authorization"]
    assert {"input": document} == json.loads(body)


def test_refused_upload_is_not_tried_again_with_other_text(fake: Fake) -> None:
    """When the server refuses a rule the client does not rewrite it."""
    fake.answer = send(400, b'{"code": "invalid_parameter", "message": "`if` keyword is required before rule body"}')

    with pytest.raises(EngineUnavailable):
        engine(fake.url).upload()
    assert 1 == len(fake.seen)


def test_token_is_in_no_message(fake: Fake, today: date, tmp_path: Path) -> None:
    """Neither settings, engine nor errors show the token."""
    fake.answer = send(401, b"{}")
    (tmp_path / "cert-canary").touch()
    server = engine(fake.url, token=TOKEN, client_cert=str(tmp_path / "cert-canary"))

    with pytest.raises(EngineUnavailable) as caught:
        server.decide(load_table().document(today))
    assert TOKEN not in f"{server!r}{server._settings!r}{caught.value!r}"
    assert "cert-canary" not in repr(server._settings)


@pytest.mark.parametrize(
    "url",
    ["localhost:8181", "ftp://localhost", "http://", "http://me:secret@localhost", "http://localhost/v1", ""],
)
def test_url_must_be_plain(url: str) -> None:
    """A URL with a path, a user, another scheme or no host is a configuration error that does not repeat it."""
    with pytest.raises(ConfigurationError) as caught:
        OpaServer(ServerSettings(url=url))
    assert "secret" not in str(caught.value)


def test_token_travels_encrypted_or_not_at_all() -> None:
    """A token for another machine needs https; on the loopback interface http will do."""
    with pytest.raises(ConfigurationError):
        OpaServer(ServerSettings(url="http://opa.example", token=TOKEN))
    OpaServer(ServerSettings(url="https://opa.example", token=TOKEN))
    OpaServer(ServerSettings(url="http://[::1]:8181", token=TOKEN))


def test_certificates_are_checked_over_https(tmp_path: Path) -> None:
    """Over https the authorities of the installation are trusted, or exactly those of a file, which has to be there."""
    file = tmp_path / "ca.pem"
    with pytest.raises(ConfigurationError, match="there is no such file"):
        OpaServer(ServerSettings(url="https://opa.example", ca_file=str(file)))
    file.touch()
    default: Any = OpaServer(ServerSettings(url="https://opa.example"))._client()
    pinned: Any = OpaServer(ServerSettings(url="https://opa.example", ca_file=str(file)))._client()

    assert (True, str(file)) == (default._session.verify, pinned._session.verify)
    assert "https://opa.example:8181/v1" == default.root_url == pinned.root_url


def test_nobody_is_followed_to_another_server(fake: Fake, today: date) -> None:
    """A redirect is a server that gives no answer: neither a table nor a token goes where it points."""
    other = Fake()
    fake.answer = send(307, b"", Location=f"{other.url}/v1/data/reticent/main")
    other.server.server_close()

    with pytest.raises(EngineUnavailable):
        load_plan(engine=engine(fake.url, token=TOKEN), today=today)
    assert 1 == len(fake.seen)


def test_every_exception_of_the_client_is_mapped() -> None:
    """Whatever the client or what it stands on raises comes out as an engine error."""
    found = [
        value
        for module in map(import_module, ("opa_client.errors", "requests.exceptions"))
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Exception) and not issubclass(value, Warning)
    ]

    assert len(found) > 25
    for kind in found:
        assert isinstance(_mapped(kind.__new__(kind), "a decision"), EngineError)
