"""The review page: the table, one surface, a proposed table, and the message lab."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, JSONResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reticent.compiler import Decision
from reticent_service.admission import MAX_TABLE_BYTES, body_up_to, grants_of, holder_of, may, metrics_of, state_of
from reticent_service.problems import BadRequest
from reticent_service.review import graph, lab

HOME: Final = Path(__file__).parents[1] / "review"
VIEWS: Final = (("/", "Table"), ("/diff", "Compare"), ("/lab", "Message lab"))

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse, dependencies=[Depends(may("plan"))])


@lru_cache(maxsize=1)
def _environment() -> Environment:
    # Every value is escaped: names of surfaces come from a file, payloads from anywhere.
    return Environment(
        loader=FileSystemLoader(HOME / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _page(request: Request, name: str, here: str, **values: Any) -> HTMLResponse:
    root = request.scope.get("root_path", "").rstrip("/")
    shown = {"root": root, "views": VIEWS, "here": here, "state": state_of(request), **values}
    shown["glasses"] = [glass for glass in request.app.state.break_glass.all() if glass.state == "open"]
    return HTMLResponse(_environment().get_template(name).render(shown))


@router.get("/")
async def table(request: Request) -> HTMLResponse:
    """Show the table: one row for each surface."""
    plan, totals = state_of(request).plan, metrics_of(request).totals()
    rows = [
        _row(plan.describe(told.path, told.reader.kind) if told.reader else "", told, totals)
        for told in plan.decisions.values()
    ]
    passing = sum(told.verdict == "pass" for told in plan.decisions.values())
    return _page(request, "table.html", "/", rows=rows, passing=passing)


def _row(path: str, told: Decision, totals: dict[str, dict[str, int]]) -> dict[str, Any]:
    return {
        "decision": told,
        "path": path or "Reaches nobody, no other system and no lasting store.",
        "conditions": [condition for condition in told.conditions if condition.surface == told.surface],
        "exceptions": _exceptions(told),
        **totals.get(told.surface, {"requests": 0, "removals": 0}),
    }


def _exceptions(told: Decision) -> list[dict[str, str]]:
    return [
        {
            "classes": ", ".join(signed.classes),
            "owner": signed.owner,
            "reason": signed.reason,
            "left": _left((signed.expires - date.today()).days),  # noqa: DTZ011 - expiry is a civil date
        }
        for signed in told.exceptions
    ]


def _left(days: int) -> str:
    if days <= 0:
        return "expired"
    return "1 day left" if days == 1 else f"{days} days left"


@router.get("/counters", response_class=JSONResponse)
async def counters(request: Request) -> dict[str, dict[str, int]]:
    """Give the counters of the table, for its script."""
    return metrics_of(request).totals()


@router.get("/surfaces/{name}")
async def surface(name: str, request: Request) -> HTMLResponse:
    """Show one surface: why, what it reaches as a picture and in words, and what would flip it."""
    from reticent.compiler.explain import explain
    from reticent.compiler.explain_render import to_text

    plan, engine = state_of(request).plan, holder_of(request).engine
    told = await run_in_threadpool(lambda: explain(plan, name, engine=engine))
    return _page(
        request,
        "surface.html",
        "",
        told=told,
        words=to_text(told),
        picture=graph.draw(told),
        exceptions=_exceptions(told.decision),
        width=graph.WIDTH,
        height=graph.HEIGHT,
    )


@router.get("/diff", dependencies=[Depends(may("propose"))])
async def compare(request: Request) -> HTMLResponse:
    """Show the form for a proposed table."""
    return _page(request, "diff.html", "/diff", text="", faults=(), difference=None)


@router.post("/diff", dependencies=[Depends(may("propose"))])
async def compared(request: Request) -> HTMLResponse:
    """Show what a proposed table would open and close."""
    from reticent.compiler.check import check_text
    from reticent.compiler.diff import diff_plans

    text = (await _form(request, MAX_TABLE_BYTES)).get("table", "")
    state, engine = state_of(request), holder_of(request).engine
    report = await run_in_threadpool(lambda: check_text(text, "proposed", engine=engine))
    difference = diff_plans(state.plan, report.plan) if report.plan is not None else None
    return _page(request, "diff.html", "/diff", text=text, faults=report.faults, difference=difference)


@router.get("/lab")
async def message_lab(request: Request) -> HTMLResponse:
    """Show the form for a payload."""
    return _lab_page(request, "", ())


@router.post("/lab")
async def tried(request: Request) -> HTMLResponse:
    """Show a payload as each surface would hold it; surfaces that the caller may not filter for are left out."""
    form = await _form(request, 4 * lab.MAX_BYTES)
    payload = lab.SAMPLES.get(form.get("sample", ""), form.get("payload", ""))
    # A form sends line ends as a mail does: https://html.spec.whatwg.org/multipage/form-control-infrastructure.html
    payload = payload.replace("\r\n", "\n")
    if len(payload.encode(errors="replace")) > lab.MAX_BYTES:
        raise BadRequest("input-too-large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"more than {lab.MAX_BYTES} bytes")
    plan, grants = state_of(request).plan, grants_of(request)
    names = [name for name in plan.surfaces if grants.allows("filter", name)]
    shown = await run_in_threadpool(lab.show, plan, names, payload)
    return _lab_page(request, payload, shown)


def _lab_page(request: Request, payload: str, shown: Sequence[lab.Shown]) -> HTMLResponse:
    return _page(
        request, "lab.html", "/lab", payload=payload, shown=shown, samples=tuple(lab.SAMPLES), most=lab.MAX_BYTES
    )


async def _form(request: Request, limit: int) -> dict[str, str]:
    """The fields of a form.

    Raises:
        BadRequest: it is sent by another site's page, too long, or no form.
    """
    # A browser sends a password along for any page that asks; only our own may: https://www.w3.org/TR/fetch-metadata/
    if request.headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}:
        raise BadRequest("not-granted", HTTPStatus.FORBIDDEN, "this form is sent by the page of another site")
    raw = await body_up_to(request, limit)
    try:
        fields = parse_qs(raw.decode("ascii"), keep_blank_values=True, max_num_fields=8)
    except ValueError:
        raise BadRequest("invalid-request", HTTPStatus.BAD_REQUEST, "this is no form") from None
    return {name: values[0] for name, values in fields.items()}
