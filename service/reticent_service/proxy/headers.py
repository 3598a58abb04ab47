"""Headers on their way through: what belongs to one connection stays there, credentials go on and are never told."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from typing import Final
from urllib.parse import parse_qsl

Headers = list[tuple[bytes, bytes]]

TASK: Final = b"reticent-task"
"""In a request, the task it belongs to; in an answer, the task it was held for."""

_CONNECTION: Final = frozenset(
    (
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    )
)
"""Hop by hop: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1"""

_ASKED: Final = frozenset((b"host", b"content-length", b"accept-encoding", b"expect", TASK))
"""Of a request: what is said anew to the upstream, which is asked for plain bodies."""

_ANSWERED: Final = frozenset(
    (
        b"accept-ranges",
        b"alt-svc",
        b"content-digest",
        b"content-encoding",
        b"content-length",
        b"content-md5",
        b"date",
        b"digest",
        b"etag",
        b"repr-digest",
        b"server",
        TASK,
    )
)
"""Of an answer: what speaks of bytes that may not be the same any more, or of another server."""

_CREDENTIALS: Final = (b"authorization", b"x-api-key", b"api-key", b"x-goog-api-key")


def onward(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """The headers of a request that go on to the upstream."""
    return _less(headers, _ASKED)


def back(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """The headers of an answer that go back to the client."""
    return _less(headers, _ANSWERED)


def value_of(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> bytes | None:
    """The first value of a header, whose name is in lower case."""
    return next((value for key, value in headers if key.lower() == name), None)


def tenant_of(headers: Iterable[tuple[bytes, bytes]], query: bytes, key: bytes) -> str | None:
    """Who asks, told by nothing but the credentials: a keyed digest, from which nobody gets them back.

    None when the request carries none. ``key=`` in the query counts, as Gemini has it
    (https://ai.google.dev/api, read 2026-11-29).
    """
    told = {_bare(value) for name, value in headers if name.lower() in _CREDENTIALS}
    told |= {value.encode() for name, value in parse_qsl(query.decode("latin-1")) if name == "key"}
    told.discard(b"")
    if not told:
        return None
    digest = hmac.new(key, digestmod=hashlib.sha256)
    for value in sorted(told):
        digest.update(b"%d\0%s" % (len(value), value))
    return digest.hexdigest()[:32]


def _bare(value: bytes) -> bytes:
    """A key without the scheme in front of it: the same key is the same client, whichever header brings it."""
    scheme, _, key = value.strip().partition(b" ")
    return key.strip() if scheme.lower() == b"bearer" else value.strip()


def _less(headers: Iterable[tuple[bytes, bytes]], gone: frozenset[bytes]) -> Headers:
    kept = [(name.lower(), value) for name, value in headers]
    named = {
        word.strip().lower() for name, value in kept if name == b"connection" for word in value.split(b",") if word
    }
    return [(name, value) for name, value in kept if name not in _CONNECTION | gone | named]
