"""The client's side of an exchange: bytes in, bytes out, and whether the client is still there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from reticent_service.problems import BadRequest

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from reticent_service.proxy.headers import Headers


class ClientGone(Exception):
    """The client went away, or did not take the next bytes in time."""


class Connection:
    """One request of one client. Times are seconds."""

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, *, receive_seconds: float, send_seconds: float
    ) -> None:
        """Serve a request of an ASGI server."""
        self.scope = scope
        self.started = False
        self.sent = 0
        self.sent_last = b""
        """What went out last, for who has to go on from there."""
        self._receive = receive
        self._read = asyncio.Event()
        self._send = send
        self._receive_seconds = receive_seconds
        self._send_seconds = send_seconds
        self._clock = time.monotonic
        self._waiting_since: float | None = None

    @property
    def target(self) -> bytes:
        """Path and query as they came."""
        path: bytes = self.scope["raw_path"]
        query: bytes = self.scope["query_string"]
        return path + b"?" + query if query else path

    async def body(self, limit: int) -> bytes:
        """The whole body of the request.

        Raises:
            BadRequest: it is longer than ``limit`` bytes, or takes too long.
            ClientGone: it never came.
        """
        parts = bytearray()
        async for chunk in self.chunks():
            parts += chunk
            if len(parts) > limit:
                raise BadRequest("input-too-large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"more than {limit} bytes")
        return bytes(parts)

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body of the request as it arrives.

        Raises:
            BadRequest: the next bytes take too long.
            ClientGone: they never came.
        """
        more = True
        while more:
            try:
                async with asyncio.timeout(self._receive_seconds):
                    message = await self._receive()
            except TimeoutError:
                raise BadRequest("too-slow", HTTPStatus.REQUEST_TIMEOUT, "the body takes too long") from None
            if message["type"] == "http.disconnect":
                raise ClientGone
            more = message.get("more_body", False)
            if chunk := message.get("body", b""):
                yield chunk
        self._read.set()

    def has_no_body(self) -> None:
        """Say that the request has no body, so that there is nothing to read."""
        self._read.set()

    async def while_here(self, work: Coroutine[Any, Any, None]) -> None:
        """Do ``work`` for as long as the client is there; whether it is shows once its body has been read.

        Raises:
            ClientGone: the client left first, or did not take what it was sent; the work was stopped.
        """
        tasks = [asyncio.ensure_future(one) for one in (work, self._left(), self._stalled())]
        doing = tasks[0]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if not doing.done():
                raise ClientGone
            await doing
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _left(self) -> None:
        await self._read.wait()
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def _stalled(self) -> None:
        """Wait until the client has not taken what it was sent for too long; a look now and then is cheap."""
        while True:
            since = self._waiting_since
            if since is not None and self._clock() - since >= self._send_seconds:
                return
            await asyncio.sleep(min(1.0, self._send_seconds / 4))

    async def start(self, status: int, headers: Headers) -> None:
        """Send the status and the headers."""
        self.started = True
        await self._send({"type": "http.response.start", "status": status, "headers": headers})

    async def put(self, out: bytes, *, last: bool) -> None:
        """Send the next bytes at the pace at which the client takes them, which ``while_here`` sets a limit to."""
        self.sent += len(out)
        self.sent_last = out or self.sent_last
        self._waiting_since = self._clock()
        await self._send({"type": "http.response.body", "body": out, "more_body": not last})
        self._waiting_since = None
