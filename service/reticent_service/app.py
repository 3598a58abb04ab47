"""Wiring: settings in, application out."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from fastapi.telemetry import TelemetryConfig

from reticent import __version__
from reticent.errors import ConfigurationError
from reticent_service import problems
from reticent_service.break_glass import BreakGlass, Glass
from reticent_service.conditions import Verifying
from reticent_service.decision_log import DecisionLog, open_log
from reticent_service.described import describe
from reticent_service.filtering import FilterPath
from reticent_service.metrics import Metrics
from reticent_service.observing import Observer
from reticent_service.plan_holder import PlanHolder
from reticent_service.response_headers import ResponseHeaders
from reticent_service.routes import break_glass, health, history, review, surfaces, table, tasks
from reticent_service.settings import Settings
from reticent_service.task_store import open_tasks, read_keys

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from reticent_service.plan_holder import State
    from reticent_service.tracing import Traces


_log = logging.getLogger("reticent_service")

# FastAPI has traces and logs of its own, which tell addresses, and messages and tracebacks of exceptions, to whatever
# provider the process has: https://fastapi.tiangolo.com/ (version 0.160 on; read in its source 2026-11-29).
_NO_TELEMETRY: Final[TelemetryConfig] = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}


def create_app(settings: Settings | None = None) -> FastAPI:
    """Build the application.

    Args:
        settings: The configuration; read from the environment when left out, as ``uvicorn --factory`` does.

    Raises:
        ConfigurationError: The environment holds a wrong or unknown setting, or the table or the callers have faults:
            there is no service without a valid plan.
        EngineError: The engine gave no usable answer.
    """
    settings = Settings.from_environment() if settings is None else settings
    traces = _traces(settings)
    log = open_log(settings)
    holder = PlanHolder(
        settings, on_load=traces.loaded if traces else None, on_state=partial(_tell_conditions, log) if log else None
    )
    metrics = Metrics(holder)
    app = FastAPI(
        title="reticent",
        version=__version__,
        summary="Keeps a model's reasoning where the table lets it be.",
        lifespan=_lifespan,
        docs_url=None,
        redoc_url=None,
        telemetry=_NO_TELEMETRY,
    )
    app.state.settings, app.state.holder, app.state.metrics = settings, holder, metrics
    app.state.break_glass = BreakGlass(partial(_tell_glass, log, metrics), allowed=settings.break_glass)
    app.state.keys, app.state.verifying = read_keys(settings), Verifying(settings)
    for module in (health, surfaces, table, history, tasks, break_glass, review):
        app.include_router(module.router)
    app.mount("/static", StaticFiles(directory=review.HOME / "static"), name="static")
    app.openapi = partial(describe, app)  # type: ignore[method-assign]  # as FastAPI's documentation has it
    app.add_middleware(ResponseHeaders, holder=holder)
    app.state.watchers = [watcher for watcher in (metrics, log, traces) if watcher is not None]
    app.add_middleware(FilterPath, holder=holder, settings=settings, observer=Observer(app.state.watchers))
    # Around everything else, so that no crash gets past it.
    problems.install(app)
    if traces is not None:
        from reticent_service.tracing import TracedRequests

        app.add_middleware(TracedRequests, traces=traces)
    return app


def _tell_conditions(log: DecisionLog, before: State | None, state: State) -> None:
    """Log what was lost and what holds again since the state before."""
    known = {(lost.name, lost.status): lost for lost in before.lost} if before else {}
    now = {(lost.name, lost.status): lost for lost in state.lost}
    names = {lost.name for lost in state.lost}
    for key in now.keys() - known.keys():
        log.condition(now[key], state.plan.digest)
    for lost in known.values():
        if lost.name not in names:
            log.condition(lost, state.plan.digest, held=True)


def _tell_glass(log: DecisionLog | None, metrics: Metrics, what: str, glass: Glass) -> None:
    """Log and count what happens to a request to see reasoning; without a log the service's own says it."""
    metrics.glass(what, glass.surface)
    if log is not None:
        log.break_glass(what, glass.told())
    else:
        _log.warning("break-glass %s: %s", what, glass.id)


def _traces(settings: Settings) -> Traces | None:
    """The traces that the settings ask for.

    Raises:
        ConfigurationError: the extra is not installed.
    """
    if settings.traces == "off":
        return None
    try:
        from reticent_service.tracing import open_traces
    except ImportError:
        raise ConfigurationError("traces need the extra: pip install 'reticent[service,traces]'") from None
    return open_traces(settings)


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncGenerator[None]:
    holder: PlanHolder = app.state.holder
    verifying: Verifying = app.state.verifying
    async with (
        open_tasks(app.state.settings, app.state.keys) as app.state.store,
        holder.watching(),
        verifying.running(),
        app.state.break_glass.watching(),
    ):
        yield
    for watcher in app.state.watchers:
        # A collector that is away takes its time to be given up.
        await asyncio.to_thread(watcher.close)
