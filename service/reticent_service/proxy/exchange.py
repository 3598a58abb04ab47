"""One turn on its way: restore the request, ask, hold the answer, show what the surface lets through.

What was acknowledged to the client was held before. A stream goes on while it arrives, up to the event that tells how
the turn ends; that one waits until the store has the turn. When the store does not take it, or the upstream stops in
the middle, the stream ends with an error that the client's library reads, and with nothing that was not filtered.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import orjson

from reticent.errors import MalformedInput
from reticent.store.accumulate import StreamedTurn
from reticent_service.problems import BadRequest
from reticent_service.proxy import echoes, failures, headers, upstream
from reticent_service.proxy.connection import ClientGone

if TYPE_CHECKING:
    import httpx

    from reticent.compiler import Plan
    from reticent.serializers import Report, StreamSerializer
    from reticent_service.observing import Call
    from reticent_service.proxy.connection import Connection
    from reticent_service.proxy.keeping import ClientTasks, Kept
    from reticent_service.proxy.routes import Route
    from reticent_service.proxy.upstream import Upstream

_THREAD_BYTES: Final = 256 * 1024
"""From this length on a document is filtered in a thread, so that others do not wait for it."""
_ERROR_BYTES: Final = 256 * 1024
_ERRORS: Final = 400
_SERVER_ERRORS: Final = 500
_REDIRECTS: Final = 300
_MOST: Final = 256 * 1024 * 1024


@dataclass(slots=True)
class Exchange:
    """One turn of one client; ``call`` is filled in on the way."""

    connection: Connection
    route: Route
    plan: Plan
    surface: str
    tasks: ClientTasks
    upstream: Upstream
    call: Call

    async def answer(self, body: bytes, asked: dict[str, Any], named: str | None) -> None:
        """Serve the request whose body is ``body``, parsed ``asked``, in the task that it ``named``.

        Raises:
            ReticentError, BadRequest: it cannot be served; when the answer had begun, the client was told already.
        """
        kept = await self.tasks.restored(body, asked, named)
        scope = self.connection.scope
        sent = headers.onward(scope["headers"])
        response = await self.upstream.ask(scope["method"], self.connection.target, sent, kept.restored)
        try:
            await self._answered(response, kept)
        finally:
            await response.aclose()

    async def _answered(self, response: httpx.Response, kept: Kept) -> None:
        status = response.status_code
        self.call.status = status
        if status >= _ERRORS:
            await self._refused(response, kept)
        elif status >= _REDIRECTS:
            detail = "the upstream sends the request elsewhere; name the right upstream, none other is asked"
            raise BadRequest("upstream-redirect", HTTPStatus.BAD_GATEWAY, detail)
        elif (wire := self._wire(response)) == "json":
            await self._document(response, kept)
        else:
            await self._stream(response, kept, wire)

    def _wire(self, response: httpx.Response) -> str:
        media = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media == "text/event-stream":
            return "sse"
        if media != "application/json":
            raise MalformedInput("the upstream answers a turn neither in JSON nor with server-sent events")
        return "json-array" if self.route.chunks else "json"

    # --- one document -------------------------------------------------------------------------------------------------

    async def _document(self, response: httpx.Response, kept: Kept) -> None:
        body = await upstream.whole(response, _MOST)
        shown = await self._shown(body)
        await self.tasks.hold(kept, body)
        await self._send(response, kept, shown)

    async def _shown(self, body: bytes) -> bytes:
        """What the surface lets through of a document."""
        serializer = self.plan.serializer(self.surface)
        self.call.bytes_in = len(body)

        def work() -> tuple[bytes, Report]:
            # The report belongs to the thread that made it.
            return serializer(body), serializer.report

        shown, self.call.report = work() if len(body) < _THREAD_BYTES else await asyncio.to_thread(work)
        return shown

    async def _send(self, response: httpx.Response, kept: Kept, shown: bytes) -> None:
        length = (b"content-length", b"%d" % len(shown))
        await self.connection.start(response.status_code, [*self._headers(response, kept), length])
        await self.connection.put(shown, last=True)

    def _headers(self, response: httpx.Response, kept: Kept) -> headers.Headers:
        plan = (b"reticent-plan", self.plan.digest.encode())
        return [*headers.back(response.headers.raw), (headers.TASK, kept.task.encode()), plan]

    # --- an error -----------------------------------------------------------------------------------------------------

    async def _refused(self, response: httpx.Response, kept: Kept) -> None:
        """The upstream's error, unless it repeats what the client must not see."""
        body = await upstream.whole(response, _ERROR_BYTES)
        self.call.outcome = "upstream-error"
        await self._check_echo(body, kept, client=response.status_code < _SERVER_ERRORS)
        await self._send(response, kept, await self._shown(body) if _is_json(body) else self._shown_text(body))

    def _shown_text(self, body: bytes) -> bytes:
        return self.plan.serializer(self.surface).text(body.decode("utf-8", "replace")).encode()

    @staticmethod
    async def _check_echo(body: bytes, kept: Kept, *, client: bool) -> None:
        if await asyncio.to_thread(echoes.repeats, body, kept.restored, kept.body):
            detail = "the upstream refused in words that repeat withheld reasoning, so its words are withheld too"
            raise BadRequest("upstream-echo", HTTPStatus.BAD_REQUEST if client else HTTPStatus.BAD_GATEWAY, detail)

    # --- a stream -----------------------------------------------------------------------------------------------------

    async def _stream(self, response: httpx.Response, kept: Kept, wire: str) -> None:
        turn = StreamedTurn(self.route.dialect, wire=wire, limit=_MOST)
        shown = self.plan.stream(self.surface, wire=wire)
        self.call.report, self.call.wire = shown.report, wire
        try:
            await self._while_it_arrives(response, kept, turn, shown)
        except (ClientGone, asyncio.CancelledError):
            self.call.outcome = "partial"
            raise
        except Exception as error:
            failure = failures.failure_of(error)
            self.call.outcome = failure.code
            if not self.connection.started:
                raise
            event = failures.last_event(self.route.family, wire, failure, self.connection.sent_last)
            await self.connection.put(event, last=True)

    async def _while_it_arrives(
        self, response: httpx.Response, kept: Kept, turn: StreamedTurn, shown: StreamSerializer
    ) -> None:
        held = False
        async for chunk in upstream.chunks(response):
            self.call.bytes_in += len(chunk)
            out = shown.feed(turn.feed(chunk))
            if turn.ended and not held:
                await self.tasks.hold(kept, turn.whole())
                held = True
            if held:
                out += shown.feed(turn.rest())
            await self._go_on(response, kept, out)
        turn.end()
        if not held:
            await self._ended(kept, turn)
        await self._go_on(response, kept, shown.feed(turn.rest()) + shown.flush(), last=True)

    async def _ended(self, kept: Kept, turn: StreamedTurn) -> None:
        """The upstream has closed: the turn is whole, or it failed, or it just stopped.

        Raises:
            BadRequest: the turn is not whole, and the upstream has not said so itself.
        """
        if turn.failure:
            self.call.outcome = "upstream-error"
            await self._check_echo(turn.kept, kept, client=False)
        elif turn.closing:
            await self.tasks.hold(kept, turn.whole())
        else:
            detail = "the upstream stopped in the middle of the turn; nothing of it was kept, ask again"
            raise BadRequest("upstream-away", HTTPStatus.BAD_GATEWAY, detail)

    async def _go_on(self, response: httpx.Response, kept: Kept, out: bytes, *, last: bool = False) -> None:
        """Send what may go on; a stream that is refused at its first bytes is answered with an error, not with 200."""
        if not self.connection.started and (out or last):
            await self.connection.start(response.status_code, self._headers(response, kept))
        if out or last:
            await self.connection.put(out, last=last)


def _is_json(body: bytes) -> bool:
    try:
        orjson.loads(body)
    except ValueError:
        return False
    return True
