"""The data path, ``POST /v1/surfaces/{surface}/filter``, as a bare ASGI application.

A framework's request object costs more than the filter does, so nothing stands between the server and the serializer.
A document is read whole; a stream is answered while it arrives, and the server's flow control carries a slow reader's
pace back to the writer: there is never more than one chunk on its way.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from reticent.errors import ConfigurationError, ReticentError, UnknownSurface
from reticent_service import problems
from reticent_service.asked import Asked, read_asked
from reticent_service.observing import Call
from reticent_service.problems import BadRequest
from reticent_service.waiting import within

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from reticent.serializers import Serializer, StreamSerializer
    from reticent_service.observing import Observer
    from reticent_service.plan_holder import PlanHolder, State
    from reticent_service.settings import Settings

PREFIX: Final = "/v1/surfaces/"
SUFFIX: Final = "/filter"
ROUTE: Final = f"{PREFIX}{{surface}}{SUFFIX}"
"""The template of the path, as it stands in OpenAPI and in traces."""

_THREAD_BYTES: Final = 256 * 1024
"""From this length on a document is filtered in a thread, so that others do not wait for it."""

_CACHED: Final = 256
_FIXED: Final = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))

_Headers = list[tuple[bytes, bytes]]
_Key = tuple[str, bytes, bytes]


class ClientGone(Exception):
    """The client went away, or did not take or send the next bytes in time."""


@dataclass(slots=True)
class Exchange:
    """One request on its way: what was asked, by whom, under which state, and what is known of it so far."""

    scope: Scope
    receive: Receive
    send: Send
    state: State
    surface: str
    asked: Asked
    serializer: Serializer | None
    media_type: bytes
    call: Call
    hash: hmac.HMAC | None = None
    started: bool = field(default=False)

    async def start(self, extra: _Headers) -> None:
        """Send the status and the headers."""
        self.started = True
        headers = [(b"content-type", self.media_type), *extra, *_FIXED]
        headers.append((b"reticent-plan", self.state.plan.digest.encode()))
        await self.send({"type": "http.response.start", "status": 200, "headers": headers})


class FilterPath:
    """ASGI middleware: serves the data path itself and hands everything else to ``app``."""

    def __init__(self, app: ASGIApp, *, holder: PlanHolder, settings: Settings, observer: Observer) -> None:
        """Serve by the plan of ``holder`` and tell ``observer`` of every call."""
        self.app = app
        self._holder = holder
        self._settings = settings
        self._observer = observer
        self._key = settings.hash_key.get_secret_value().encode() if settings.hash_key else None
        self._serializers: dict[_Key, tuple[Asked, Serializer]] = {}
        self._cached_for: State | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or not is_filtering(scope["path"]):
            await self.app(scope, receive, send)
            return
        call = Call(surface="", started=time.perf_counter())
        try:
            await self._serve(scope, receive, send, call)
        finally:
            self._observer.finished(call)

    async def _serve(self, scope: Scope, receive: Receive, send: Send, call: Call) -> None:
        answer: Response | None = None
        exchange: Exchange | None = None
        try:
            exchange = self._admitted(scope, receive, send, call)
            if exchange.serializer is None:
                await self._stream(exchange)
            else:
                await self._document(exchange, exchange.serializer)
        except BadRequest as error:
            answer = problems.problem(error.code, error.status, error.detail)
            call.outcome, call.status = error.code, error.status.value
            if error.status is HTTPStatus.UNAUTHORIZED:
                answer.headers["www-authenticate"] = "Bearer"
        except ReticentError as error:
            answer = problems.of_error(error, asked=isinstance(error, ConfigurationError))
            call.outcome, call.status = error.code, answer.status_code
        except ClientGone:
            call.outcome = "client-gone"
        except Exception as error:
            call.outcome, call.status = type(error).__name__, HTTPStatus.INTERNAL_SERVER_ERROR.value
            if exchange is not None and exchange.started:
                # The server closes the connection: a response that just stops is not taken for a whole one.
                return
            raise
        if answer is not None:
            await self._say(exchange, answer, (scope, receive, send))

    async def _say(self, exchange: Exchange | None, answer: Response, asgi: tuple[Scope, Receive, Send]) -> None:
        """A problem as the whole response, or as the last event of a response under way."""
        scope, receive, send = asgi
        if exchange is None or not exchange.started:
            answer.headers["reticent-plan"] = self._holder.state.plan.digest
            await answer(scope, receive, send)
        elif exchange.asked.wire == "sse":
            # The empty line in front ends what stands before it; https://html.spec.whatwg.org/multipage/server-sent-events.html
            event = b"\n\nevent: error\ndata: " + bytes(answer.body) + b"\n\n"
            await self._put(exchange, event, last=True)

    def _admitted(self, scope: Scope, receive: Receive, send: Send, call: Call) -> Exchange:
        """The request, if it may be made at all.

        Raises:
            BadRequest: a wrong method, nobody known, not granted, or not understood.
            UnknownSurface: the plan has no such surface.
        """
        state, surface = self._holder.state, scope["path"][len(PREFIX) : -len(SUFFIX)]
        call.plan = state.plan.digest
        headers = scope["headers"]
        peer = scope["client"][0] if scope.get("client") else None
        caller = state.identify(headers, peer)
        if caller is None:
            raise BadRequest("no-caller", HTTPStatus.UNAUTHORIZED, "send a token: authorization: Bearer …")
        call.caller = caller
        if surface not in state.plan.decisions:
            raise UnknownSurface(surface, state.grants_of(caller).surfaces)
        # From here on the name is one of the table's, and can stand in a log.
        call.surface, call.verdict = surface, state.plan.decisions[surface].verdict
        call.lost = state.lost_on(surface)
        if not state.grants_of(caller).allows("filter", surface):
            raise BadRequest("not-granted", HTTPStatus.FORBIDDEN, "this caller may not filter for this surface")
        if scope["method"] != "POST":
            raise BadRequest("method-not-allowed", HTTPStatus.METHOD_NOT_ALLOWED, "this is asked for with POST")
        media_type, length = _content(headers)
        asked, serializer = self._read(state, surface, scope["query_string"], media_type)
        if not asked.streams and length is not None and length > self._settings.max_body_bytes:
            raise _too_large(self._settings.max_body_bytes)
        call.wire = asked.wire
        keyed = hmac.new(self._key, digestmod="sha256") if self._key is not None else None
        shown = media_type or b"application/json"
        return Exchange(scope, receive, send, state, surface, asked, serializer, shown, call, keyed)

    def _read(
        self, state: State, surface: str, query: bytes, media_type: bytes
    ) -> tuple[Asked, Serializer] | tuple[Asked, None]:
        """What is asked for, and the function for a document, which is made once for every way to ask."""
        if self._cached_for is not state:
            self._serializers, self._cached_for = {}, state
        key = (surface, query, media_type)
        known = self._serializers.get(key)
        if known is not None:
            return known
        asked = read_asked(query, media_type)
        if asked.streams:
            return asked, None
        if len(self._serializers) >= _CACHED:
            self._serializers.clear()
        made = self._serializers[key] = asked, asked.serializer(state.plan, state.plan.decisions[surface])
        return made

    # --- one document -------------------------------------------------------------------------------------------------

    async def _document(self, exchange: Exchange, serializer: Serializer) -> None:
        try:
            body = await within(self._settings.receive_seconds, self._body(exchange))
        except TimeoutError:
            raise _too_slow() from None
        if len(body) < _THREAD_BYTES:
            result, report = serializer(body), serializer.report
        else:
            # The report belongs to the thread that made it.
            result, report = await asyncio.to_thread(lambda: (serializer(body), serializer.report))
        call = exchange.call
        call.report, call.bytes_out = report, len(result)
        await exchange.start([(b"content-length", str(len(result)).encode())])
        await self._put(exchange, result, last=True)

    async def _body(self, exchange: Exchange) -> bytes:
        """The whole body."""
        chunk, more = await self._chunk(exchange)
        if not more:
            return self._fitting(chunk)
        parts = bytearray(chunk)
        while more:
            chunk, more = await self._chunk(exchange)
            parts += chunk
            self._fitting(parts)
        return bytes(parts)

    def _fitting(self, body: bytes | bytearray) -> bytes:
        if len(body) > self._settings.max_body_bytes:
            raise _too_large(self._settings.max_body_bytes)
        return body if isinstance(body, bytes) else b""

    # --- a stream -----------------------------------------------------------------------------------------------------

    async def _stream(self, exchange: Exchange) -> None:
        plan = exchange.state.plan
        shown = exchange.asked.stream(plan, plan.decisions[exchange.surface])
        exchange.call.report = shown.report
        more = True
        while more:
            try:
                chunk, more = await within(self._settings.receive_seconds, self._chunk(exchange))
            except TimeoutError:
                raise _too_slow() from None
            out = self._fed(shown, chunk, more=more)
            if not exchange.started and (out or not more or chunk):
                # A stream whose first bytes are refused is answered with a problem, not with 200.
                await exchange.start([])
            if out or not more:
                await self._put(exchange, out, last=not more)

    @staticmethod
    def _fed(shown: StreamSerializer, chunk: bytes, *, more: bool) -> bytes:
        out = shown.feed(chunk) if chunk else b""
        return out if more else out + shown.flush()

    # --- bytes --------------------------------------------------------------------------------------------------------

    async def _chunk(self, exchange: Exchange) -> tuple[bytes, bool]:
        message = await exchange.receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        chunk = message.get("body", b"")
        exchange.call.bytes_in += len(chunk)
        if exchange.hash is not None:
            exchange.hash.update(chunk)
            if not message.get("more_body", False):
                exchange.call.hash = exchange.hash.hexdigest()
        return chunk, message.get("more_body", False)

    async def _put(self, exchange: Exchange, out: bytes, *, last: bool) -> None:
        if exchange.asked.streams:
            exchange.call.bytes_out += len(out)
        message = {"type": "http.response.body", "body": out, "more_body": not last}
        try:
            await within(self._settings.send_seconds, self._send(exchange, message))
        except TimeoutError:
            raise ClientGone from None

    @staticmethod
    async def _send(exchange: Exchange, message: Message) -> None:
        # Whatever a server's `send` gives, this is a coroutine.
        await exchange.send(message)


def is_filtering(path: str) -> bool:
    """Whether a path is one of the data path's."""
    return path.startswith(PREFIX) and path.endswith(SUFFIX) and "/" not in path[len(PREFIX) : -len(SUFFIX)]


def _content(headers: _Headers) -> tuple[bytes, int | None]:
    media_type, length = b"", None
    for name, value in headers:
        if name == b"content-type":
            media_type = value
        elif name == b"content-length":
            length = int(value) if value.isdigit() else None
    return media_type, length


def _too_large(limit: int) -> BadRequest:
    return BadRequest("input-too-large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"more than {limit} bytes")


def _too_slow() -> BadRequest:
    return BadRequest("too-slow", HTTPStatus.REQUEST_TIMEOUT, "the body did not arrive in time")
