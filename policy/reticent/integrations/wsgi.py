"""Any WSGI application: middleware that lets people have what is theirs, whole answers and streams.

.. code-block:: python

    from reticent.integrations.wsgi import ReticentMiddleware

    app.wsgi_app = ReticentMiddleware(app.wsgi_app, "support_console")  # Flask
    application = ReticentMiddleware(get_wsgi_application(), "support_console")  # Django

Content types are treated as in :mod:`reticent.integrations.asgi`. https://peps.python.org/pep-3333/
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, TypeAlias

from reticent.integrations._bodies import FAILED, PROBLEM, Body, Headers, open_body, without_stale
from reticent.integrations._guard import Guard, PlanSource

__all__ = ["ReticentMiddleware"]

Environ: TypeAlias = dict[str, Any]
ExcInfo: TypeAlias = "tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None] | None"
StartResponse: TypeAlias = Callable[..., Any]
App: TypeAlias = Callable[[Environ, StartResponse], Iterable[bytes]]


class ReticentMiddleware:
    """Takes reasoning out of what ``app`` answers."""

    def __init__(self, app: App, surface: str, *, plan: PlanSource = None, paths: str | Sequence[str] = ("/",)) -> None:
        """Guard answers on their way to ``surface``; ``paths`` are beginnings of the paths that are meant.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        self.app = app
        self.guard = Guard(surface, plan=plan)
        self.paths = (paths,) if isinstance(paths, str) else tuple(paths)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        path = (environ.get("PATH_INFO") or "/") if environ.get("PATH_INFO", "/") else "/"
        if self.guard.passes or not path.startswith(self.paths):
            return self.app(environ, start_response)
        # A file wrapper would send a file past us, and a compressed body would have to be read first.
        around = ("wsgi.file_wrapper", "HTTP_ACCEPT_ENCODING")
        plain = {name: value for name, value in environ.items() if name not in around}
        exchange = _Exchange(self.guard, plain.get("REQUEST_METHOD", "GET"), start_response)
        return _Answer(exchange, self.app(plain, exchange.start_response))


class _Exchange:
    """The answer to one request: status and headers wait until the first chunk has been judged."""

    def __init__(self, guard: Guard, method: str, start_response: StartResponse) -> None:
        self._guard = guard
        self._method = method
        self._start = start_response
        self._held: tuple[str, Headers] | None = None
        self._sent = False
        self._written: list[bytes] = []
        self.body: Body | None = None

    def start_response(self, status: str, headers: Headers, exc_info: ExcInfo = None) -> Callable[[bytes], None]:
        """Keep status and headers; give the old ``write``, whose bytes are judged like all others."""
        if exc_info and self._sent and exc_info[1] is not None:
            raise exc_info[1].with_traceback(exc_info[2])
        self._held = (status, list(headers))
        self.body = open_body(self._guard, self._held[1], status=int(status[:3]), method=self._method)
        return self._written.append

    def chunks(self, source: Iterable[bytes]) -> Iterator[bytes]:
        """What goes to the server, which gets status and headers before the first of it."""
        for chunk in source:
            yield from self._judged(b"".join((*self._taken(), chunk)), final=False)
            if self.body is not None and self.body.failed:
                return
        yield from self._judged(b"".join(self._taken()), final=True)

    def _taken(self) -> list[bytes]:
        taken, self._written[:] = list(self._written), []
        return taken

    def _judged(self, chunk: bytes, *, final: bool) -> Iterator[bytes]:
        body = self.body
        if body is None:
            self._send_start(None)
            if chunk:
                yield chunk
            return
        out = body.feed(chunk) + (body.end() if final else b"")
        if body.failed and not self._sent:
            out = body.problem()
            self._held = (f"{FAILED} Internal Server Error", [("Content-Type", PROBLEM)])
            final = True
        if final or not body.whole:
            self._send_start(len(out) if final else None)
        if out:
            yield out

    def _send_start(self, length: int | None) -> None:
        if self._sent or self._held is None:
            return
        self._sent = True
        status, headers = self._held
        if self.body is not None or self._method == "HEAD":
            headers = without_stale(headers)
        if length is not None:
            headers = [*headers, ("Content-Length", str(length))]
        self._start(status, headers)


class _Answer:
    """The iterable that a server gets; closing it closes the application's own."""

    def __init__(self, exchange: _Exchange, source: Iterable[bytes]) -> None:
        self._source = source
        self._chunks = exchange.chunks(source)

    def __iter__(self) -> Iterator[bytes]:
        return self._chunks

    def close(self) -> None:
        """Let the application clean up, also when the client went away in the middle."""
        close = getattr(self._source, "close", None)
        if close is not None:
            close()
