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


class LostCondition(BaseModel):
    """A condition that asks for evidence and is not shown to hold: what rests on it is strip."""

    surface: str
    condition: str
    status: str
    """What is wrong: ``failed``, ``stale``, ``missing``, ``future``, ``unknown-signer``, ``tampered``, …"""
    since: str
    owner: str
    """Who answers for the row."""
    probe: str
    code: str | None = None
    """What the probe said."""


class Ready(BaseModel):
    """Whether the service can serve, and by which plan."""

    status: Literal["ready", "stale"]
    """``stale``: the last good plan serves, because a newer one cannot be loaded."""
    plan: str
    failure: str | None = None
    """Why a newer plan cannot be loaded: a stable code."""
    stale_since: float | None = None
    """Since when, in seconds of the epoch."""
    lost: list[LostCondition] = []
    """Conditions that are not shown to hold. The service is ready all the same: it strips."""
    evidence: str | None = None
    """Why the evidence file cannot be used: a stable code."""


@router.get("/livez")
async def livez() -> Alive:
    """Say that the process turns; needs no plan and no token."""
    return Alive()


@router.get("/readyz")
async def readyz(request: Request) -> Ready:
    """Say whether to send requests here; needs no token. A stale plan serves, and is told."""
    state = holder_of(request).state
    return Ready(
        status="ready" if state.failure is None else "stale",
        plan=state.plan.digest,
        failure=None if state.failure is None else state.failure.code,
        stale_since=None if state.failure is None else state.failure.since,
        lost=[LostCondition(**lost.told()) for lost in state.lost],
        evidence=state.evidence,
    )


@router.get(
    "/metrics",
    dependencies=DESCRIBED,
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}, "description": "The metrics."}, **problems(401, 403)},
)
async def metrics(request: Request, _may: Annotated[None, Depends(may("metrics"))]) -> Response:
    """Tell the metrics, in the text format of Prometheus."""
    return Response(metrics_of(request).text(), media_type="text/plain; version=0.0.4; charset=utf-8")
