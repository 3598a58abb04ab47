"""Break-glass: one person sees the reasoning of one task on one surface, because another one agreed, for a while.

Everything about it is kept in the memory of one process and nowhere else. A restart closes whatever was open, and a
service of several processes has no break-glass at all, since one of them would not know what another one closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from http import HTTPStatus
from time import monotonic, time
from typing import TYPE_CHECKING, Any, Final, Literal

from reticent.evidence import moment_text
from reticent_service.problems import BadRequest

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

LONGEST_MINUTES: Final = 60
ASKED_SECONDS: Final = 900.0
"""How long a request waits for somebody to approve it."""

_MOST: Final = 100
_TICK_SECONDS: Final = 1.0

State = Literal["asked", "open", "closed", "expired"]

_log = logging.getLogger("reticent_service")


@dataclass(frozen=True, slots=True)
class Glass:
    """One request: who asked for which task on which surface and why, who approved, and until when (since 1970).

    ``deadline`` is the same moment by the clock that nobody can set, in seconds.
    """

    id: str
    task: str
    tenant: str
    surface: str
    reason: str
    minutes: int
    asker: str
    asked: float
    state: State
    deadline: float
    until: float
    approver: str | None = None
    shown: int = 0

    def told(self) -> dict[str, Any]:
        """As logs, lists and banners have it."""
        return {
            "id": self.id,
            "state": self.state,
            "task": self.task,
            "tenant": self.tenant,
            "surface": self.surface,
            "reason": self.reason,
            "minutes": self.minutes,
            "asked_by": self.asker,
            "asked_at": moment_text(self.asked),
            "approved_by": self.approver,
            "until": moment_text(self.until),
            "shown": self.shown,
        }


class BreakGlass:
    """Every request of this process; ``tell`` is told of each change in a word, for the decision log."""

    def __init__(self, tell: Callable[[str, Glass], None], *, allowed: bool) -> None:
        """Begin with nothing open; with ``allowed`` false nothing ever is."""
        self._tell = tell
        self._allowed = allowed
        self._lock = threading.Lock()
        self._known: dict[str, Glass] = {}

    def ask(self, *, task: str, tenant: str, surface: str, reason: str, minutes: int, asker: str) -> Glass:
        """Ask to see.

        Raises:
            BadRequest: there is no break-glass here, or too much is asked for already.
        """
        if not self._allowed:
            detail = "break-glass needs a service of one process"
            raise BadRequest("break-glass-off", HTTPStatus.NOT_FOUND, detail)
        now = time()
        with self._lock:
            self._expire()
            waiting = sum(glass.state in ("asked", "open") for glass in self._known.values())
            if waiting >= _MOST:
                raise BadRequest("too-many-requests", HTTPStatus.TOO_MANY_REQUESTS, "too many requests are open")
            glass = Glass(
                id=secrets.token_urlsafe(12),
                task=task,
                tenant=tenant,
                surface=surface,
                reason=reason,
                minutes=minutes,
                asker=asker,
                asked=now,
                state="asked",
                deadline=monotonic() + ASKED_SECONDS,
                until=now + ASKED_SECONDS,
            )
            return self._put("asked", glass)

    def approve(self, name: str, approver: str, *, same_person: bool) -> Glass:
        """Agree to a request of somebody else; the time begins.

        Raises:
            BadRequest: it is not there, not waiting, or the approver's own.
        """
        with self._lock:
            glass = self._in_state(name, "asked")
            if same_person:
                raise BadRequest("same-person", HTTPStatus.FORBIDDEN, "another person has to approve")
            seconds = glass.minutes * 60.0
            opened = replace(
                glass, state="open", approver=approver, deadline=monotonic() + seconds, until=time() + seconds
            )
            return self._put("approved", opened)

    def show(self, name: str, asker: str) -> Glass:
        """Count one look by whoever asked.

        Raises:
            BadRequest: it is not there, not open, or somebody else's.
        """
        with self._lock:
            glass = self._in_state(name, "open")
            if glass.asker != asker:
                raise BadRequest("not-granted", HTTPStatus.FORBIDDEN, "it was opened for another caller")
            return self._put("shown", replace(glass, shown=glass.shown + 1))

    def close(self, name: str) -> Glass:
        """Close before the time is over.

        Raises:
            BadRequest: it is not there, or neither waiting nor open.
        """
        with self._lock:
            return self._put("closed", replace(self._in_state(name, "asked", "open"), state="closed"))

    def find(self, name: str) -> Glass:
        """One request.

        Raises:
            BadRequest: there is none of that name.
        """
        with self._lock:
            self._expire()
            return self._found(name)

    def all(self) -> tuple[Glass, ...]:
        """Every request since the service started that still waits, is open, or was closed lately; the newest first."""
        with self._lock:
            self._expire()
            return tuple(reversed(self._known.values()))

    @contextlib.asynccontextmanager
    async def watching(self) -> AsyncGenerator[None]:
        """Notice what ends by itself, for as long as the context is open, so that the log tells it when it happens."""
        task = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            try:
                self.all()
            except Exception as error:  # noqa: BLE001 - a log that cannot be written; what has ended has ended
                _log.error("break-glass was not watched: %s", type(error).__name__)

    def _expire(self) -> None:
        for glass in list(self._known.values()):
            # By either clock: one that is set back keeps nothing open.
            if glass.state in ("asked", "open") and (monotonic() >= glass.deadline or time() >= glass.until):
                self._put("expired", replace(glass, state="expired"))
        done = [name for name, glass in self._known.items() if glass.state in ("closed", "expired")]
        for name in done[:-_MOST]:
            del self._known[name]

    def _in_state(self, name: str, *states: State) -> Glass:
        self._expire()
        glass = self._found(name)
        if glass.state not in states:
            raise BadRequest("break-glass-state", HTTPStatus.CONFLICT, f"it is {glass.state}")
        return glass

    def _found(self, name: str) -> Glass:
        try:
            return self._known[name]
        except KeyError:
            raise BadRequest("unknown-break-glass", HTTPStatus.NOT_FOUND, "there is none of that name") from None

    def _put(self, what: str, glass: Glass) -> Glass:
        # Told first: what cannot be logged does not happen.
        self._tell(what, glass)
        self._known[glass.id] = glass
        return glass
