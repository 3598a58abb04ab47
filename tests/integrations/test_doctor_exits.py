"""The doctor on real libraries: open without a guard, named with its surface behind one."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any

import pytest

# Without it, the import asks the network for a list of prices.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
import loguru
import sentry_sdk
from litellm.integrations.custom_logger import CustomLogger
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from sqlalchemy import JSON, Integer
from sqlalchemy.orm import declarative_base, mapped_column, sessionmaker
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from reticent import doctor
from reticent.doctor import _telemetry
from reticent.integrations.asgi import ReticentMiddleware
from reticent.integrations.litellm import ReticentLogger
from reticent.integrations.loguru import ReticentPatcher, ReticentSink
from reticent.integrations.opentelemetry import ReticentSpanExporter
from reticent.integrations.sentry import hooks
from reticent.integrations.sqlalchemy import ReticentJSON, guard_session

if TYPE_CHECKING:
    from collections.abc import Iterator


def exits(library: str, *applications: Any) -> dict[str, str | None]:
    """The exits of a library that the doctor finds, with their surfaces."""
    return {found.name: found.surface for found in doctor.report(*applications).exits if found.library == library}


@pytest.mark.parametrize("processor", [SimpleSpanProcessor, BatchSpanProcessor])
def test_exporters_of_opentelemetry(processor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each exporter of the global provider is an exit, whatever processor it is in."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(processor(InMemorySpanExporter()))
    provider.add_span_processor(processor(ReticentSpanExporter("logs", InMemorySpanExporter())))
    monkeypatch.setattr("opentelemetry.trace._TRACER_PROVIDER", provider)

    found = exits("opentelemetry")
    provider.shutdown()

    assert found["spans: InMemorySpanExporter"] is None
    assert "logs" == found["spans: ReticentSpanExporter"]
    assert 2 == len(list(_telemetry.exporters_of(provider)))


@pytest.fixture
def own_loguru() -> Iterator[Any]:
    """The logger of loguru without handlers and patcher, put back empty."""
    for_nobody: Any = {"handlers": [], "patcher": lambda _record: None}
    loguru.logger.configure(**for_nobody)
    yield loguru.logger
    loguru.logger.configure(**for_nobody)


def test_handlers_of_loguru(own_loguru: Any) -> None:
    """A handler is guarded by the patcher of all or by its own sink."""
    own_loguru.add(io.StringIO())
    own_loguru.add(ReticentSink("logs", io.StringIO()))
    assert [None, "logs"] == list(exits("loguru").values())

    own_loguru.configure(patcher=ReticentPatcher("logs"))
    assert ["logs", "logs"] == list(exits("loguru").values())


def test_hooks_of_sentry() -> None:
    """Each hook is an exit while the client is on."""
    try:
        sentry_sdk.init(dsn="http://key@localhost/1", default_integrations=False)
        assert {None} == {*exits("sentry").values()}
        given: dict[str, Any] = hooks("logs")
        sentry_sdk.init(dsn="http://key@localhost/1", default_integrations=False, **given)
        assert {"before_send", "before_send_transaction", "before_breadcrumb"} == exits("sentry").keys()
        assert {"logs"} == {*exits("sentry").values()}
        told = {item.name for item in doctor.report().settings if item.library == "sentry"}
        assert "include_local_variables" in told
    finally:
        sentry_sdk.init(default_integrations=False)
    assert {} == exits("sentry")


def test_callbacks_of_litellm(monkeypatch: pytest.MonkeyPatch) -> None:
    """A callback is guarded when a guard stands before it, and open when it stands behind."""

    class Own(CustomLogger):
        pass

    monkeypatch.setattr(litellm, "callbacks", [Own(), ReticentLogger("logs")])
    assert {"callback Own": None} == exits("litellm")

    monkeypatch.setattr(litellm, "callbacks", [ReticentLogger("logs"), Own()])
    assert {"callback Own": "logs"} == exits("litellm")


def test_columns_of_sqlalchemy() -> None:
    """A JSON column is an exit, guarded by its type or by the session; other columns are not looked at."""
    base: Any = declarative_base()
    columns = {"id": mapped_column(Integer, primary_key=True), "open": mapped_column(JSON)}
    columns["held"] = mapped_column(ReticentJSON("conversation_db"))
    model = type("DoctorModel", (base,), {"__tablename__": "doctor_model", **columns})

    found = {name: surface for name, surface in exits("sqlalchemy").items() if name.startswith("DoctorModel")}

    assert {"DoctorModel.open": None, "DoctorModel.held": "conversation_db"} == found
    assert model is not None

    listening = guard_session(sessionmaker(), "conversation_db")
    guarded = exits("sqlalchemy")
    base.registry.dispose()

    assert "conversation_db" == guarded["DoctorModel.open"] == listening.surface


def test_routes_of_an_application() -> None:
    """A route is guarded by middleware that is meant for its path, declared on the application or put around it."""

    async def answer(_request: Any) -> JSONResponse:
        return JSONResponse({})

    app = Starlette(routes=[Route("/support/x", answer), Route("/chat", answer)])
    assert {"Starlette /support/x": None, "Starlette /chat": None} == exits("asgi", app)

    app.add_middleware(ReticentMiddleware, surface="support_console", paths=("/support",))
    assert {"Starlette /support/x": "support_console", "Starlette /chat": None} == exits("asgi", app)

    assert {"ReticentMiddleware": "browser_stream"} == exits("asgi", ReticentMiddleware(app, "browser_stream"))
