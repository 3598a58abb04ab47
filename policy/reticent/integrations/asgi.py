"""Any ASGI application: middleware that lets people have what is theirs, whole answers and streams.

.. code-block:: python

    from reticent.integrations.asgi import ReticentMiddleware

    app = ReticentMiddleware(app, "browser_stream")
    app.add_middleware(ReticentMiddleware, surface="support_console", paths=("/support",))  # Starlette, FastAPI

JSON is one message; server-sent events (those of the AI SDK and AG-UI too), JSON lines and text are streams. The start
of a response waits for its first chunk, so that a body that cannot be judged still becomes an honest error. Put
compression outside of this middleware: the application is asked for plain bodies.
https://asgi.readthedocs.io/en/latest/specs/www.html
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any, Final, TypeAlias

import orjson

from reticent.integrations._bodies import FAILED, PROBLEM, Body, Headers, open_body, without_stale
from reticent.integrations._guard import Guard, PlanSource

__all__ = ["ReticentMiddleware"]

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

_EXTENSIONS: Final = frozenset(("tls", "http.response.trailers", "websocket.http.response"))
"""Extensions an application may use; the others send bodies or debugging data around the messages we see."""


class ReticentMiddleware:
    """Takes reasoning out of what ``app`` answers, over HTTP and WebSocket."""

    def __init__(self, app: App, surface: str, *, plan: PlanSource = None, paths: str | Sequence[str] = ("/",)) -> None:
        """Guard answers on their way to ``surface``; ``paths`` are beginnings of the paths that are meant.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        self.app = app
        self.guard = Guard(surface, plan=plan)
        self.paths = (paths,) if isinstance(paths, str) else tuple(paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. What the application raises goes through; what was held back then stays unsent."""
        if scope["type"] not in ("http", "websocket") or self.guard.passes or not self._is_meant(scope):
            await self.app(scope, receive, send)
            return
        exchange = _Http(self.guard, scope, send) if scope["type"] == "http" else _WebSocket(self.guard, send)
        await self.app(_plain_scope(scope), receive, exchange)

    def _is_meant(self, scope: Scope) -> bool:
        return str(scope.get("path", "/")).startswith(self.paths)


def _plain_scope(scope: Scope) -> Scope:
    """The scope of a client that takes plain bodies only, on a server that offers no way around them."""
    headers = [(name, value) for name, value in scope.get("headers", ()) if name.lower() != b"accept-encoding"]
    extensions = {name: told for name, told in (scope.get("extensions") or {}).items() if name in _EXTENSIONS}
    return {**scope, "headers": headers, "extensions": extensions}


class _Http:
    """The answer to one request."""

    def __init__(self, guard: Guard, scope: Scope, send: Send) -> None:
        self._guard = guard
        self._method = str(scope.get("method", "GET"))
        self._send = send
        self._start: Message | None = None
        self._body: Body | None = None
        self._over = False

    async def __call__(self, message: Message) -> None:
        """Send what of ``message`` may go on."""
        if self._over:
            return
        if message["type"] == "http.response.start":
            await self._started(message)
        elif message["type"] == "http.response.body" and self._body is not None:
            await self._continued(self._body, message)
        else:
            await self._send(message)

    async def _started(self, message: Message) -> None:
        headers = _decoded(message.get("headers", ()))
        self._body = open_body(self._guard, headers, status=message["status"], method=self._method)
        if self._method == "HEAD":
            # Its length would be that of a body nobody may see.
            message = {**message, "headers": _encoded(without_stale(headers))}
        if self._body is None:
            await self._send(message)
            return
        self._start = {**message, "headers": _encoded(without_stale(headers))}

    async def _continued(self, body: Body, message: Message) -> None:
        more = bool(message.get("more_body", False))
        out = body.feed(bytes(message.get("body", b"")))
        if not more:
            out += body.end()
        if body.failed:
            await self._failed(body, out)
            return
        if self._start is not None and not (more and body.whole):
            await self._send_start(self._start, None if more else len(out))
        if out or not more:
            await self._send({"type": "http.response.body", "body": out, "more_body": more})
        self._over = not more

    async def _failed(self, body: Body, out: bytes) -> None:
        self._over = True
        if self._start is not None:
            out = body.problem()
            headers = [(b"content-type", PROBLEM.encode())]
            await self._send_start({**self._start, "status": FAILED, "headers": headers}, len(out))
        await self._send({"type": "http.response.body", "body": out, "more_body": False})

    async def _send_start(self, start: Message, length: int | None) -> None:
        self._start = None
        if length is not None:
            start["headers"] = [*start["headers"], (b"content-length", str(length).encode())]
        await self._send(start)


class _WebSocket:
    """The messages of one connection; those that are JSON are the events of one stream."""

    def __init__(self, guard: Guard, send: Send) -> None:
        self._guard = guard
        self._events = guard.stream(wire="jsonl")
        self._send = send
        self._over = False

    async def __call__(self, message: Message) -> None:
        """Send what of ``message`` may go on."""
        if self._over:
            return
        if message["type"] == "websocket.http.response.body":
            message = {**message, "body": self._guard.bytes(bytes(message.get("body", b""))) or b""}
        if message["type"] != "websocket.send":
            await self._send(message)
            return
        text, data = message.get("text"), message.get("bytes")
        try:
            kept = self._judged(text.encode() if text is not None else bytes(data or b""))
        except Exception as error:  # noqa: BLE001 - the boundary that fails closed
            self._over = True
            await self._send({"type": "websocket.close", "code": 1011, "reason": self._guard.withheld(error, None)})
            return
        for one in kept:
            await self._send({"type": "websocket.send", **({"bytes": one} if text is None else {"text": one.decode()})})

    def _judged(self, data: bytes) -> list[bytes]:
        """The messages that go on in place of one: none, the same, or others before it."""
        try:
            value = orjson.loads(data)
        except ValueError:
            text = data.decode("utf-8", "surrogateescape")
            return [self._guard.text(text).encode("utf-8", "surrogateescape")]
        if not isinstance(value, (dict, list)):
            return [self._guard.bytes(data)]
        line = orjson.dumps(value) if b"\n" in data or b"\r" in data else data
        return [one for one in self._events.feed(line + b"\n").split(b"\n") if one]


def _decoded(headers: Any) -> Headers:
    return [(bytes(name).decode("latin-1"), bytes(value).decode("latin-1")) for name, value in headers]


def _encoded(headers: Headers) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
