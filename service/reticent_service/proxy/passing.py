"""Everything that is no turn: carried both ways as it comes, and stripped by what its content type says it is.

Stored responses, batches and files hold reasoning too, so nothing is carried unread but pictures, sound and the like;
``ReticentMiddleware`` says what happens to each content type, and refuses what it cannot judge.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from reticent.integrations.asgi import ReticentMiddleware
from reticent_service.problems import BadRequest
from reticent_service.proxy import headers, upstream

if TYPE_CHECKING:
    import httpx
    from starlette.types import Message, Receive, Scope, Send

    from reticent.compiler import Plan
    from reticent_service.proxy.connection import Connection
    from reticent_service.proxy.upstream import Upstream

_UNTOLD: Final = frozenset((b"application/octet-stream", b"binary/octet-stream", b"application/x-jsonl"))
"""Types that say nothing about what the bytes are; results of batches come as such, so the bytes have to tell."""
_NO_BODY: Final = frozenset((204, 205, 304))
_TYPE: Final = b"content-type"


class Passing:
    """Carries one request and its answer."""

    def __init__(self, connection: Connection, upstream_: Upstream, plan: Plan, surface: str) -> None:
        """Serve ``connection``."""
        self._connection = connection
        self._upstream = upstream_
        self._guarded = ReticentMiddleware(self._carried, surface, plan=plan)
        self._untold: bytes | None = None

    async def answer(self) -> None:
        """Serve the request.

        Raises:
            BadRequest: the upstream cannot be asked, or stopped in the middle.
        """
        await self._guarded(self._connection.scope, _nothing, self._relabelled)

    async def _carried(self, scope: Scope, _receive: Receive, send: Send) -> None:
        connection = self._connection
        sent = headers.onward(scope["headers"])
        length = headers.value_of(scope["headers"], b"content-length")
        chunked = headers.value_of(scope["headers"], b"transfer-encoding") is not None
        if length is not None:
            sent.append((b"content-length", length))
        content = connection.chunks() if chunked or length not in (None, b"0") else b""
        if not content:
            connection.has_no_body()
        response = await self._upstream.ask(scope["method"], connection.target, sent, content)
        try:
            await self._answered(response, send, bodiless=scope["method"] == "HEAD")
        finally:
            await response.aclose()

    async def _answered(self, response: httpx.Response, send: Send, *, bodiless: bool) -> None:
        status = response.status_code
        if status in range(300, 400) and status != HTTPStatus.NOT_MODIFIED:
            detail = "the upstream sends the request elsewhere; name the right upstream, none other is asked"
            raise BadRequest("upstream-redirect", HTTPStatus.BAD_GATEWAY, detail)
        await send({"type": "http.response.start", "status": status, "headers": self._labelled(response)})
        if not bodiless and status not in _NO_BODY:
            async for chunk in upstream.chunks(response):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _labelled(self, response: httpx.Response) -> headers.Headers:
        """The headers of the answer, less a content type that says nothing."""
        kept = headers.back(response.headers.raw)
        told = headers.value_of(kept, _TYPE) or b""
        if told.partition(b";")[0].strip().lower() not in _UNTOLD:
            return kept
        self._untold = told
        return [(name, value) for name, value in kept if name != _TYPE]

    async def _relabelled(self, message: Message) -> None:
        connection = self._connection
        if message["type"] == "http.response.start":
            own = list(message["headers"])
            if self._untold is not None and headers.value_of(own, _TYPE) is None:
                own.append((_TYPE, self._untold))
            await connection.start(message["status"], own)
        elif message["type"] == "http.response.body":
            await connection.put(message.get("body", b""), last=not message.get("more_body", False))


async def _nothing() -> Message:
    """The body is read where it is carried."""
    return {"type": "http.disconnect"}
