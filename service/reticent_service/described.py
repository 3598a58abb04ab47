"""What OpenAPI says that FastAPI cannot see: the problem documents, and the data path."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from reticent.compiler import CLASSES
from reticent.serializers import WIRES
from reticent_service.asked import WIRE_OF
from reticent_service.filtering import ROUTE
from reticent_service.problems import MEDIA_TYPE

if TYPE_CHECKING:
    from fastapi import FastAPI


class Problem(BaseModel):
    """A failure (RFC 9457); no part of it quotes what was sent."""

    type: str
    """A stable name: ``urn:reticent:problem:<code>``."""
    title: str
    status: int
    detail: str | None = None
    faults: list[dict[str, Any]] | None = None


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The ``responses`` of a route that can answer with these problems."""
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": {MEDIA_TYPE: {"schema": schema}}}
        for status in statuses
    }


def describe(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document of the whole service."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title, version=app.version, summary=app.summary, description=app.description, routes=app.routes
        )
        document["components"]["schemas"]["Problem"] = Problem.model_json_schema()
        document["paths"][ROUTE] = {"post": _filter_operation()}
        app.openapi_schema = document
    return app.openapi_schema


EXAMPLE_BODY: Final = {"role": "assistant", "reasoning_content": "the customer is wrong", "content": "Done."}
EXAMPLE_ANSWER: Final = {"role": "assistant", "content": "Done."}
EXAMPLE_STREAM: Final = 'data: {"choices":[{"index":0,"delta":{"content":"Done."}}]}\n\ndata: [DONE]\n\n'


def _filter_operation() -> dict[str, Any]:
    others = [name for name in WIRE_OF if name not in {"", "application/json"}]
    streams: dict[str, dict[str, Any]] = {name: {"schema": {"type": "string"}} for name in others}
    streams["text/event-stream"] |= {"example": EXAMPLE_STREAM}
    # A stream is answered in pieces of whatever its protocol makes of them, so there is no schema to hold it to.
    answered: dict[str, dict[str, Any]] = {name: {} for name in others}
    answered["text/event-stream"] = {"example": EXAMPLE_STREAM}
    return {
        "tags": ["filter"],
        "summary": "Filter",
        "description": (
            "The body as it may rest on the surface. A JSON document is answered whole; every other type is a stream, "
            "answered while it arrives, so a client must read while it writes. On a pass surface the same bytes come "
            "back. The parameters can only tighten what the table says. A stream that is refused on its way ends with "
            "an event named `error` (server-sent events) or with a closed connection."
        ),
        "operationId": "filter",
        "parameters": [_surface_parameter(), *(_query(name, schema, told) for name, schema, told in _QUERY)],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {}, "example": EXAMPLE_BODY}, **streams},
        },
        "responses": {
            "200": {
                "description": "What may rest on the surface, in the media type of the request.",
                "headers": {"reticent-plan": {"description": "Digest of the plan.", "schema": {"type": "string"}}},
                "content": {"application/json": {"schema": {}, "example": EXAMPLE_ANSWER}, **answered},
            },
            **{str(status): told for status, told in problems(400, 401, 403, 404, 405, 408, 413, 415, 422).items()},
        },
        "security": [{"HTTPBearer": []}, {"HTTPBasic": []}],
    }


_QUERY: Final[tuple[tuple[str, dict[str, Any], str], ...]] = (
    ("wire", {"type": "string", "enum": list(WIRES)}, "The framing, where the media type does not say it."),
    ("dialect", {"type": "string"}, "The id of the payload's dialect; recognised when left out."),
    ("starts_inside", {"type": "boolean"}, "The text starts inside reasoning."),
    ("strip", {"type": "string", "example": ",".join(CLASSES)}, "Classes to withhold as well, separated by commas."),
    ("unknown_types", {"type": "string", "enum": ["withhold"]}, "Withhold blocks of a type nobody knows."),
    ("producer", {"type": "string"}, "Who issued the payload, as provider/region/account/family."),
    ("to", {"type": "string"}, "Which producer the payload goes to; reasoning of another one is withheld."),
)


def _query(name: str, schema: dict[str, Any], told: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": schema, "description": told}


def _surface_parameter() -> dict[str, Any]:
    return {
        "name": "surface",
        "in": "path",
        "required": True,
        "schema": {"type": "string", "minLength": 1},
        "description": "A surface of the table.",
        "example": "logs",
    }
