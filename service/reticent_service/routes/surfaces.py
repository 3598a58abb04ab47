"""What the plan says: every surface, one surface, why, and the plan as a file."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel

from reticent.compiler import Decision
from reticent_service.admission import DESCRIBED, Surface, grants_of, holder_of, may, state_of
from reticent_service.described import problems

router = APIRouter(tags=["plan"], dependencies=DESCRIBED)

_EXPLAINED = {
    "json": "application/json",
    "text": "text/plain; charset=utf-8",
    "dot": "text/vnd.graphviz; charset=utf-8",
}


class SurfaceAnswer(BaseModel):
    """One surface of the plan."""

    surface: str
    verdict: Literal["pass", "strip"]
    classes: dict[str, Literal["pass", "strip"]]
    path: list[str]
    """From the surface to the first reader that makes it strip; empty when there is none."""
    reasons: list[str]
    conditions: list[str]
    on_strip: Literal["drop", "mark"]
    unknown_types: Literal["withhold", "suspect", "carry"]
    owner: str
    why: str


class SurfaceAnswers(BaseModel):
    """Every surface that the caller may read about."""

    plan: str
    surfaces: list[SurfaceAnswer]


def _told(decision: Decision) -> SurfaceAnswer:
    return SurfaceAnswer(
        surface=decision.surface,
        verdict=decision.verdict,
        classes={str(name): verdict for name, verdict in decision.classes.items()},
        path=list(decision.path),
        reasons=list(decision.reasons),
        conditions=[f"{condition.surface}.{condition.name}" for condition in decision.conditions],
        on_strip=decision.on_strip,
        unknown_types=decision.unknown_types,
        owner=decision.owner,
        why=decision.why,
    )


@router.get("/v1/surfaces", responses=problems(401))
async def surfaces(request: Request) -> SurfaceAnswers:
    """List the surfaces that the caller may read about, in the table's order."""
    plan, grants = state_of(request).plan, grants_of(request)
    told = [_told(plan.decision(name)) for name in plan.surfaces if grants.allows("read", name)]
    return SurfaceAnswers(plan=plan.digest, surfaces=told)


@router.get("/v1/surfaces/{surface}", responses=problems(401, 404))
async def surface(surface: Surface, request: Request) -> SurfaceAnswer:
    """Tell the verdict, the path and the reasons of one surface."""
    return _told(state_of(request).plan.decision(surface))


@router.get(
    "/v1/surfaces/{surface}/explain",
    response_class=Response,
    responses={
        200: {"content": {kind.partition(";")[0]: {} for kind in _EXPLAINED.values()}, "description": "Why."},
        **problems(401, 404, 422, 503),
    },
)
async def explained(
    surface: Surface, request: Request, form: Annotated[Literal["json", "text", "dot"], Query(alias="format")] = "json"
) -> Response:
    """Tell the path hop by hop, who is kept out by what, and the one change that would flip the verdict."""
    from reticent.compiler import explain_render
    from reticent.compiler.explain import explain

    plan, engine = state_of(request).plan, holder_of(request).engine
    render = {"json": explain_render.to_json, "text": explain_render.to_text, "dot": explain_render.to_dot}[form]
    text = await run_in_threadpool(lambda: render(explain(plan, surface, engine=engine)))
    return Response(text, media_type=_EXPLAINED[form])


@router.get(
    "/v1/plan",
    response_class=Response,
    responses={
        200: {"content": {"application/json": {}}, "description": "The plan file."},
        304: {"description": "The plan is the one that the client has."},
        **problems(401, 403),
    },
)
async def plan_file(
    request: Request,
    _may: Annotated[None, Depends(may("plan"))],
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """Give the plan as a file, which `reticent --table` and other languages read; its ETag is the plan's digest."""
    plan = state_of(request).plan
    tag = f'"{plan.digest}"'
    headers = {"etag": tag, "cache-control": "private, no-cache"}
    if if_none_match is not None and tag in {part.strip().removeprefix("W/") for part in if_none_match.split(",")}:
        return Response(status_code=304, headers=headers)
    headers["content-disposition"] = 'attachment; filename="plan.json"'
    return Response(plan.to_json(), media_type="application/json", headers=headers)
