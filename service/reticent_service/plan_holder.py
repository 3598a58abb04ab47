"""The plan in force: loaded at start, compiled anew beside the running one, swapped whole, kept when a new one fails.

A request takes ``PlanHolder.state`` once and works with that to its end, so that a stream under way keeps its plan.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Final

from reticent.compiler.compiling import load_plan_as_shown
from reticent.compiler.following import Follower, Mark, evidence_at, is_overdue, repeating, same_answers, stamp
from reticent.errors import EgressRefused
from reticent_service.access import NOTHING, AccessEngine, Grants, access_engine, decide_access
from reticent_service.callers import Identifier, read_callers
from reticent_service.conditions import Lost, lost_conditions

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from reticent.compiler import Engine, Plan
    from reticent.compiler.opa_server import OpaServer
    from reticent_service.settings import Settings

_DOCUMENT: Final = b'{"choices": [{"delta": {"content": "<think>a</think>b"}}]}'
"""Something that every way of looking is needed for."""
_log = logging.getLogger("reticent_service")


@dataclass(frozen=True, slots=True)
class Failure:
    """Why the last attempt to load came to nothing: a stable code, and since when, in seconds of the epoch."""

    code: str
    since: float


@dataclass(frozen=True, slots=True)
class State:
    """All that a request needs, in one value; ``failure`` is None while what is on disk is what is in force."""

    plan: Plan
    identify: Identifier
    grants: Mapping[str, Grants]
    loaded: float
    failure: Failure | None = None
    lost: tuple[Lost, ...] = ()
    evidence: str | None = None
    """Why the evidence file cannot be used, in a code; None when it can, or when there is none."""

    def person_of(self, caller: str) -> str:
        """Who a caller is: the person that the callers file names, else the caller itself."""
        return self.identify.person_of(caller)

    def lost_on(self, surface: str) -> tuple[str, ...]:
        """The conditions on the way of a surface that are lost."""
        conditions = self.plan.decisions[surface].conditions if self.lost else ()
        return tuple(f"{one.surface}.{one.name}" for one in conditions if one.lost)

    def grants_of(self, caller: str | None) -> Grants:
        """What a caller may do; nobody may nothing."""
        return NOTHING if caller is None else self.grants.get(caller, NOTHING)


@dataclass(frozen=True, slots=True)
class Load:
    """One attempt to bring a plan in force: the plan in force after it, its code when it failed, and its seconds."""

    plan: str
    swapped: bool
    failure: str | None
    seconds: float


class PlanHolder:
    """Holds the one current state of a service."""

    def __init__(
        self,
        settings: Settings,
        *,
        today: Callable[[], date] = date.today,
        on_load: Callable[[Load], None] | None = None,
        on_state: Callable[[State | None, State], None] | None = None,
    ) -> None:
        """Load everything, and tell ``on_load`` of this and of every later attempt.

        ``on_state`` is told of each state, with the one before it.

        Raises:
            TableError: the table has faults.
            ConfigurationError: the callers file has.
            EngineError: the engine gave no usable answer.
        """
        self._settings = settings
        self._today = today
        self._on_load = on_load
        self._on_state = on_state
        began = time.perf_counter()
        self._engine = _opa_server(settings)
        self._access: AccessEngine = access_engine(self._engine)
        self._follower = Follower(self._look, self._reload, self._keep)
        self.state = self._load(())
        self._tell(began, None, swapped=True)

    @property
    def engine(self) -> Engine | None:
        """The engine that decides tables, None for the embedded one."""
        return self._engine

    def refresh(self) -> bool:
        """Look for a change and load it; True when another state is in force now. Never raises for what is on disk."""
        began, before = time.perf_counter(), self.state
        swapped = self._follower.refresh(due=is_overdue(self.state.plan))
        if swapped is None:
            return False
        self._tell(began, before, swapped=swapped)
        return swapped

    @contextlib.asynccontextmanager
    async def watching(self) -> AsyncGenerator[None]:
        """Refresh every ``poll_seconds`` in a thread, for as long as the context is open."""
        async with repeating(self.refresh, self._settings.poll_seconds):
            yield

    def _reload(self) -> None:
        self._swap(self._load(self.state.lost))

    def _load(self, lost: tuple[Lost, ...]) -> State:
        day, now = self._today(), time.time()
        files, problem = evidence_at(self._settings.evidence)
        plan = load_plan_as_shown(self._settings.table, self._engine, today=day, evidence=files)
        _warm(plan)
        callers = read_callers(self._settings)
        grants = decide_access(self._access, callers, plan, day)
        known = lost_conditions(plan, lost, now)
        return State(plan, Identifier(callers, self._settings), grants, now, lost=known, evidence=problem)

    def _keep(self, code: str) -> None:
        """Go on with the last good plan, less the exceptions that have ended since."""
        current = self.state
        since = current.failure.since if current.failure and current.failure.code == code else time.time()
        if current.failure is None or current.failure.code != code:
            _log.error("the plan in force stays, a new one cannot be loaded: %s", code)
        plan = current.plan.as_of(self._today())
        lost = lost_conditions(plan, current.lost, time.time())
        self.state = replace(current, plan=plan, failure=Failure(code, since), lost=lost)

    def _swap(self, fresh: State) -> None:
        before, self.state = self.state, fresh
        if fresh.plan.digest != before.plan.digest:
            # Evidence that is renewed gives another plan of the same answers, many times a day.
            level = logging.INFO if same_answers(fresh.plan, before.plan) else logging.WARNING
            _log.log(level, "another plan is in force: %s", fresh.plan.digest)

    def _tell(self, began: float, before: State | None, *, swapped: bool) -> None:
        if self._on_state is not None and self.state is not before:
            self._on_state(before, self.state)
        if self._on_load is not None:
            failure = self.state.failure.code if self.state.failure else None
            self._on_load(Load(self.state.plan.digest, swapped, failure, time.perf_counter() - began))

    def _look(self) -> Mark:
        """What changes when something has to be loaded again."""
        rules = self._engine.policy_digest if self._engine is not None else None
        files = (self._settings.table, self._settings.callers, self._settings.evidence)
        return (self._today(), *map(stamp, files), rules)


def _warm(plan: Plan) -> None:
    """Have the tables of every surface made now, which takes a third of a second: no request is to wait for them."""
    for surface in plan.decisions:
        serializer, stream = plan.serializer(surface), plan.stream(surface, wire="sse")
        with contextlib.suppress(EgressRefused):
            serializer(_DOCUMENT)
            stream.feed(b"data: " + _DOCUMENT + b"\n\n")


def _opa_server(settings: Settings) -> OpaServer | None:
    if settings.opa is None:
        return None
    from reticent.compiler.opa_server import OpaServer, ServerSettings, client_files

    return OpaServer(
        ServerSettings(
            url=str(settings.opa).rstrip("/"),
            token=settings.opa_token.get_secret_value() if settings.opa_token else None,
            ca_file=None if settings.opa_ca is None else str(settings.opa_ca),
            client_cert=client_files(settings.opa_certificate, settings.opa_key),
        )
    )
