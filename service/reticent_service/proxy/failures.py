"""What went wrong, in the form that clients of each family read: a whole answer, or the last event of a stream.

The forms: https://platform.claude.com/docs/en/api/errors, https://platform.openai.com/docs/guides/error-codes,
https://platform.openai.com/docs/api-reference/responses-streaming/error, https://cloud.google.com/apis/design/errors
(read 2026-11-29). No word of a payload is in any of them: messages are ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import orjson

from reticent.errors import EgressRefused, RestoreRefused, ReticentError
from reticent_service import problems
from reticent_service.problems import BadRequest

if TYPE_CHECKING:
    from reticent_service.proxy.routes import Family

_ANTHROPIC: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
}
_GOOGLE: Final = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    413: "INVALID_ARGUMENT",
    422: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_SERVER: Final = 500
_NUMBER: Final = re.compile(rb'"sequence_number": ?(\d+)')
_MEDIA_TYPE: Final = b"application/json"


@dataclass(frozen=True, slots=True)
class Failure:
    """A stable kebab-case word, the HTTP status, and what to do about it."""

    code: str
    status: HTTPStatus
    detail: str


def failure_of(error: Exception) -> Failure:
    """What a client is told of ``error``; nothing but the class of one that nobody expected."""
    if isinstance(error, BadRequest):
        return Failure(error.code, error.status, error.detail)
    if isinstance(error, RestoreRefused):
        # Not 409 as elsewhere: the vendors' SDKs ask again after that.
        return Failure(error.reason or error.code, HTTPStatus.BAD_REQUEST, str(error))
    if isinstance(error, EgressRefused):
        detail = f"the answer was withheld, because it cannot be shown to be free of reasoning: {error}"
        return Failure(error.code, HTTPStatus.BAD_GATEWAY, detail)
    if isinstance(error, ReticentError):
        return Failure(error.code, HTTPStatus(problems.of_error(error).status_code), str(error))
    return Failure("internal-failure", HTTPStatus.INTERNAL_SERVER_ERROR, type(error).__name__)


def document(family: Family, failure: Failure) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Headers and body of a whole answer that says so."""
    body = orjson.dumps(_told(family, failure))
    headers = [(b"content-type", _MEDIA_TYPE), (b"content-length", b"%d" % len(body)), (b"cache-control", b"no-store")]
    if failure.status < _SERVER:
        # The SDKs of both vendors ask again after some of these, which would change nothing.
        headers.append((b"x-should-retry", b"false"))
    return headers, body


def last_event(family: Family, wire: str, failure: Failure, shown: bytes) -> bytes:
    """What ends a stream that cannot go on; ``shown`` is what went out last."""
    told = _told(family, failure)
    if wire == "json-array":
        between = b"," if shown.rstrip().endswith(b"}") else b"" if shown.strip() else b"["
        return between + orjson.dumps(told) + b"]"
    if family == "openai-responses":
        numbers = _NUMBER.findall(shown)
        error = {"type": "error", "code": failure.code, "message": _message(failure), "param": None}
        told = {**error, "sequence_number": int(numbers[-1]) + 1 if numbers else 0}
    name = b"event: error\n" if family in {"anthropic", "openai-responses"} else b""
    # The empty line in front ends what stands before it.
    return b"\n\n" + name + b"data: " + orjson.dumps(told) + b"\n\n"


def _message(failure: Failure) -> str:
    return f"reticent: {failure.detail} ({failure.code})"


def _told(family: Family, failure: Failure) -> dict[str, Any]:
    status, message = failure.status.value, _message(failure)
    server = status >= _SERVER
    if family == "anthropic":
        kind = _ANTHROPIC.get(status, "api_error" if server else "invalid_request_error")
        return {"type": "error", "error": {"type": kind, "message": message}}
    if family == "google":
        word = _GOOGLE.get(status, "INTERNAL" if server else "FAILED_PRECONDITION")
        return {"error": {"code": status, "message": message, "status": word}}
    kind = "server_error" if server else "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": failure.code}}
