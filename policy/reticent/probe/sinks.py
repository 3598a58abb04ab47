"""Sinks: places in which a drill looks for its marks.

A sink is asked for its content after the application has run. Those that watch something (logs, spans, HTTP) are
started before. A sink keeps what it saw in memory, and lets go of it with the drill.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, MutableMapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from reticent.errors import ConfigurationError

Content: TypeAlias = Iterable[tuple[str, bytes]]
"""Pairs of a place in the sink and what is there."""
_App: TypeAlias = Callable[[Any, Any, Callable[[Any], Awaitable[None]]], Awaitable[None]]


class Sink(Protocol):
    """What a drill needs of a sink."""

    name: str

    def watching(self) -> AbstractContextManager[None]:
        """Watch while the application runs."""
        ...

    def content(self) -> Content:
        """What is in the sink now."""
        ...


class FileSink:
    """Files, and all files below folders."""

    def __init__(self, *paths: str | Path, name: str = "files") -> None:
        """Look into ``paths``; those that are not there when the drill ends are empty."""
        self.name = name
        self._paths = tuple(Path(path) for path in paths)

    @contextmanager
    def watching(self) -> Generator[None]:
        """Files are only looked at afterwards."""
        yield

    def content(self) -> Content:
        """The bytes of each file."""
        for path in self._paths:
            files = sorted(path.rglob("*")) if path.is_dir() else [path]
            yield from ((str(file), file.read_bytes()) for file in files if file.is_file())


class SqlSink:
    """Every table of a database: a path of SQLite, a connection of it, or an engine of SQLAlchemy."""

    def __init__(self, database: Any, *, name: str = "database") -> None:
        """Look into ``database``."""
        self.name = name
        self._database = database

    @contextmanager
    def watching(self) -> Generator[None]:
        """Tables are only looked at afterwards."""
        yield

    def content(self) -> Content:
        """Each value of each column that is text or bytes.

        Raises:
            ConfigurationError: the database is of a kind that is not known here, or is not there.
        """
        if isinstance(self._database, str | Path):
            if not Path(self._database).is_file():
                raise ConfigurationError(f"{self._database}: no such database")
            connection = sqlite3.connect(self._database)
            try:
                yield from list(_sqlite(connection))
            finally:
                connection.close()
        elif isinstance(self._database, sqlite3.Connection):
            yield from _sqlite(self._database)
        elif hasattr(self._database, "dialect") and hasattr(self._database, "connect"):
            yield from _sqlalchemy(self._database)
        else:
            raise ConfigurationError(f"{type(self._database).__qualname__} is no database that can be looked into")


class LogSink:
    """What the handlers of ``logging`` write, each behind its own filters and formatter."""

    def __init__(self, *loggers: str, name: str = "logs") -> None:
        """Watch the handlers of these loggers and of the root logger."""
        self.name = name
        self._loggers = ("", *loggers)
        self._seen: list[tuple[str, bytes]] = []

    @contextmanager
    def watching(self) -> Generator[None]:
        """Listen to each handler that is there now."""
        self._seen.clear()
        with ExitStack() as stack:
            for name in self._loggers:
                logger = logging.getLogger(name)
                last = [] if logger.handlers or name or logging.lastResort is None else [logging.lastResort]
                for handler in (*logger.handlers, *last):
                    stack.enter_context(_replaced(handler, "emit", partial(self._emit, handler)))
            yield

    def content(self) -> Content:
        """Each line that was written, and each record as its handler could read it."""
        return list(self._seen)

    def _emit(self, handler: logging.Handler, emit: Callable[[logging.LogRecord], None]) -> Any:
        def watched(record: logging.LogRecord) -> None:
            where = f"{record.name}: {type(handler).__name__}"
            self._seen.append((where, repr(vars(record)).encode("utf-8", "surrogateescape")))
            self._seen.append((where, handler.format(record).encode("utf-8", "surrogateescape")))
            emit(record)

        return watched


class SpanSink:
    """What reaches the exporters of an OpenTelemetry tracer provider, behind every guard."""

    def __init__(self, provider: Any = None, *, name: str = "spans") -> None:
        """Watch ``provider``; default: the global one, when the drill begins."""
        self.name = name
        self._provider = provider
        self._seen: list[tuple[str, bytes]] = []

    @contextmanager
    def watching(self) -> Generator[None]:
        """Listen to the innermost exporter of each processor; spans that are still waiting are flushed at the end."""
        from opentelemetry import trace

        self._seen.clear()
        provider = self._provider or trace.get_tracer_provider()
        with ExitStack() as stack:
            for exporter in _exporters(provider):
                stack.enter_context(_replaced(exporter, "export", self._export))
            yield
            flush = getattr(provider, "force_flush", None)
            if flush is not None:
                flush()

    def content(self) -> Content:
        """Each span as JSON."""
        return list(self._seen)

    def _export(self, export: Callable[[Any], Any]) -> Any:
        def watched(spans: Any, *rest: Any, **more: Any) -> Any:
            self._seen.extend((span.name, span.to_json().encode()) for span in spans)
            return export(spans, *rest, **more)

        return watched


class HttpSink:
    """Bodies that leave over HTTP: what an ASGI application answers, and what a test double was sent."""

    def __init__(self, *, name: str = "http") -> None:
        """Start empty; hand it content with :meth:`watch` or :meth:`add`."""
        self.name = name
        self._seen: list[tuple[str, bytearray]] = []

    @contextmanager
    def watching(self) -> Generator[None]:
        """Forget what was seen before the drill."""
        self._seen.clear()
        yield

    def add(self, where: str, body: bytes) -> None:
        """Take a body that was captured elsewhere."""
        self._seen.append((where, bytearray(body)))

    def watch(self, app: _App) -> _App:
        """``app``, an ASGI application, with each answer's body taken down as it is sent."""

        async def watched(
            scope: MutableMapping[str, Any], receive: Any, send: Callable[[Any], Awaitable[None]]
        ) -> None:
            """Serve one connection and keep what is sent on it."""
            body = bytearray()
            if scope["type"] in ("http", "websocket"):
                self._seen.append((f"{scope.get('method', scope['type'])} {scope.get('path', '')}", body))

            async def sending(message: MutableMapping[str, Any]) -> None:
                """Send one message, and keep its body."""
                told = message.get("body") or message.get("bytes") or message.get("text") or b""
                body.extend(told.encode() if isinstance(told, str) else told)
                await send(message)

            await app(scope, receive, sending)

        return watched

    def content(self) -> Content:
        """Each body, whole."""
        return [(where, bytes(body)) for where, body in self._seen]


@contextmanager
def _replaced(holder: Any, name: str, make: Callable[[Any], Any]) -> Generator[None]:
    """``holder.name`` with another function in its place for as long as this lasts."""
    setattr(holder, name, make(getattr(holder, name)))
    try:
        yield
    finally:
        delattr(holder, name)


def _exporters(provider: Any) -> Iterator[Any]:
    from reticent.doctor._telemetry import exporters_of

    for exporter in exporters_of(provider):
        inner = exporter
        while getattr(inner, "guard", None) is not None and hasattr(inner, "inner"):
            inner = inner.inner
        yield inner


def _sqlite(connection: sqlite3.Connection) -> Iterator[tuple[str, bytes]]:
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (table,) in tables:
        quoted = str(table).replace('"', '""')
        rows = connection.execute(f'SELECT * FROM "{quoted}"')  # noqa: S608 - a table's own name, quoted
        names = [column[0] for column in rows.description]
        for row in rows:
            yield from _cells(table, names, row)


def _sqlalchemy(engine: Any) -> Iterator[tuple[str, bytes]]:
    from sqlalchemy import MetaData

    tables = MetaData()
    tables.reflect(bind=engine)
    with engine.connect() as connection:
        for table in tables.sorted_tables:
            for row in connection.execute(table.select()):
                yield from _cells(table.name, [column.name for column in table.columns], row)


def _cells(table: str, names: list[str], row: Iterable[Any]) -> Iterator[tuple[str, bytes]]:
    for name, value in zip(names, row, strict=True):
        if value is not None:
            told = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")
            yield f"{table}.{name}", told
