"""Everything that is no turn, and requests that try to reach something else than the upstream."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.service.proxying import Client, Place, proxying, settings
from tests.simulator.upstream import Asked, Upstream

from reticent.errors import ConfigurationError
from reticent_service.proxy import echoes, headers
from reticent_service.proxy.app import create_proxy

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """One proxy for all tests of this file."""
    with proxying(tmp_path_factory.mktemp("proxy"), Upstream()) as running:
        yield running


@pytest.fixture(scope="module")
def http() -> Iterator[Any]:
    """A client."""
    with Client().http() as client:
        yield client


def test_what_has_no_reasoning_comes_byte_for_byte(place: Place, http: Any) -> None:
    """A list of models is what the provider sent, and no task is named."""
    through, direct = http.get(f"{place.url}/v1/models?x=1"), http.get(f"{place.upstream_url}/v1/models?x=1")
    assert direct.content == through.content
    assert b"/v1/models?x=1" == place.upstream.asked[-1].target
    assert "reticent-task" not in through.headers


def test_a_stored_response_is_stripped(place: Place, http: Any) -> None:
    """A route that is no turn and returns reasoning returns it without."""
    answer = http.get(f"{place.url}/v1/responses/resp_1")
    assert 200 == answer.status_code
    assert b"encrypted_content" not in answer.content
    assert [] == [word for word in place.upstream.secrets if word.encode() in answer.content]
    assert "function_call" in answer.text


def test_bodies_are_carried_both_ways(place: Place, http: Any) -> None:
    """An upload arrives whole, with its length or in chunks; HEAD has no body."""
    data = secrets.token_bytes(300_000)
    for content in (data, iter([data[:1000], data[1000:]])):
        assert {"length": len(data)} == http.put(f"{place.url}/v1/echo", content=content).json()
        assert data == place.upstream.asked[-1].body
    assert b"" == http.head(f"{place.url}/v1/models").content


@pytest.mark.parametrize(("status", "path"), [(502, "/v1/models"), (502, "/v1/messages")])
def test_no_redirect_is_followed(place: Place, http: Any, status: int, path: str) -> None:
    """An upstream that sends elsewhere is not obeyed, by the proxy or through it."""
    place.upstream.fault = lambda _asked: "redirect"
    try:
        method = "POST" if path.endswith("messages") else "GET"
        answer = http.request(method, place.url + path, json={}, headers={"x-api-key": "k"})
    finally:
        place.upstream.fault = _works
    assert status == answer.status_code
    assert "location" not in answer.headers
    assert "upstream-redirect" in answer.text


def _works(_asked: Asked) -> str | None:
    return None


@pytest.mark.parametrize(
    "line",
    [
        b"GET http://127.0.0.1:9/v1/models HTTP/1.1\r\nhost: 127.0.0.1:9",
        b"GET /v1/models HTTP/1.1\r\nhost: evil.example\r\nx-forwarded-host: evil.example",
        b"GET /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close, x-secret\r\nx-secret: 1\r\nte: trailers",
        b"GET //127.0.0.1:9/v1/models HTTP/1.1\r\nhost: x",
    ],
)
def test_the_request_cannot_name_another_upstream(place: Place, line: bytes) -> None:
    """Whatever the request says about hosts, the upstream is asked, under its own name."""
    before = len(place.upstream.asked)
    status = _raw(place, line)
    assert b"HTTP/1.1 200" == status
    [asked] = place.upstream.asked[before:]
    assert place.upstream_url.removeprefix("http://").encode() == asked.headers[b"host"]
    assert not {b"x-secret", b"te", b"connection"} & (asked.headers.keys() - {b"connection"})
    assert asked.target.startswith(b"/")


@pytest.mark.parametrize("path", ["/v1/../admin", "/v1/%2e%2E/admin", "/v1/..%2fadmin", "/..\\x"])
def test_a_path_leads_nowhere_above(place: Place, path: str) -> None:
    """Dots do not lead out of the upstream's own path, however they are written."""
    before = len(place.upstream.asked)
    assert b"HTTP/1.1 400" == _raw(place, f"GET {path} HTTP/1.1\r\nhost: x".encode())
    assert before == len(place.upstream.asked)


def _raw(place: Place, request: bytes) -> bytes:
    """Send bytes as they are; the status line."""
    port = int(place.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(request + b"\r\n\r\n")
        return connection.recv(65536)[:12]


def test_cookies_of_one_client_are_not_sent_for_another(place: Place) -> None:
    """What the upstream sets goes to the client that it is for, and the proxy keeps nothing."""
    for _ in range(2):
        with Client().http() as fresh:
            assert "seen=1" in fresh.get(f"{place.url}/v1/models").headers["set-cookie"]
        assert b"cookie" not in place.upstream.asked[-1].headers


def test_it_lives_and_is_ready(place: Place, http: Any) -> None:
    """The proxy's own addresses stand apart from the upstream's."""
    before = len(place.upstream.asked)
    assert {"status": "alive"} == http.get(f"{place.url}/-/reticent/livez").json()
    assert "ready" == http.get(f"{place.url}/-/reticent/readyz").json()["status"]
    assert before == len(place.upstream.asked)


@pytest.mark.parametrize(("body", "status"), [(b"{", 400), (b"[]", 400), (b"x" * 5000, 413)])
def test_a_body_that_is_no_turn_is_refused(tmp_path: Path, body: bytes, status: int) -> None:
    """What is no JSON object, or too long, does not reach the upstream."""
    upstream = Upstream()
    with proxying(tmp_path, upstream, max_body_bytes=4096) as place, Client().http() as http:
        answer = http.post(f"{place.url}/v1/messages", content=body, headers={"x-api-key": "k"})
        assert status == answer.status_code
        assert "error" == answer.json()["type"]
    assert [] == upstream.asked


@pytest.mark.parametrize(
    "values",
    [
        {"upstream": None},
        {"store": None},
        {"keys": None},
        {"surface": "request_memory"},
        {"surface": "nowhere"},
        {"upstream": "https://user:word@api.example.com/"},
        {"upstream": "https://api.example.com/?x=1"},
    ],
)
def test_a_wrong_configuration_is_no_proxy(tmp_path: Path, values: dict[str, Any]) -> None:
    """What is missing or wrong is said at start, and passwords are not."""
    with pytest.raises(ConfigurationError) as told:
        create_proxy(settings(tmp_path, "http://127.0.0.1:9", **values))
    assert "word" not in str(told.value).partition("password")[0]


def test_a_tenant_is_told_by_credentials_alone() -> None:
    """The same credentials are one tenant, others another, none nobody; a key in the query counts."""
    key = b"k" * 32
    one = headers.tenant_of([(b"authorization", b"Bearer a"), (b"user-agent", b"x")], b"", key)
    assert one == headers.tenant_of([(b"user-agent", b"y"), (b"Authorization", b"Bearer a")], b"alt=sse", key)
    assert one == headers.tenant_of([(b"x-api-key", b"a")], b"", key) == headers.tenant_of([], b"key=a", key)
    others = [
        headers.tenant_of([(b"authorization", b"Bearer b")], b"", key),
        headers.tenant_of([(b"authorization", b"Basic a")], b"", key),
        headers.tenant_of([(b"authorization", b"Bearer a")], b"", b"l" * 32),
        headers.tenant_of([(b"authorization", b"Bearer a"), (b"x-api-key", b"b")], b"", key),
    ]
    assert 5 == len({one, *others})
    assert None not in others
    assert headers.tenant_of([(b"authorization", b" "), (b"x-api-key", b"Bearer")], b"key=", key) is None


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("the thought was: abcdefghij klmnopqrst and so on", True),
        ("input_value='abcdefghij klmnopqr...z', type=str", True),
        ("your words were: visible words of the client", False),
        ("prompt is too long: 200000 tokens", False),
    ],
)
def test_an_echo_is_what_the_client_did_not_send(answer: str, found: bool) -> None:
    """Stretches of what was put in are found, cut or not; the client's own words are not meant."""
    sent = orjson.dumps({"messages": ["visible words of the client, which are long"]})
    restored = orjson.dumps(
        {"messages": ["visible words of the client, which are long", "abcdefghij klmnopqrstuvwxyz"]}
    )
    assert found is echoes.repeats(orjson.dumps({"error": answer}), restored, sent)
    assert not echoes.repeats(answer.encode(), sent, sent)
