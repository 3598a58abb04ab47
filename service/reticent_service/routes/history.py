"""The history compactor over HTTP: where the live task begins, and a smaller history."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import orjson
from fastapi import APIRouter, Depends, Query, Response
from fastapi.concurrency import run_in_threadpool

from reticent.errors import ConfigurationError, ReticentError
from reticent_service import problems as failures
from reticent_service.admission import DESCRIBED, DocumentBody, may
from reticent_service.described import problems

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

    try:
        return Response(work(read_document(body)), media_type=_JSON)
    except ReticentError as error:
        return failures.of_error(error, asked=isinstance(error, ConfigurationError))
