"""What routes ask of a request before they serve it: a caller that may, and a body that is not too long."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Final, cast

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBasic, HTTPBearer

from reticent_service.problems import BadRequest

if TYPE_CHECKING:
    from reticent_service.access import Grants
    from reticent_service.metrics import Metrics
    from reticent_service.plan_holder import PlanHolder, State
    from reticent_service.settings import Settings

MAX_TABLE_BYTES: Final = 1024 * 1024

# They only describe: who calls is told by `State.identify`, with and without a header.
BEARER: Final = HTTPBearer(auto_error=False, description="A token of the callers file.")
BASIC: Final = HTTPBasic(auto_error=False, description="For browsers: the token is the password, any name will do.")
DESCRIBED: Final = [Security(BEARER), Security(BASIC)]


def holder_of(request: Request) -> PlanHolder:
    """The plan holder of the application."""
    return cast("PlanHolder", request.app.state.holder)


def metrics_of(request: Request) -> Metrics:
    """The metrics of the application."""
    return cast("Metrics", request.app.state.metrics)


def settings_of(request: Request) -> Settings:
    """The settings of the application."""
    return cast("Settings", request.app.state.settings)


def state_of(request: Request) -> State:
    """The state that this request is served by, the same one from its beginning to its end."""
    if not hasattr(request.state, "plan_state"):
        request.state.plan_state = holder_of(request).state
    return cast("State", request.state.plan_state)


def caller_of(request: Request) -> str:
    """The name of the caller.

    Raises:
        BadRequest: nobody known calls.
    """
    peer = request.client.host if request.client else None
    caller = state_of(request).identify(request.scope["headers"], peer)
    if caller is None:
        raise BadRequest("no-caller", HTTPStatus.UNAUTHORIZED, "send a token: authorization: Bearer …")
    return caller


def grants_of(request: Request) -> Grants:
    """What the caller may do.

    Raises:
        BadRequest: nobody known calls.
    """
    return state_of(request).grants_of(caller_of(request))


def may(verb: str) -> Callable[[Request], None]:
    """A dependency that lets only callers through who may do ``verb``."""

    def check(request: Request) -> None:
        if not grants_of(request).allows(verb):
            raise BadRequest("not-granted", HTTPStatus.FORBIDDEN, f"this needs the verb {verb!r}")

    return check


def may_read(surface: str, request: Request) -> str:
    """The path's surface, when the caller may read about it.

    Raises:
        UnknownSurface: there is none, or none that the caller may read about.
        BadRequest: nobody known calls.
    """
    from reticent.errors import UnknownSurface

    grants = grants_of(request)
    if not grants.allows("read", surface):
        raise UnknownSurface(surface, (name for name in grants.surfaces if grants.allows("read", name)))
    return surface


async def body_up_to(request: Request, limit: int) -> bytes:
    """The body.

    Raises:
        BadRequest: it is longer than ``limit`` bytes.
    """
    parts = bytearray()
    async for chunk in request.stream():
        parts += chunk
        if len(parts) > limit:
            raise BadRequest("input-too-large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"more than {limit} bytes")
    return bytes(parts)


async def document_body(request: Request) -> bytes:
    """A body as long as one JSON document may be."""
    return await body_up_to(request, settings_of(request).max_body_bytes)


async def table_body(request: Request) -> str:
    """A body that is a table.

    Raises:
        BadRequest: it is too long, or not UTF-8.
    """
    raw = await body_up_to(request, MAX_TABLE_BYTES)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise BadRequest("not-text", HTTPStatus.BAD_REQUEST, f"not UTF-8 at byte {error.start}") from None


StateOf = Annotated["State", Depends(state_of)]
Surface = Annotated[str, Depends(may_read)]
DocumentBody = Annotated[bytes, Depends(document_body)]
TableBody = Annotated[str, Depends(table_body)]
