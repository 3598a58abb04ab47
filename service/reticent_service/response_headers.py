"""Headers that every answer but the data path's carries; the data path writes its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.datastructures import MutableHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from reticent_service.plan_holder import PlanHolder

# Nothing is loaded from anywhere else, nothing runs but our own script, and nobody frames the page:
# https://www.w3.org/TR/CSP3/
POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class ResponseHeaders:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, *, holder: PlanHolder) -> None:
        """Name the plan of ``holder``."""
        self._app = app
        self._holder = holder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        digest = self._holder.state.plan.digest

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("reticent-plan", digest)
                headers.setdefault("cache-control", "no-store")
                headers.setdefault("content-security-policy", POLICY)
                headers.setdefault("x-content-type-options", "nosniff")
                headers.setdefault("referrer-policy", "no-referrer")
            await send(message)

        await self._app(scope, receive, with_headers)
