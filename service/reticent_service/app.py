"""Wiring: settings in, application out."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from reticent import __version__
from reticent_service import problems
from reticent_service.decision_log import DecisionLog, open_log
from reticent_service.described import describe
from reticent_service.filtering import FilterPath
from reticent_service.metrics import Metrics
from reticent_service.observing import Observer
from reticent_service.plan_holder import PlanHolder
from reticent_service.response_headers import ResponseHeaders
from reticent_service.routes import health, history, review, surfaces, table
from reticent_service.settings import Settings

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


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
    holder = PlanHolder(settings)
    metrics = Metrics(holder)
    app = FastAPI(
        title="reticent",
        version=__version__,
        summary="Keeps a model's reasoning where the table lets it be.",
        lifespan=_lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.settings, app.state.holder, app.state.metrics = settings, holder, metrics
    for module in (health, surfaces, table, history, review):
        app.include_router(module.router)
    app.mount("/static", StaticFiles(directory=review.HOME / "static"), name="static")
    app.openapi = partial(describe, app)  # type: ignore[method-assign]  # as FastAPI's documentation has it
    app.add_middleware(ResponseHeaders, holder=holder)
    log = app.state.decision_log = open_log(settings)
    observer = Observer([metrics] if log is None else [metrics, log])
    app.add_middleware(FilterPath, holder=holder, settings=settings, observer=observer)
    # Last, so that it stands around everything else.
    problems.install(app)
    return app


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncGenerator[None]:
    holder: PlanHolder = app.state.holder
    log: DecisionLog | None = app.state.decision_log
    async with holder.watching():
        yield
    if log is not None:
        log.close()
