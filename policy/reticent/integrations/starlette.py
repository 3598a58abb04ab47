"""Starlette and FastAPI: response classes that belong to one surface.

.. code-block:: python

    from fastapi import FastAPI
    from reticent.integrations.starlette import json_response, stream_response

    Console = json_response("support_console")
    Browser = stream_response("browser_stream")


    @app.get("/support/{id}", response_class=Console)
    def conversation(id: str): ...


    @app.post("/chat")
    async def chat():
        return Browser(events(), media_type="text/event-stream")

https://fastapi.tiangolo.com/advanced/custom-response/
"""

from __future__ import annotations

from collections.abc import AsyncIterable
from typing import TYPE_CHECKING, Any

import orjson
from starlette.concurrency import iterate_in_threadpool
from starlette.responses import JSONResponse, StreamingResponse

from reticent.errors import EgressRefused
from reticent.integrations._bodies import FAILED, PROBLEM, Body, wire_of
from reticent.integrations._guard import Guard, PlanSource
from reticent.integrations.iterators import achunks
from reticent.serializers import cutting
from reticent.serializers.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.background import BackgroundTask

__all__ = ["json_response", "stream_response"]


def json_response(surface: str, *, plan: PlanSource = None) -> type[JSONResponse]:
    """A JSON response class for ``surface``; content that cannot be judged becomes a problem with status 500.

    Besides JSON values it takes objects of the SDKs.

    Raises:
        UnknownSurface: the plan has no such surface.
    """
    exit_guard = Guard(surface, plan=plan, strict=True)

    class SurfaceJSONResponse(JSONResponse):
        """JSON that may be seen on the surface."""

        guard = exit_guard

        def render(self, content: Any) -> bytes:
            """The bytes of the body."""
            try:
                return cutting.dump(plain(exit_guard.value(content)))
            except EgressRefused as error:
                self.status_code = FAILED
                self.media_type = PROBLEM
                return orjson.dumps({"title": "withheld", "status": FAILED, "code": error.code})

    return SurfaceJSONResponse


def stream_response(surface: str, *, plan: PlanSource = None) -> type[StreamingResponse]:
    """A streaming response class for ``surface``; the content type says how the stream is read.

    Raises:
        UnknownSurface: the plan has no such surface.
    """
    exit_guard = Guard(surface, plan=plan)

    class SurfaceStreamingResponse(StreamingResponse):
        """A stream that may be seen on the surface."""

        guard = exit_guard

        def __init__(
            self,
            content: AsyncIterable[bytes | str] | Iterable[bytes | str],
            status_code: int = 200,
            headers: Mapping[str, str] | None = None,
            media_type: str | None = None,
            background: BackgroundTask | None = None,
        ) -> None:
            told = [*(headers or {}).items(), *([("content-type", media_type)] if media_type else [])]
            source: Any = content if isinstance(content, AsyncIterable) else iterate_in_threadpool(content)
            body = Body(exit_guard, wire_of(told) or "auto")
            super().__init__(achunks(body, source), status_code, headers, media_type, background)

    return SurfaceStreamingResponse
