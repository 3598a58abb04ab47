"""Whether the process turns, whether it can serve, and what it has counted."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel

from reticent_service.admission import DESCRIBED, holder_of, may, metrics_of
from reticent_service.described import problems

router = APIRouter(tags=["health"])


class Alive(BaseModel):
    """The process turns."""

    status: Literal["alive"] = "alive"


class Ready(BaseModel):
    """Whether the service can serve, and by which plan."""

    status: Literal["ready", "stale"]
    """``stale``: the last good plan serves, because a newer one cannot be loaded."""
    plan: str
    failure: str | None = None
    """Why a newer plan cannot be loaded: a stable code."""
    stale_since: float | None = None
    """Since when, in seconds of the epoch."""


@router.get("/livez")
async def livez() -> Alive:
    """Say that the process turns; needs no plan and no token."""
    return Alive()


@router.get("/readyz")
async def readyz(request: Request) -> Ready:
    """Say whether to send requests here; needs no token. A stale plan serves, and is told."""
    state = holder_of(request).state
    if state.failure is None:
        return Ready(status="ready", plan=state.plan.digest)
    return Ready(status="stale", plan=state.plan.digest, failure=state.failure.code, stale_since=state.failure.since)


@router.get(
    "/metrics",
    dependencies=DESCRIBED,
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}, "description": "The metrics."}, **problems(401, 403)},
)
async def metrics(request: Request, _may: Annotated[None, Depends(may("metrics"))]) -> Response:
    """Tell the metrics, in the text format of Prometheus."""
    return Response(metrics_of(request).text(), media_type="text/plain; version=0.0.4; charset=utf-8")
