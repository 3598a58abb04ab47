"""Break-glass over HTTP: ask, approve, show, close; each a grant of its own, and each a record of the decision log."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, cast

import orjson
from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from reticent.errors import UnknownSurface
from reticent.serializers import cutting
from reticent_service.admission import DESCRIBED, DocumentBody, caller_of, grants_of, state_of
from reticent_service.break_glass import LONGEST_MINUTES, BreakGlass, Glass
from reticent_service.described import problems
from reticent_service.problems import BadRequest

if TYPE_CHECKING:
    from reticent.store import AsyncStore

router = APIRouter(tags=["break-glass"], dependencies=DESCRIBED)

_FAILURES: Final = problems(400, 401, 403, 404, 409, 410, 413, 422, 429, 503)
_NOTICE: Final = (
    "Break-glass: this holds a model's reasoning, shown by exception to one person for one task. "
    "It is unreviewed text. Do not copy it, and do not act on it towards the customer."
)
EXAMPLE: Final = {"messages": [{"role": "assistant", "content": "Done."}]}

Name = Annotated[str, Path(min_length=1, max_length=64, description="The request, as `ask` answered it.")]
_Word = Annotated[str, Field(min_length=1, max_length=200)]


class Asked(BaseModel):
    """What somebody asks to see, and why."""

    model_config = ConfigDict(extra="forbid")

    task: _Word
    tenant: _Word
    """The caller that holds the task's turns."""
    surface: _Word
    reason: Annotated[str, Field(min_length=10, max_length=500)]
    """For whoever approves, and for the decision log."""
    minutes: Annotated[int, Field(ge=1, le=LONGEST_MINUTES)] = 15


class Told(BaseModel):
    """One request and how it stands."""

    id: str
    state: Literal["asked", "open", "closed", "expired"]
    task: str
    tenant: str
    surface: str
    reason: str
    minutes: int
    asked_by: str
    asked_at: str
    approved_by: str | None
    until: str
    """When it ends by itself."""
    shown: int
    """How often it was looked at."""


@router.post("/v1/break-glass", status_code=201, responses=_FAILURES)
async def ask(asked: Asked, request: Request) -> Told:
    """Ask to see the reasoning of one task on one surface; another person has to approve."""
    _needs("break-glass", asked.surface, request)
    decision = state_of(request).plan.decisions[asked.surface]
    if decision.verdict == "pass":
        raise BadRequest("nothing-withheld", HTTPStatus.CONFLICT, "this surface withholds nothing")
    return _told(_glasses(request).ask(**asked.model_dump(), asker=caller_of(request)))


@router.get("/v1/break-glass", responses=_FAILURES)
async def listed(request: Request) -> list[Told]:
    """List the requests for surfaces on which the caller may ask or approve."""
    grants = grants_of(request)
    return [
        _told(glass)
        for glass in _glasses(request).all()
        if grants.allows("break-glass", glass.surface) or grants.allows("approve", glass.surface)
    ]


@router.post("/v1/break-glass/{name}/approve", responses=_FAILURES)
async def approve(name: Name, request: Request) -> Told:
    """Agree to what somebody else asked for; from now on it is open for as long as was asked."""
    glass = _glasses(request).find(name)
    _needs("approve", glass.surface, request)
    state, approver = state_of(request), caller_of(request)
    same = state.person_of(approver) == state.person_of(glass.asker)
    return _told(_glasses(request).approve(name, approver, same_person=same))


@router.post("/v1/break-glass/{name}/close", responses=_FAILURES)
async def close(name: Name, request: Request) -> Told:
    """Close it before its time; whoever may ask or approve for the surface can."""
    glass = _glasses(request).find(name)
    grants = grants_of(request)
    if not (grants.allows("break-glass", glass.surface) or grants.allows("approve", glass.surface)):
        raise _hidden()
    return _told(_glasses(request).close(name))


@router.post(
    "/v1/break-glass/{name}/show",
    response_class=Response,
    openapi_extra={"requestBody": {"required": True, "content": {"application/json": {"example": EXAMPLE}}}},
    responses={
        200: {"content": {"application/json": {}}, "description": "A banner, and the payload with its reasoning."},
        **_FAILURES,
    },
)
async def show(name: Name, body: DocumentBody, request: Request) -> Response:
    """Show the task's payload with its reasoning, under a banner.

    With a task store the body is the visible history of the task, and its reasoning is put back from the store. Without
    one it is the task's payload as the caller has it, which then is not stripped.
    """
    glass = _glasses(request).find(name)
    _needs("break-glass", glass.surface, request)
    cutting.parse(body)
    payload = await _payload(glass, body, request)
    # Counted and logged before anything leaves, and again refused if the time ran out meanwhile.
    glass = _glasses(request).show(name, caller_of(request))
    banner = orjson.dumps({"notice": _NOTICE, **glass.told()})
    content = b'{"break_glass":' + banner + b',"payload":' + payload + b"}"
    return Response(content, media_type="application/json", headers={"cache-control": "no-store"})


async def _payload(glass: Glass, body: bytes, request: Request) -> bytes:
    """The payload, from the store if there is one."""
    if glass.state != "open" or glass.asker != caller_of(request):
        # Told by `show`, with the reason; nothing is read from a store for it.
        return b"null"
    store = cast("AsyncStore | None", getattr(request.app.state, "store", None))
    if store is None:
        return body
    from reticent.store import AsyncTasks

    tasks = AsyncTasks(store, plan=state_of(request).plan, tenant=glass.tenant, surface=glass.surface)
    restored: Any = await tasks.restore(glass.task, body)
    return bytes(restored)


def _needs(verb: str, surface: str, request: Request) -> None:
    """Stop whoever was not granted ``verb`` for the surface; a surface they may know nothing of does not exist.

    Raises:
        UnknownSurface: there is none, or none that the caller has a grant for.
        BadRequest: nobody known calls, or the verb was not granted.
    """
    grants = grants_of(request)
    if surface not in state_of(request).plan.decisions or surface not in grants.surfaces:
        raise UnknownSurface(surface, grants.surfaces)
    if not grants.allows(verb, surface):
        raise BadRequest("not-granted", HTTPStatus.FORBIDDEN, f"this needs the verb {verb!r} for the surface")


def _glasses(request: Request) -> BreakGlass:
    grants_of(request)
    return cast("BreakGlass", request.app.state.break_glass)


def _hidden() -> BadRequest:
    return BadRequest("unknown-break-glass", HTTPStatus.NOT_FOUND, "there is none of that name")


def _told(glass: Glass) -> Told:
    return Told(**glass.told())
