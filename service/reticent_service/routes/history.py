"""The history compactor over HTTP: where the live task begins, and a smaller history."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from reticent.errors import ConfigurationError, ReticentError
from reticent.history.progress import Step, silent
from reticent_service import problems as failures
from reticent_service.admission import DESCRIBED, DocumentBody, may
from reticent_service.described import problems
from reticent_service.folding import FoldQuery
from reticent_service.folding import folded as fold_document

if TYPE_CHECKING:
    from reticent.history.document import Document

router = APIRouter(tags=["history"], dependencies=[*DESCRIBED, Depends(may("history"))])

_JSON = "application/json"
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {_JSON: {"schema": {}, "example": [{"role": "user", "content": "Where is my parcel?"}]}},
    }
}
_LINES = "application/x-ndjson"
_FOLD_EXAMPLE: dict[str, Any] = {
    "request": {"messages": [{"role": "user", "content": "Where is my parcel?"}], "tools": []},
    "sources": {"tools": {"get_order": {"kind": "external"}}, "identifiers": ["ORD-[0-9]+"]},
}
_FOLD_BODY: dict[str, Any] = {
    "requestBody": {"required": True, "content": {_JSON: {"schema": {"type": "object"}, "example": _FOLD_EXAMPLE}}}
}
_FAILURES = problems(400, 401, 403, 413, 422)

Dialect = Annotated[str | None, Query(description="The id of the history's dialect; recognised when left out.")]


@router.post(
    "/v1/history/boundary",
    response_class=Response,
    openapi_extra=_BODY,
    responses={200: {"content": {_JSON: {}}, "description": "The boundary, and why."}, **_FAILURES},
)
async def boundary(body: DocumentBody, dialect: Dialect = None) -> Response:
    """Tell where the live task of a history begins, how sure that is, and why not further on."""
    return await run_in_threadpool(_answered, body, partial(_boundary, dialect=dialect))


@router.post(
    "/v1/history/compact",
    response_class=Response,
    openapi_extra=_BODY,
    responses={200: {"content": {_JSON: {}}, "description": "The history and a report."}, **_FAILURES},
)
async def compacted(
    body: DocumentBody,
    profile: Annotated[str | None, Query(description="What the provider demands.")] = None,
    model: Annotated[str | None, Query(description="The id of the model.")] = None,
    keep_turns: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    window: Annotated[
        int | None, Query(ge=1, le=1_000_000_000, description="In tokens: compact only when due.")
    ] = None,
    dialect: Dialect = None,
) -> Response:
    """Compact the settled part of a history: ``history`` is the body with less in it, the live task byte for byte."""
    work = partial(_compacted, profile=profile, model=model, keep_turns=keep_turns, window=window, dialect=dialect)
    return await run_in_threadpool(_answered, body, work)


@router.post(
    "/v1/history/fold",
    response_class=Response,
    openapi_extra=_FOLD_BODY,
    responses={
        200: {
            "content": {_JSON: {}, _LINES: {}},
            "description": "The prompt to send to the model, or what its summary makes of the request.",
        },
        **_FAILURES,
    },
)
async def folded(  # noqa: PLR0913, PLR0917 - FastAPI makes one parameter of each argument
    body: DocumentBody,
    request: Request,
    keep: Annotated[int | None, Query(ge=1, le=1_000_000, description="Latest tool results that stay.")] = None,
    window: Annotated[
        int | None, Query(ge=1, le=1_000_000_000, description="In tokens: fold only from 0.9 of it on.")
    ] = None,
    mode: Annotated[Literal["native", "text"] | None, Query(description="How tools are played.")] = None,
    profile: Annotated[str | None, Query(description="What the provider demands.")] = None,
    model: Annotated[str | None, Query(description="The id of the model.")] = None,
    dialect: Dialect = None,
) -> Response:
    """Fold older tool results of settled work into a summary that the caller's own model writes.

    Without ``summary`` the answer holds the prompt; with it, the request to send and the scratchpad to keep. Ask for
    ``application/x-ndjson`` to be told each step on a line of its own; the last line is the answer.
    """
    query = FoldQuery(keep=keep, window=window, mode=mode, profile=profile, model=model, dialect=dialect)
    work = partial(fold_document, body, query)
    if _LINES in request.headers.get("accept", ""):
        return StreamingResponse(_lines(work), media_type=_LINES)
    return await run_in_threadpool(_guarded, partial(work, progress=silent))


async def _lines(work: Callable[..., bytes]) -> AsyncIterator[bytes]:
    """Each step as it is done, then the answer, or the problem there is with the request."""
    steps: asyncio.Queue[bytes | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def tell(step: Step) -> None:
        loop.call_soon_threadsafe(steps.put_nowait, orjson.dumps({"step": step.value}) + b"\n")

    def run() -> bytes:
        try:
            return bytes(_guarded(partial(work, progress=tell)).body)
        finally:
            loop.call_soon_threadsafe(steps.put_nowait, None)

    answer = asyncio.ensure_future(run_in_threadpool(run))
    while (line := await steps.get()) is not None:
        yield line
    yield await answer + b"\n"


def _boundary(document: Document, *, dialect: str | None) -> bytes:
    from reticent.history import boundary_report

    return orjson.dumps(boundary_report(document.entries, dialect=dialect).to_json())


def _compacted(document: Document, *, model: str | None, window: int | None, **options: Any) -> bytes:
    from reticent.history import Window, compact

    if document.lines:
        raise ConfigurationError("this is JSON Lines; send a JSON array or a request body")
    budget = None if window is None else Window(tokens=window)
    done = compact(document.entries, model=model or document.model, budget=budget, **options)
    # The history is written between its neighbours as the bytes it is.
    report = orjson.dumps(done.report.to_json())
    return b'{"history":' + document.rewritten(done.removed) + b',"report":' + report + b"}"


def _answered(body: bytes, work: Callable[[Document], bytes]) -> Response:
    from reticent.history.document import read_document

    return _guarded(lambda: work(read_document(body)))


def _guarded(work: Callable[[], bytes]) -> Response:
    try:
        return Response(work(), media_type=_JSON)
    except ReticentError as error:
        return failures.of_error(error, asked=isinstance(error, ConfigurationError))
