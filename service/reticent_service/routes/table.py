"""A proposed table: is it sound, and what would it open."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.concurrency import run_in_threadpool

from reticent_service.admission import DESCRIBED, TableBody, holder_of, may, state_of
from reticent_service.described import problems

router = APIRouter(tags=["table"], dependencies=[*DESCRIBED, Depends(may("propose"))])

_NAME = "proposed"
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/yaml": {"schema": {"type": "string"}}, "application/json": {"schema": {}}},
    }
}
_JSON = "application/json"


@router.post(
    "/v1/table/check",
    response_class=Response,
    openapi_extra=_BODY,
    responses={
        200: {"content": {_JSON: {}}, "description": "The faults of the table, possibly none."},
        **problems(400, 401, 403, 413, 503),
    },
)
async def check(text: TableBody, request: Request) -> Response:
    """Validate and prove the table in the body; a table with faults is a result and not a failure."""
    from reticent.compiler import check_render
    from reticent.compiler.check import check_text

    engine = holder_of(request).engine
    report = await run_in_threadpool(lambda: check_text(text, _NAME, engine=engine))
    return Response(check_render.to_json(report), media_type=_JSON)


@router.post(
    "/v1/table/diff",
    response_class=Response,
    openapi_extra=_BODY,
    responses={
        200: {"content": {_JSON: {}}, "description": "What opens, what closes, what else changes."},
        **problems(400, 401, 403, 413, 422, 503),
    },
)
async def diff(text: TableBody, request: Request) -> Response:
    """Compare the table in the body with the plan in force, by person or system reached."""
    from reticent.compiler import diff_render
    from reticent.compiler.check import check_text
    from reticent.compiler.diff import diff_plans
    from reticent.errors import TableError

    state, engine = state_of(request), holder_of(request).engine
    report = await run_in_threadpool(lambda: check_text(text, _NAME, engine=engine))
    if report.plan is None:
        raise TableError(report.faults)
    return Response(diff_render.to_json(diff_plans(state.plan, report.plan)), media_type=_JSON)
