"""httpx and httpx2: clients whose requests are checked against what the producer issued.

.. code-block:: python

    import httpx
    from reticent.integrations.httpx import watch

    client = httpx.Client(base_url="https://api.anthropic.com")
    trip = watch(client, "provider_roundtrip")
    client.post("/v1/messages", json=body)  # ProducerMismatch before it leaves, when a block was altered

Answers are read as they pass: JSON and server-sent events. Bodies are asked for uncompressed.
https://www.python-httpx.org/advanced/event-hooks/
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import AsyncIterator, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from reticent.integrations._round_trip import Answer, Ledger, RoundTrip, parsed

if TYPE_CHECKING:
    from typing import Unpack

    from reticent.integrations._options import RoundTripOptions

__all__ = ["Ledger", "RoundTrip", "attach", "watch"]

_ZIPPED: Final = frozenset(("gzip", "x-gzip", "deflate"))


def watch(client: Any, surface: str, **options: Unpack[RoundTripOptions]) -> RoundTrip:
    """Check every JSON body that ``client`` sends, and note what comes back; ``options`` are those of ``RoundTrip``.

    ``client`` is a ``Client`` or ``AsyncClient`` of httpx or httpx2.

    Raises:
        UnknownSurface: the plan has no such surface.
    """
    trip = RoundTrip(surface, **options)
    attach(client, trip)
    return trip


def attach(client: Any, trip: RoundTrip, *, requests: bool = True) -> None:
    """Add the hooks of ``trip`` to ``client``; without ``requests``, only answers are noted."""
    asynchronous = hasattr(client, "aclose")
    hooks = client.event_hooks
    before = [*hooks.get("request", ()), _before(trip, check=requests, asynchronous=asynchronous)]
    after = [*hooks.get("response", ()), _after(trip, asynchronous=asynchronous)]
    client.event_hooks = {"request": before, "response": after}


def _before(trip: RoundTrip, *, check: bool, asynchronous: bool) -> Any:
    def on_request(request: Any) -> None:
        if not _is_json(request):
            return
        # What is noted is the body itself, which other encodings would hide.
        request.headers["accept-encoding"] = "identity"
        if check:
            trip.check(str(request.url), request.read())

    async def on_request_async(request: Any) -> None:
        if _is_json(request):
            await request.aread()
        on_request(request)

    return on_request_async if asynchronous else on_request


def _after(trip: RoundTrip, *, asynchronous: bool) -> Any:
    def on_response(response: Any) -> None:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        streamed = kind == "text/event-stream"
        readable = _decoder(response.headers.get("content-encoding", ""))
        if response.status_code >= 400 or readable is None or not (streamed or kind.endswith("json")):  # noqa: PLR2004
            return
        producer = trip.producer(str(response.request.url), parsed(response.request.content))
        answer = Answer(trip, producer, streamed=streamed)
        if response.is_stream_consumed:  # a transport that had the body at hand, such as a cache
            answer.feed(response.content)
            answer.end()
            return
        tee = _tee_class(type(response).__module__.partition(".")[0])
        response.stream = tee(response.stream, answer, readable)

    async def on_response_async(response: Any) -> None:
        if _is_json(response.request):
            on_response(response)

    def on_response_sync(response: Any) -> None:
        if _is_json(response.request):
            on_response(response)

    return on_response_async if asynchronous else on_response_sync


def _is_json(request: Any) -> bool:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return bool(request.method in ("POST", "PUT", "PATCH") and kind.endswith("json"))


def _decoder(encoding: str) -> Any:
    """What turns the bytes of a body into what they say; None for an encoding that cannot be read here."""
    if encoding.strip().lower() in ("", "identity"):
        return bytes
    return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress if encoding.strip().lower() in _ZIPPED else None


class _Tee:
    """Hands a body on as it is and lets an answer read along."""

    def __init__(self, inner: Any, answer: Answer, decode: Any) -> None:
        self._inner = inner
        self._answer = answer
        self._decode = decode

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._inner:
            self._note(chunk)
            yield chunk
        self._answer.end()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._inner:
            self._note(chunk)
            yield chunk
        self._answer.end()

    def _note(self, chunk: bytes) -> None:
        try:
            told = self._decode(chunk)
        except zlib.error:
            return
        self._answer.feed(told)

    def close(self) -> None:
        """Close the body."""
        self._inner.close()

    async def aclose(self) -> None:
        """Close the body."""
        await self._inner.aclose()


@cache
def _tee_class(library: str) -> Any:
    """A stream class of the client's own library, which both kinds of client accept."""
    module: Any = sys.modules[library]
    return type("Tee", (_Tee, module.SyncByteStream, module.AsyncByteStream), {})
