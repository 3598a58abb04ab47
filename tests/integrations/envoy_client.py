"""A client that speaks Envoy's external processing, and a processor for it to speak to."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING, Any

import grpc

from reticent.integrations import envoy
from reticent.integrations._envoy_messages import METHOD, SERVICE, ProcessingRequest, ProcessingResponse

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable


@contextlib.contextmanager
def serving(surface: str = "browser_stream", **options: Any) -> Generator[str]:
    """Run a processor in a thread, with options of ``serve``; gives its address."""
    ports: list[int] = []
    ready = threading.Event()
    loop = asyncio.new_event_loop()

    def started(port: int) -> None:
        ports.append(port)
        ready.set()

    task = loop.create_task(envoy.serve(surface, address="127.0.0.1:0", grace=1, started=started, **options))

    def run() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            loop.run_until_complete(task)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(20)
    try:
        yield f"127.0.0.1:{ports[0]}"
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join(20)
        loop.close()


def talk(address: str, messages: Iterable[Any], trust: grpc.ChannelCredentials | None = None) -> list[Any]:
    """Send all messages of one exchange and give the answers; over TLS when there is something to trust."""
    channel = grpc.insecure_channel(address) if trust is None else grpc.secure_channel(address, trust)
    call: Callable[..., Any] = channel.stream_stream(
        f"/{SERVICE}/{METHOD}",
        request_serializer=ProcessingRequest.SerializeToString,
        response_deserializer=ProcessingResponse.FromString,
    )
    try:
        return list(call(iter(messages), timeout=30))
    finally:
        channel.close()


def headers(side: str, *, end: bool = False, **told: str) -> Any:
    """Tell of headers; the first message of an exchange says what the filter is set to."""
    listed = [
        {
            "key": name.replace("_", "-").replace("-status", ":status").replace("-method", ":method"),
            "raw_value": value.encode(),
        }
        for name, value in told.items()
    ]
    values: dict[str, Any] = {f"{side}_headers": {"headers": {"headers": listed}, "end_of_stream": end}}
    if side == "request":
        values["protocol_config"] = {"response_body_mode": 4}
    return ProcessingRequest(**values)


def body(*pieces: bytes, side: str = "response", end: bool = True) -> list[Any]:
    """Tell of a body."""
    last = len(pieces) - 1
    return [
        ProcessingRequest(**{f"{side}_body": {"body": piece, "end_of_stream": end and at == last}})
        for at, piece in enumerate(pieces)
    ]


def exchange(kind: str, *pieces: bytes, **told: str) -> list[Any]:
    """Tell of a whole exchange."""
    first = headers("request", _method="POST", accept_encoding="gzip")
    return [
        first,
        headers("response", end=False, _status="200", content_type=kind, content_length="9", **told),
        *body(*pieces),
    ]


def out(answers: list[Any], side: str = "response") -> bytes:
    """Join the body that the client of Envoy gets."""
    found = [getattr(answer, f"{side}_body") for answer in answers if answer.HasField(f"{side}_body")]
    return b"".join(one.response.body_mutation.streamed_response.body for one in found)


def kinds(answers: list[Any]) -> list[str]:
    """Name the answers."""
    return [name for answer in answers for name in (field.name for field, _ in answer.ListFields())]
