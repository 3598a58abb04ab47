"""Every failure as ``application/problem+json`` (RFC 9457), without a word of what was sent.

Frameworks like to be helpful: FastAPI's own validation error repeats the body, and a server logs a crash with the
message of the exception. Both would copy a payload to a log or a person, so neither gets the chance.
"""

from __future__ import annotations

import logging
from dataclasses import asdict
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import orjson
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from reticent import errors

if TYPE_CHECKING:
    from fastapi import FastAPI, Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MEDIA_TYPE: Final = "application/problem+json"
TYPE_PREFIX: Final = "urn:reticent:problem:"

_log = logging.getLogger("reticent_service")

# Looked up along the class's bases, nearest first.
_STATUS: Final[dict[type, HTTPStatus]] = {
    errors.UnknownSurface: HTTPStatus.NOT_FOUND,
    errors.UnknownDialect: HTTPStatus.BAD_REQUEST,
    errors.UnknownWire: HTTPStatus.BAD_REQUEST,
    errors.TableError: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.InputTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.DialectFailure: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.EgressRefused: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.EngineError: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.HistoryError: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.UnknownTask: HTTPStatus.NOT_FOUND,
    errors.TaskFinished: HTTPStatus.GONE,
    errors.NotReplayable: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.RestoreRefused: HTTPStatus.CONFLICT,
    errors.StoreFull: HTTPStatus.INSUFFICIENT_STORAGE,
    errors.Tampered: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.StoreError: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.ReticentError: HTTPStatus.INTERNAL_SERVER_ERROR,
}


class BadRequest(Exception):
    """A request that cannot be served as it is; ``detail`` never quotes a payload."""

    def __init__(self, code: str, status: HTTPStatus, detail: str) -> None:
        """Answer with a problem of type ``code``."""
        super().__init__(detail)
        self.code = code
        self.status = status
        self.detail = detail


def install(app: FastAPI) -> None:
    """Make ``app`` answer every failure with a problem document."""
    app.exception_handler(errors.ReticentError)(_on_reticent_error)
    app.exception_handler(BadRequest)(_on_bad_request)
    app.exception_handler(RequestValidationError)(_on_invalid_request)
    app.exception_handler(HTTPException)(_on_http_exception)
    app.add_middleware(CrashBarrier)


def problem(code: str, status: HTTPStatus, detail: str | None = None, *, faults: object = None) -> Response:
    """Build one problem document.

    Args:
        code: A stable kebab-case word; the document's ``type`` is ``urn:reticent:problem:<code>``.
        status: The HTTP status.
        detail: What went wrong and what to do; never payload text.
        faults: More about it, as JSON-ready values.
    """
    body: dict[str, object] = {"type": TYPE_PREFIX + code, "title": status.phrase, "status": status.value}
    if detail is not None:
        body["detail"] = detail
    if faults is not None:
        body["faults"] = faults
    return Response(orjson.dumps(body), status_code=status.value, media_type=MEDIA_TYPE)


def of_error(error: errors.ReticentError, *, asked: bool = False) -> Response:
    """The problem document of one of the library's errors.

    Args:
        error: What was raised.
        asked: Whether the request itself named what is wrong, and not the service's configuration.
    """
    status = next(_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)
    if asked and status is HTTPStatus.INTERNAL_SERVER_ERROR:
        status = HTTPStatus.BAD_REQUEST
    faults = [asdict(fault) for fault in error.faults] if isinstance(error, errors.TableError) else None
    return problem(error.code, status, str(error), faults=faults)


async def _on_reticent_error(_request: Request, error: errors.ReticentError) -> Response:
    return of_error(error)


async def _on_bad_request(_request: Request, error: BadRequest) -> Response:
    response = problem(error.code, error.status, error.detail)
    if error.status is HTTPStatus.UNAUTHORIZED:
        # Basic too: a person with a browser types the token as the password.
        response.headers.append("www-authenticate", 'Basic realm="reticent", charset="UTF-8"')
        response.headers.append("www-authenticate", "Bearer")
    return response


async def _on_invalid_request(_request: Request, error: RequestValidationError) -> Response:
    # Only the part of the request and the rule: a location can hold the sender's own keys.
    faults = [{"in": fault["loc"][0], "rule": fault["type"]} for fault in error.errors()]
    return problem("invalid-request", HTTPStatus.UNPROCESSABLE_ENTITY, faults=faults)


async def _on_http_exception(_request: Request, error: HTTPException) -> Response:
    status = HTTPStatus(error.status_code)
    response = problem(f"http-{status.value}", status)
    response.headers.update(error.headers or {})
    return response


class CrashBarrier:
    """ASGI middleware: whatever was raised below, nobody above sees more than its class.

    Without it the server would log the exception with its message, and a message may quote what was being read.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; a crash before the first byte is a 500, after it a cut connection."""
        if scope["type"] != "http":
            # A crash at start-up must stop the server.
            await self.app(scope, receive, send)
            return
        started = False

        async def note_start(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, receive, note_start)
        except Exception as error:  # noqa: BLE001 - the barrier is for everything
            # No traceback: its last line is the message.
            _log.error("request failed: %s", type(error).__name__)
            if not started:
                response = problem("internal-failure", HTTPStatus.INTERNAL_SERVER_ERROR)
                await response(scope, receive, send)
