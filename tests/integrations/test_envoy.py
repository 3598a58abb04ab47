"""Envoy's external processing, over real gRPC: what a client that speaks the protocol sends and gets."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from tests.integrations.envoy_client import body, exchange, headers, kinds, out, serving, talk

from reticent.integrations import _envoy_exchange
from reticent.integrations._envoy_messages import METHOD, SERVICE, ProcessingRequest, ProcessingResponse
from reticent.testing import canary, leaks

if TYPE_CHECKING:
    from collections.abc import Iterator

# Made with Envoy's own messages (xds-protos 1.85.0 from PyPI), so that our numbers are held to theirs.
REQUESTS = {
    "request_headers": "122e0a2a0a0f0a073a6d6574686f641a04504f53540a170a0f6163636570742d656e636f64696e67"
    "1a04677a697018015a0410041801",
    "response_headers": "1a340a320a0e0a073a7374617475731a033230300a200a0c636f6e74656e742d74797065"
    "1a106170706c69636174696f6e2f6a736f6e",
    "request_body": "22060a027b7d1001",
    "response_body": "2a040a027b7d",
    "request_trailers": "320a0a080a060a01781a0131",
    "response_trailers": "3a0a0a080a060a01781a0131",
    "observability_mode": "12005001",
}
HEADERS_ANSWER = "0a140a121210120e636f6e74656e742d6c656e677468"
BODY_ANSWER = "220c0a0a1a081a060a027b7d1001"
IMMEDIATE = (
    "3a4c0a0308f403122e0a2c0a280a0c636f6e74656e742d747970651a186170706c69636174696f6e2f70726f626c656d2b6a736f6e18021a027b"
    "7d2a117265746963656e745f7769746868656c64"
)
SSE = b'data: {"choices":[{"index":0,"delta":{%s}}]}\n\n'
SHOWN, THOUGHT = SSE % b'"content":"Done."', SSE % b'"reasoning_content":"%s"'


@pytest.mark.parametrize("name", REQUESTS)
def test_messages_are_read_as_envoy_writes_them(name: str) -> None:
    """Each message that Envoy's own classes write has, in ours, the field of its name and no other."""
    message = ProcessingRequest.FromString(bytes.fromhex(REQUESTS[name]))

    assert message.HasField(name) if name != "observability_mode" else message.observability_mode
    assert message.SerializeToString(deterministic=True).hex().startswith(REQUESTS[name][:8])


def test_messages_are_written_as_envoy_reads_them() -> None:
    """Our answers are, byte for byte, what Envoy's own classes write."""
    written = [
        _envoy_exchange._headers_answer("request", ["content-length"]),
        *_envoy_exchange._chunks("response", b"{}", last=True),
        _envoy_exchange._immediate(b"{}"),
    ]

    assert [HEADERS_ANSWER, BODY_ANSWER, IMMEDIATE] == [
        one.SerializeToString(deterministic=True).hex() for one in written
    ]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Run a processor for the browser."""
    with serving() as at:
        yield at


def test_document_loses_its_reasoning(address: str) -> None:
    """A JSON response comes back without reasoning and without its old length, in the order that Envoy wants."""
    raw = b'{ "reasoning_content":"x", "content":"Done.", "n":1.50 }'
    answers = talk(address, exchange("application/json", raw[:20], raw[20:]))

    assert ["request_headers", "response_headers", "response_body"] == kinds(answers)
    assert b'{ "content":"Done.", "n":1.50 }' == out(answers)
    assert answers[-1].response_body.response.body_mutation.streamed_response.end_of_stream
    assert "content-length" in answers[1].response_headers.response.header_mutation.remove_headers
    assert ["accept-encoding"] == list(answers[0].request_headers.response.header_mutation.remove_headers)


def test_stream_is_answered_while_it_arrives(address: str) -> None:
    """Each event is answered before the next one is sent, and the headers with the first."""
    go = [threading.Event(), threading.Event()]

    def messages() -> Iterator[Any]:
        yield headers("request", _method="POST")
        yield headers("response", _status="200", content_type="text/event-stream")
        yield from body(THOUGHT % b"x", SHOWN, end=False)
        assert go[0].wait(20)
        yield from body(SHOWN, end=False)
        assert go[1].wait(20)
        yield from body(b"data: [DONE]\n\n")

    channel = grpc.insecure_channel(address)
    call = channel.stream_stream(
        f"/{SERVICE}/{METHOD}",
        request_serializer=ProcessingRequest.SerializeToString,
        response_deserializer=ProcessingResponse.FromString,
    )(messages(), timeout=30)
    first = [next(call) for _ in range(4)]
    go[0].set()
    second = [next(call)]
    go[1].set()
    rest = list(call)
    channel.close()

    assert ["request_headers", "response_headers", "response_body", "response_body"] == kinds(first)
    assert (SSE % b"") + SHOWN + SHOWN + b"data: [DONE]\n\n" == out(first + second + rest)


def test_long_body_is_cut_into_pieces(address: str) -> None:
    """No piece is longer than Envoy's documentation recommends, and only the last one says that it is."""
    raw = json.dumps({"content": "a" * 300_000}).encode()
    answers = talk(address, exchange("application/json", *(raw[at : at + 16384] for at in range(0, len(raw), 16384))))
    pieces = [one.response_body.response.body_mutation.streamed_response for one in answers[2:]]

    assert raw == out(answers)
    assert all(len(piece.body) <= _envoy_exchange.CHUNK_BYTES for piece in pieces)
    assert [False] * (len(pieces) - 1) + [True] == [piece.end_of_stream for piece in pieces]


def test_trailers_end_a_body(address: str) -> None:
    """A body that trailers follow is answered before they are, and does not say that it is the end."""
    told = exchange("application/json", b'{"reasoning_content":"x","content":"Done."}')
    told[-1].response_body.end_of_stream = False
    told.append(ProcessingRequest(response_trailers={"trailers": {"headers": [{"key": "x", "raw_value": b"1"}]}}))
    answers = talk(address, told)

    assert ["request_headers", "response_headers", "response_body", "response_trailers"] == kinds(answers)
    assert b'{"content":"Done."}' == out(answers)
    assert not answers[2].response_body.response.body_mutation.streamed_response.end_of_stream


@pytest.mark.parametrize(
    ("kind", "raw", "encoding"),
    [
        ("application/json", b'{"half":"CANARY', ""),
        ("application/json", b'{"reasoning_content":"CANARY"}', "br"),
        ("text/event-stream", b'data: {"reasoning_content":"CANARY\n\n', ""),
    ],
)
def test_refusal_is_an_answer_of_its_own(address: str, kind: str, raw: bytes, encoding: str) -> None:
    """A body that cannot be judged becomes a problem document; nothing of it and nothing after it goes out."""
    secret = canary()
    told = exchange(
        kind, raw.replace(b"CANARY", secret.encode()), b"more", **({"content_encoding": encoding} if encoding else {})
    )
    answers = talk(address, told)

    assert ["request_headers", "immediate_response"] == kinds(answers)
    problem = answers[-1].immediate_response
    assert (500, "withheld") == (problem.status.code, json.loads(problem.body)["title"])
    assert [] == leaks(b"".join(one.SerializeToString() for one in answers), secret)


def test_refusal_in_the_middle_ends_the_stream(address: str) -> None:
    """A stream that was begun ends with an error event; what still arrives is dropped."""
    secret = canary()
    answers = talk(
        address,
        exchange("text/event-stream", SHOWN, b'data: {"reasoning_content":"%s\n\n' % secret.encode(), SHOWN, b""),
    )

    assert out(answers).startswith(SHOWN + b"event: error\ndata: ")
    assert 1 == out(answers).count(b"Done.")
    assert answers[-1].response_body.response.body_mutation.streamed_response.end_of_stream
    assert [] == leaks(out(answers), secret)


def test_refusal_that_cannot_be_told_is_an_error(address: str) -> None:
    """Where the stream has no form for it, the call ends with an error, which Envoy answers with one of its own."""
    told = exchange("application/vnd.amazon.eventstream", b"\x00\x00\x00\x00" * 8)
    with pytest.raises(grpc.RpcError) as failed:
        talk(address, [*told[:2], *body(b"", end=False), told[2]])

    assert grpc.StatusCode.FAILED_PRECONDITION == failed.value.code()


@pytest.mark.parametrize("encoding", ["gzip", ""])
def test_compressed_body_is_read(address: str, encoding: str) -> None:
    """A body that comes compressed all the same is read, and goes on plain."""
    raw = b'{"reasoning_content":"x","content":"Done."}'
    told = {"content_encoding": encoding} if encoding else {}
    answers = talk(address, exchange("application/json", gzip.compress(raw) if encoding else raw, **told))

    assert b'{"content":"Done."}' == out(answers)
    assert "content-encoding" in answers[1].response_headers.response.header_mutation.remove_headers


def test_what_holds_no_text_is_carried(address: str) -> None:
    """An image goes on as it came, and its headers stay."""
    answers = talk(address, exchange("image/png", b"\x89PNG", b"data"))

    assert b"\x89PNGdata" == out(answers)
    assert [] == list(answers[1].response_headers.response.header_mutation.remove_headers)


@pytest.mark.parametrize(("method", "removed"), [("GET", False), ("HEAD", True)])
def test_response_without_a_body(address: str, method: str, *, removed: bool) -> None:
    """Headers that nothing follows are answered at once; those to HEAD lose a length that nobody may know."""
    first = headers("request", _method=method, end=True)
    answers = talk(address, [first, headers("response", _status="200", content_type="application/json", end=True)])

    assert ["request_headers", "response_headers"] == kinds(answers)
    assert removed == ("content-length" in answers[1].response_headers.response.header_mutation.remove_headers)


@pytest.mark.parametrize("config", [{"response_body_mode": 0}, {"response_body_mode": 2}, "observability"])
def test_a_filter_that_would_let_bodies_pass_is_refused(address: str, config: Any) -> None:
    """A filter that keeps the body, or only watches, gets an error and never a clean end, after which Envoy goes on."""
    first = headers("request", _method="POST")
    if config == "observability":
        first.observability_mode = True
    else:
        first.protocol_config.CopyFrom(type(first.protocol_config)(**config))
    with pytest.raises(grpc.RpcError) as failed:
        talk(address, [first])

    assert grpc.StatusCode.FAILED_PRECONDITION == failed.value.code()


def test_headers_wait_for_the_body(address: str) -> None:
    """Headers of a body that is never sent are never answered, so that it cannot pass unseen."""
    told = [headers("request", _method="POST"), headers("response", _status="200", content_type="application/json")]

    assert ["request_headers"] == kinds(talk(address, told))


def test_bodies_of_requests() -> None:
    """With the other side judged, requests lose their reasoning and responses are carried."""
    first = ProcessingRequest(
        request_headers={"headers": {"headers": [{"key": "content-type", "raw_value": b"application/json"}]}},
        protocol_config={"request_body_mode": 4},
    )
    raw = b'{"reasoning_content":"x","content":"Done."}'
    told = [first, *body(raw, side="request"), headers("response", _status="200", end=True)]
    with serving("logs", side="request") as address:
        answers = talk(address, told)

    assert ["request_headers", "request_body", "response_headers"] == kinds(answers)
    assert b'{"content":"Done."}' == out(answers, "request")


def test_pass_surface_carries_everything() -> None:
    """For a surface that may hold reasoning the very same bytes go back, in the pieces they came in."""
    pieces = [b'{"half":', b"\xff"]
    with serving("task_store") as address:
        answers = talk(address, exchange("application/json", *pieces))

    assert pieces == [one.response_body.response.body_mutation.streamed_response.body for one in answers[2:]]
    assert [] == list(answers[0].request_headers.response.header_mutation.remove_headers)


def test_the_command_serves_until_told_to_stop() -> None:
    """`reticent ext-proc` says where it listens, answers, and ends in order."""
    code = "import reticent.cli; reticent.cli.main()"
    command = [sys.executable, "-c", code, "ext-proc", "--surface", "logs", "--port", "0"]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own
        assert process.stderr is not None
        said = process.stderr.readline()
        address = re.search(r"127\.0\.0\.1:\d+", said)
        assert address is not None, said
        answers = talk(address[0], exchange("application/json", b'{"reasoning_content":"x","content":"Done."}'))
        process.terminate()
        assert 0 == process.wait(timeout=40)

    assert b'{"content":"Done."}' == out(answers)


def test_a_crash_is_told_by_its_kind(
    address: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever fails inside ends the call with an error that holds no message, and no log has one."""
    secret = canary()

    def crash(*_: object, **__: object) -> None:
        raise ValueError(secret)

    monkeypatch.setattr(_envoy_exchange, "open_body", crash)
    with caplog.at_level("DEBUG"), pytest.raises(grpc.RpcError) as failed:
        talk(address, exchange("application/json", b"{}"))

    assert (grpc.StatusCode.INTERNAL, "ValueError") == (failed.value.code(), failed.value.details())
    assert [] == leaks(caplog.text, secret)
