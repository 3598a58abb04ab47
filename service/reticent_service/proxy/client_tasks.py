"""The proxy's own addresses, below ``/-/reticent/``: whether it lives, and what a client may do with its tasks.

Whoever has the credentials has the tasks, as with the turns themselves.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, Protocol

import orjson
from starlette.responses import JSONResponse

from reticent.errors import ReticentError, UnknownTask
from reticent.store import STATES
from reticent_service import problems
from reticent_service.problems import BadRequest
from reticent_service.proxy.keeping import full_names

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import Scope

    from reticent.store import AsyncStore, AsyncTasks, State, TaskInfo
    from reticent_service.plan_holder import PlanHolder

PREFIX: Final = "/-/reticent"

Answer = Callable[["Request"], Awaitable["Response"]]


class Clients(Protocol):
    """What the proxy knows of its clients."""

    holder: PlanHolder

    @property
    def store(self) -> AsyncStore:
        """The store."""
        ...

    def tenant(self, scope: Scope) -> str:
        """Who asks."""
        ...

    def tasks(self, tenant: str) -> AsyncTasks:
        """The tasks of one client."""
        ...


def routes(clients: Clients) -> list[tuple[str, str, Answer]]:
    """Path, method and function of every address."""

    async def _livez(_request: Request) -> Response:
        return JSONResponse({"status": "alive"})

    async def _readyz(_request: Request) -> Response:
        state = clients.holder.state
        return JSONResponse({"status": "stale" if state.failure else "ready", "plan": state.plan.digest})

    async def _counts(request: Request) -> Response:
        _, found = await _found(clients, request)
        return JSONResponse(_told(request, found))

    async def _finish(request: Request) -> Response:
        state = _state(await request.body())
        tenant, found = await _found(clients, request)
        tasks = clients.tasks(tenant)
        receipts = [await tasks.finish(info.task, state) for info in found]
        return JSONResponse(
            {**_told(request, found), "state": state, "finished": max(one.finished for one in receipts)}
        )

    one = PREFIX + "/tasks/{task}"
    return [
        (PREFIX + "/livez", "GET", _livez),
        (PREFIX + "/readyz", "GET", _readyz),
        (one, "GET", _guarded(_counts)),
        (one + "/finish", "POST", _guarded(_finish)),
    ]


def _guarded(answer: Answer) -> Answer:
    async def guarded(request: Request) -> Response:
        try:
            return await answer(request)
        except BadRequest as error:
            return problems.problem(error.code, error.status, error.detail)
        except ReticentError as error:
            return problems.of_error(error)

    return guarded


async def _found(clients: Clients, request: Request) -> tuple[str, list[TaskInfo]]:
    """The client, and its live tasks of the name in the path: one for each model family that worked on it."""
    tenant, name = clients.tenant(request.scope), request.path_params["task"]
    live = await clients.store.tasks(tenant)
    names = full_names([info.task for info in live], name)
    if not names:
        raise UnknownTask("no live task of this client has this name")
    return tenant, [info for info in live if info.task in names]


def _told(request: Request, found: list[TaskInfo]) -> dict[str, Any]:
    return {
        "task": request.path_params["task"],
        "turns": sum(info.turns for info in found),
        "carriers": sum(info.carriers for info in found),
        "created": min(info.created for info in found),
    }


def _state(body: bytes) -> State:
    try:
        told = orjson.loads(body)["state"] if body else "completed"
    except (ValueError, TypeError, KeyError):
        told = None
    known: State | None = next((state for state in STATES if state == told), None)
    if known is None:
        detail = f'send {{"state": …}} with one of {", ".join(STATES)}'
        raise BadRequest("invalid-request", HTTPStatus.BAD_REQUEST, detail)
    return known
