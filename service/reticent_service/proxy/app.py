"""Wiring of the proxy: settings in, application out."""

from __future__ import annotations

import contextlib
import logging
import time
from datetime import timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import orjson
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from starlette.routing import Route as Path
from starlette.routing import Router

from reticent.errors import ConfigurationError, ReticentError
from reticent.store import AsyncTasks, Keyset
from reticent.store.envelope import KEY_BYTES
from reticent_service import problems
from reticent_service.decision_log import open_log
from reticent_service.observing import Call, Observer
from reticent_service.plan_holder import PlanHolder
from reticent_service.problems import BadRequest, CrashBarrier
from reticent_service.proxy import client_tasks, failures, headers
from reticent_service.proxy.connection import ClientGone, Connection
from reticent_service.proxy.exchange import Exchange
from reticent_service.proxy.keeping import ClientTasks
from reticent_service.proxy.passing import Passing
from reticent_service.proxy.routes import Route, model_of, route_of
from reticent_service.proxy.settings import ProxySettings
from reticent_service.proxy.upstream import Upstream
from reticent_service.settings import PREFIX
from reticent_service.task_store import open_tasks, read_keys

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from starlette.types import ASGIApp, Receive, Scope, Send

    from reticent.compiler import Plan
    from reticent.store import AsyncStore, KeyWrapper

_PURPOSE: Final = b"reticent proxy: digests of credentials"
_ANONYMOUS: Final = "anonymous"

_log = logging.getLogger("reticent_service.proxy")


def create_proxy(settings: ProxySettings | None = None) -> ASGIApp:
    """Build the application.

    Args:
        settings: The configuration; read from the environment when left out, as ``uvicorn --factory`` does.

    Raises:
        ConfigurationError: A setting is wrong or missing, or the table says pass of the surface.
        EngineError: The engine gave no usable answer.
    """
    proxy = Proxy(ProxySettings.from_environment() if settings is None else settings)
    own = [Path(path, answer, methods=[method]) for path, method, answer in client_tasks.routes(proxy)]
    return CrashBarrier(Router(own, default=proxy, lifespan=proxy.lifespan, redirect_slashes=False))


def _naming_key(settings: ProxySettings, keys: KeyWrapper) -> bytes:
    """The key that names of clients are made with, another one for each upstream.

    Raises:
        ConfigurationError: the keys are in a key service, and there is no secret.
    """
    purpose = _PURPOSE + b"\0" + str(settings.upstream).rstrip("/").encode()
    if settings.clients_key is not None:
        secret = settings.clients_key.get_secret_value().encode()
        return HKDF(hashes.SHA256(), KEY_BYTES, salt=None, info=purpose).derive(secret)
    if isinstance(keys, Keyset):
        return keys.derive(purpose)
    raise ConfigurationError(f"keys in a key service need a secret beside them: set {PREFIX}CLIENTS_KEY, or …_FILE")


class Proxy:
    """ASGI application: turns are restored, held and shown, everything else is carried."""

    def __init__(self, settings: ProxySettings) -> None:
        """Check everything that can be checked before the first request.

        Raises:
            ConfigurationError: as for ``create_proxy``.
        """
        keys = read_keys(settings)
        if settings.upstream is None or keys is None:
            raise ConfigurationError("the proxy needs an upstream, a store and its keys: --upstream, --store, --keys")
        self.settings = settings
        self.holder = PlanHolder(settings)
        self._keys = keys
        self._tenants = _naming_key(settings, keys)
        self._upstream = Upstream(
            str(settings.upstream), connect_seconds=settings.connect_seconds, idle_seconds=settings.idle_seconds
        )
        log = open_log(settings)
        self._watchers = [] if log is None else [log]
        self._observer = Observer(self._watchers)
        self._store: AsyncStore | None = None
        if self.plan.decision(settings.surface).verdict == "pass":
            raise ConfigurationError(f"surface {settings.surface!r} is pass; its readers need no proxy")

    @property
    def plan(self) -> Plan:
        """The plan in force."""
        return self.holder.state.plan

    @property
    def store(self) -> AsyncStore:
        """The store; open while the application runs."""
        if self._store is None:
            raise RuntimeError("the application has not been started")
        return self._store

    @contextlib.asynccontextmanager
    async def lifespan(self, _app: object) -> AsyncGenerator[None]:
        """Open the store, watch the table, sweep; close everything at the end."""
        async with open_tasks(self.settings, self._keys) as self._store, self.holder.watching():
            try:
                yield
            finally:
                await self._upstream.aclose()
                self.close()

    def close(self) -> None:
        """Close the decision log."""
        for watcher in self._watchers:
            watcher.close()

    def tenant(self, scope: Scope) -> str:
        """Who asks, told by the credentials that go to the upstream.

        Raises:
            BadRequest: there are none, and the settings do not say that everybody is one.
        """
        told = headers.tenant_of(scope["headers"], scope["query_string"], self._tenants)
        if told is None and not self.settings.anonymous:
            detail = "send the credentials of the upstream; what is held belongs to whoever has them"
            raise BadRequest("no-credentials", HTTPStatus.UNAUTHORIZED, detail)
        return told or _ANONYMOUS

    def tasks(self, tenant: str) -> AsyncTasks:
        """The tasks of one client, under the plan in force."""
        lifetime = timedelta(hours=self.settings.task_hours)
        return AsyncTasks(self.store, plan=self.plan, tenant=tenant, surface=self.settings.surface, lifetime=lifetime)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008, "reason": "this proxy carries no WebSocket"})
            return
        settings = self.settings
        connection = Connection(
            scope, receive, send, receive_seconds=settings.receive_seconds, send_seconds=settings.send_seconds
        )
        route = route_of(scope["method"], scope["path"])
        call = Call(surface=settings.surface, started=time.perf_counter(), plan=self.plan.digest, verdict="strip")
        try:
            await (self._pass(connection) if route is None else self._turn(connection, route, call))
        except ClientGone:
            call.outcome = "client-gone" if call.outcome == "filtered" else call.outcome
        except (ReticentError, BadRequest) as error:
            await self._say(connection, route, error, call)
        finally:
            if route is not None:
                call.bytes_out = connection.sent
                self._observer.finished(call)

    async def _pass(self, connection: Connection) -> None:
        passing = Passing(connection, self._upstream, self.plan, self.settings.surface)
        await connection.while_here(passing.answer())

    async def _turn(self, connection: Connection, route: Route, call: Call) -> None:
        tenant = self.tenant(connection.scope)
        body = await connection.body(self.settings.max_body_bytes)
        asked = _parsed(body)
        model = model_of(connection.scope["path"], asked)
        tasks = ClientTasks(self.tasks(tenant), model)
        exchange = Exchange(connection, route, self.plan, self.settings.surface, tasks, self._upstream, call)
        named = headers.value_of(connection.scope["headers"], headers.TASK)
        await connection.while_here(exchange.answer(body, asked, None if named is None else named.decode("latin-1")))

    async def _say(self, connection: Connection, route: Route | None, error: Exception, call: Call) -> None:
        """Tell the client what went wrong, when its answer has not begun; else the connection just ends."""
        failure = failures.failure_of(error)
        call.outcome, call.status = failure.code, failure.status.value
        _log.warning("a request was not served: %s", failure.code)
        if connection.started:
            raise error
        if route is None:
            answer = problems.problem(failure.code, failure.status, failure.detail)
            told, body = answer.raw_headers, bytes(answer.body)
        else:
            told, body = failures.document(route.family, failure)
        await connection.start(failure.status.value, told)
        await connection.put(body, last=True)


def _parsed(body: bytes) -> dict[str, Any]:
    """The request, parsed.

    Raises:
        BadRequest: it is no JSON object, so it is no turn.
    """
    try:
        asked = orjson.loads(body)
    except ValueError:
        asked = None
    if not isinstance(asked, dict):
        raise BadRequest("malformed-input", HTTPStatus.BAD_REQUEST, f"a body of {len(body)} bytes is no JSON object")
    return asked
