"""WSGI middleware: JSON and streams, through the server interface of the standard library."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from wsgiref.util import setup_testing_defaults
from wsgiref.validate import validator

import pytest
from tests.integrations.reasoning import VISIBLE, clean, message
from tests.integrations.wires import STREAMS, pieces

from reticent.errors import UnknownSurface
from reticent.integrations.wsgi import ReticentMiddleware
from reticent.testing import canary

SIZES = (1, 7, 64, 100_000)


def app(chunks: Iterable[bytes], kind: str = "application/json", **more: str) -> Callable[..., Iterable[bytes]]:
    """An application that answers with these chunks."""

    def answer(_environ: Any, start_response: Any) -> Iterator[bytes]:
        headers = [("Content-Type", kind), *((name.replace("_", "-"), value) for name, value in more.items())]
        start_response("200 OK", headers)
        yield from chunks

    return answer


def get(application: Any, path: str = "/") -> tuple[str, dict[str, str], bytes]:
    """Status, headers and body that a server gets, checked against the specification."""
    environ: dict[str, Any] = {"PATH_INFO": path, "SCRIPT_NAME": "", "QUERY_STRING": "", "HTTP_ACCEPT_ENCODING": "gzip"}
    setup_testing_defaults(environ)
    told: list[Any] = []

    def start_response(status: str, headers: Any, exc_info: Any = None) -> Any:
        told[:] = [status, {name.lower(): value for name, value in headers}, exc_info]
        return lambda _data: None

    answer = validator(application)(environ, start_response)
    try:
        body = b"".join(answer)
    finally:
        answer.close()  # type: ignore[attr-defined]
    return told[0], told[1], body


def test_an_unknown_surface_fails_at_start() -> None:
    """A middleware for a surface that the plan does not have is never made."""
    with pytest.raises(UnknownSurface):
        ReticentMiddleware(app([]), "suport_console")


@pytest.mark.parametrize("size", SIZES)
def test_json_is_one_message(size: int) -> None:
    """A JSON answer goes out without reasoning, with the length it has then."""
    secret = canary()
    data = json.dumps({"conversation": [message(secret)]}).encode()
    given = app(pieces(data, size), Content_Length=str(len(data)))
    _, headers, body = get(ReticentMiddleware(given, "support_console"))

    assert clean(body, secret)
    assert VISIBLE in body.decode()
    assert str(len(body)) == headers["content-length"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", STREAMS)
def test_streams_are_filtered_as_they_come(name: str, size: int) -> None:
    """Every wire that people get loses its reasoning, however it is cut, and keeps its text."""
    secret = canary()
    make, kind = STREAMS[name]
    _, headers, body = get(ReticentMiddleware(app(pieces(make(secret), size), kind), "browser_stream"))

    assert clean(body, secret)
    assert VISIBLE in body.decode()
    assert "content-length" not in headers or name == "text"


def test_what_cannot_be_judged_is_an_honest_error() -> None:
    """Malformed JSON becomes a problem with a code."""
    secret = canary()
    status, headers, body = get(ReticentMiddleware(app([b'{"thinking": "' + secret.encode()]), "support_console"))

    assert clean(body, secret)
    assert "500 Internal Server Error" == status
    assert "application/problem+json" == headers["content-type"]
    assert "malformed-input" == json.loads(body)["code"]


def test_written_bytes_are_judged() -> None:
    """Bytes that an application hands to the old write function take the same way."""
    secret = canary()

    def answer(_environ: Any, start_response: Any) -> list[bytes]:
        write = start_response("200 OK", [("Content-Type", "application/json")])
        write(json.dumps(message(secret)).encode())
        return [b""]

    _, _, body = get(ReticentMiddleware(answer, "support_console"))

    assert clean(body, secret)
    assert VISIBLE in body.decode()


def test_no_file_goes_past() -> None:
    """The application sees no file wrapper, which servers would send by themselves, and no wish for compression."""
    seen: dict[str, Any] = {}

    def answer(environ: Any, start_response: Any) -> list[bytes]:
        seen.update(environ)
        start_response("200 OK", [("Content-Type", "application/json")])
        return [b"{}"]

    middleware = ReticentMiddleware(answer, "support_console")
    told = {"wsgi.file_wrapper": object(), "PATH_INFO": "/", "HTTP_ACCEPT_ENCODING": "gzip"}
    list(middleware(told, lambda *_: None))

    assert {"PATH_INFO"} == set(seen)


def test_a_client_that_goes_away_closes_the_application() -> None:
    """Closing the answer in the middle closes the application's own iterable."""
    closed: list[bool] = []

    class Chunks:
        def __iter__(self) -> Iterator[bytes]:
            yield b"data: 1\n\n"
            yield b"data: 2\n\n"

        def close(self) -> None:
            closed.append(True)

    def answer(_environ: Any, start_response: Any) -> Chunks:
        start_response("200 OK", [("Content-Type", "text/event-stream")])
        return Chunks()

    told: Any = ReticentMiddleware(answer, "browser_stream")({"PATH_INFO": "/"}, lambda *_: None)

    assert b"data: 1\n\n" == next(iter(told))
    told.close()
    assert [True] == closed


def test_an_error_before_the_start_can_still_change_the_status() -> None:
    """An application that starts again with an error, as PEP 3333 lets it, gets its other status."""

    def answer(_environ: Any, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [("Content-Type", "application/json")])
        failure = (RuntimeError, RuntimeError("no"), None)
        start_response("503 Later", [("Content-Type", "application/json")], failure)
        yield b'{"a":1}'

    status, _, body = get(ReticentMiddleware(answer, "support_console"))

    assert ("503 Later", b'{"a":1}') == (status, body)


def test_pass_and_other_paths_are_left_alone() -> None:
    """On a pass surface, and on paths that are not meant, the application answers by itself."""
    data = json.dumps(message("x")).encode()

    assert data == get(ReticentMiddleware(app([data]), "provider_roundtrip"))[2]
    assert data == get(ReticentMiddleware(app([data]), "support_console", paths="/support"), "/x")[2]
