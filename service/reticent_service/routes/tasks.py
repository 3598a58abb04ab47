"""Tasks over HTTP: hold a turn, put reasoning back into a history, end a task, count.

The tenant is the caller, as its token tells; no request can name another. Whoever may hold turns (verb ``tasks``) gets
no reasoning back: that takes the verb ``restore``.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, cast

import orjson
from fastapi import APIRouter, Body, Depends, Path, Request, Response
from pydantic import BaseModel

from reticent.errors import MalformedInput
from reticent_service.admission import DESCRIBED, DocumentBody, caller_of, may, settings_of, state_of
from reticent_service.described import problems
from reticent_service.problems import BadRequest

if TYPE_CHECKING:
    from reticent.store import AsyncStore, AsyncTasks, Receipt

router = APIRouter(tags=["tasks"], dependencies=DESCRIBED)

_JSON: Final = "application/json"
_FAILURES: Final = problems(400, 401, 403, 404, 409, 410, 413, 422, 500, 503, 507)

EXAMPLE_TURN: Final[dict[str, Any]] = {
    "turn": {
        "role": "assistant",
        "content": "",
        "reasoning_content": "the customer is wrong",
        "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}],
    },
    "model": "deepseek-v4",
}
EXAMPLE_VISIBLE: Final = {name: told for name, told in EXAMPLE_TURN["turn"].items() if name != "reasoning_content"}
EXAMPLE_HISTORY: Final = {
    "messages": [
        {"role": "user", "content": "Where is my parcel?"},
        EXAMPLE_VISIBLE,
        {"role": "tool", "tool_call_id": "call_1", "content": "in Kiel"},
    ]
}
EXAMPLE_RESTORED: Final = {
    "messages": [EXAMPLE_HISTORY["messages"][0], EXAMPLE_TURN["turn"], EXAMPLE_HISTORY["messages"][2]]
}

Name = Annotated[str, Path(min_length=1, max_length=200, description="The task; its first turn makes it.")]


class Counts(BaseModel):
    """A live task: numbers, no content. Times are seconds since 1970."""

    task: str
    turns: int
    carriers: int
    """Blocks and members of reasoning that are held."""
    dialects: list[str]


class Ended(BaseModel):
    """How a task is to end."""

    state: Literal["completed", "failed", "cancelled", "expired", "partial"] = "completed"


class Erased(BaseModel):
    """What is left of a task. ``finished`` is in seconds since 1970."""

    task: str
    state: Literal["completed", "failed", "cancelled", "expired", "partial"]
    finished: float
    turns: int
    carriers: int


def tasks_of(request: Request) -> AsyncTasks:
    """The tasks of the caller.

    Raises:
        BadRequest: the service has no task store, or nobody known calls.
    """
    from reticent.store import AsyncTasks

    store = cast("AsyncStore | None", getattr(request.app.state, "store", None))
    if store is None:
        detail = "this service has no task store; start it with --store and --keys"
        raise BadRequest("no-store", HTTPStatus.NOT_FOUND, detail)
    surface = settings_of(request).surface
    return AsyncTasks(store, plan=state_of(request).plan, tenant=caller_of(request), surface=surface)


def _described(example: Mapping[str, Any]) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {_JSON: {"schema": {}, "example": example}}}}


def _answered(example: Mapping[str, Any], told: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {_JSON: {"schema": {}, "example": example}}, "description": told}, **_FAILURES}


@router.post(
    "/v1/tasks/{task}/turns",
    dependencies=[Depends(may("tasks"))],
    response_class=Response,
    openapi_extra=_described(EXAMPLE_TURN),
    responses=_answered(EXAMPLE_VISIBLE, "The turn as the client may see it."),
)
async def hold(task: Name, body: DocumentBody, request: Request) -> Response:
    """Keep the reasoning of a turn and answer with the turn without it.

    The body has the ``turn`` that a model answered, the ``request`` that it answers where the model binds reasoning to
    it, and the ``model`` where the turn does not name it.
    """
    tasks, told = tasks_of(request), _parts(body)
    if "turn" not in told:
        raise MalformedInput("the body has no member 'turn'")
    model = orjson.loads(told.get("model", b"null"))
    if not isinstance(model, str | None):
        raise MalformedInput("the member 'model' is the name of a model")
    visible = await tasks.hold(task, told["turn"], model=model, request=told.get("request"))
    return Response(visible, media_type=_JSON)


@router.post(
    "/v1/tasks/{task}/restore",
    dependencies=[Depends(may("restore"))],
    response_class=Response,
    openapi_extra=_described(EXAMPLE_HISTORY),
    responses=_answered(
        EXAMPLE_RESTORED, "The body with every block back at its place; it goes to the producer alone."
    ),
)
async def restored(task: Name, body: DocumentBody, request: Request) -> Response:
    """Put every block back, byte for byte, into a request body or a list of messages."""
    return Response(await tasks_of(request).restore(task, body), media_type=_JSON)


@router.post("/v1/tasks/{task}/finish", dependencies=[Depends(may("tasks"))], responses=_FAILURES)
async def finish(task: Name, request: Request, ended: Annotated[Ended | None, Body()] = None) -> Erased:
    """End a task: its key and all that it held are erased, and a receipt stays."""
    receipt: Receipt = await tasks_of(request).finish(task, (ended or Ended()).state)
    return Erased(
        task=receipt.task,
        state=receipt.state,
        finished=receipt.finished,
        turns=receipt.turns,
        carriers=receipt.carriers,
    )


@router.get("/v1/tasks/{task}", dependencies=[Depends(may("tasks"))], responses=_FAILURES)
async def counts(task: Name, request: Request) -> Counts:
    """Tell how much a live task holds."""
    turns = await tasks_of(request).turns(task)
    return Counts(
        task=task,
        turns=len(turns),
        carriers=sum(turn.carriers for turn in turns),
        dialects=sorted({turn.dialect for turn in turns}),
    )


def _parts(body: bytes) -> dict[str, bytes]:
    """The members of the body, as the bytes they are.

    Raises:
        MalformedInput: it is no JSON object.
    """
    from reticent.serializers import cutting, jsonbytes

    text = body.strip()
    if not isinstance(cutting.parse(text), dict):
        raise MalformedInput("the body is no JSON object")
    return {str(name): text[start:end] for name, _, start, end in jsonbytes.entries(text)}
