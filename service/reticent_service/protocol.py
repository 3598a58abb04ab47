"""The server's HTTP/1.1 protocol with two things added: headers have a time to arrive in, answers one to be taken in.

Without them a client that opens a connection and says half a header, or reads nothing of what it asked for, holds a
file descriptor for good; uvicorn itself only ends connections that are idle between requests, and closing one waits
until everything was sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    from asyncio import TimerHandle, Transport

    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

HEADER_SECONDS: Final = 10.0
SEND_SECONDS: Final = 30.0
"""For an application that has no settings of its own."""


class GuardedProtocol(HttpToolsProtocol):
    """One connection."""

    header_seconds: float = HEADER_SECONDS
    _header_timer: TimerHandle | None = None
    _send_timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as in the class above
        """Start the clock of the first request."""
        super().connection_made(transport)
        self._arm()

    def data_received(self, data: bytes) -> None:
        """Start the clock when a further request begins on this connection."""
        # uvicorn says that there always is a cycle; before the first request it is None.
        cycle = cast("RequestResponseCycle | None", self.cycle)
        waiting = cycle is None or cycle.response_complete
        if waiting and self._header_timer is None:
            self._arm()
        super().data_received(data)

    def on_headers_complete(self) -> None:
        """Stop the clock: from here on the application watches the body."""
        self._disarm()
        super().on_headers_complete()

    def pause_writing(self) -> None:
        """Start the clock of the client: more was written than it has taken."""
        super().pause_writing()
        settings = getattr(getattr(self.config.loaded_app, "state", None), "settings", None)
        seconds = SEND_SECONDS if settings is None else settings.send_seconds
        self._send_timer = self.loop.call_later(seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop the clock of the client."""
        self._stop_waiting()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clocks."""
        self._disarm()
        self._stop_waiting()
        super().connection_lost(exc)

    def _arm(self) -> None:
        self._header_timer = self.loop.call_later(self.header_seconds, self._expired)

    def _disarm(self) -> None:
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None

    def _stop_waiting(self) -> None:
        if self._send_timer is not None:
            self._send_timer.cancel()
            self._send_timer = None

    def _expired(self) -> None:
        self._header_timer = None
        self.transport.abort()
