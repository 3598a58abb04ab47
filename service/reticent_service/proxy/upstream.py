"""The one server that is asked: fixed by configuration, whatever a request says about hosts.

The transport is used bare: a client of httpx would keep cookies between requests, follow redirects and read proxies and
passwords from the environment, and none of that may happen between strangers.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import httpx

from reticent.errors import ConfigurationError
from reticent_service.problems import BadRequest

if TYPE_CHECKING:
    from reticent_service.proxy.headers import Headers

__all__ = ["Upstream", "chunks", "whole"]

_CONNECTIONS: Final = httpx.Limits(max_connections=None, max_keepalive_connections=64, keepalive_expiry=30.0)
_POOL_SECONDS: Final = 10.0


class Upstream:
    """Asks one server."""

    def __init__(self, url: str, *, connect_seconds: float, idle_seconds: float) -> None:
        """Ask ``url`` and what is below it.

        Raises:
            ConfigurationError: it is not the address of a server.
        """
        base = httpx.URL(url)
        if base.scheme not in {"http", "https"} or not base.host or base.query or base.fragment or base.userinfo:
            raise ConfigurationError(
                "the upstream is an address like https://api.example.com, without query or password"
            )
        self._base = base
        self._prefix = base.raw_path.rstrip(b"/")
        self._transport = httpx.AsyncHTTPTransport(limits=_CONNECTIONS, retries=0, trust_env=False)
        self._timeout = {
            "connect": connect_seconds,
            "read": idle_seconds,
            "write": idle_seconds,
            "pool": _POOL_SECONDS,
        }

    async def ask(
        self, method: str, target: bytes, headers: Headers, content: bytes | AsyncIterator[bytes]
    ) -> httpx.Response:
        """Send a request; the answer's body is still to come, and is closed by the caller.

        ``target`` is the path and the query as they came.

        Raises:
            BadRequest: the target is none below the upstream, or the upstream does not answer.
        """
        request = httpx.Request(
            method,
            self._base.copy_with(raw_path=self._prefix + _checked(target)),
            headers=[*headers, (b"accept-encoding", b"identity")],
            content=content,
            extensions={"timeout": self._timeout},
        )
        try:
            return await self._transport.handle_async_request(request)
        except httpx.TransportError as error:
            failure = _failure(error)
        raise failure

    async def aclose(self) -> None:
        """Close every connection."""
        await self._transport.aclose()


def _checked(target: bytes) -> bytes:
    """``target``, if nothing in it leads above the upstream's own path.

    Raises:
        BadRequest: it does, or it is no path.
    """
    path = target.partition(b"?")[0].lower().replace(b"%2e", b".").replace(b"%2f", b"/").replace(b"\\", b"/")
    if not target.startswith(b"/") or b".." in path.split(b"/"):
        raise BadRequest("wrong-target", HTTPStatus.BAD_REQUEST, "the path of a request begins with / and has no ..")
    return target


async def chunks(response: httpx.Response) -> AsyncIterator[bytes]:
    """The body in pieces, decoded.

    Raises:
        BadRequest: the upstream stopped in the middle, or sent what cannot be decoded.
    """
    try:
        # What is not compressed needs no decoder; httpx's costs as much as all that is done to an event here.
        plain = response.headers.get("content-encoding", "identity").strip().lower() == "identity"
        async for chunk in response.aiter_raw() if plain else response.aiter_bytes():
            yield chunk
    except (httpx.TransportError, httpx.DecodingError) as error:
        failure = _failure(error)
    else:
        return
    raise failure


async def whole(response: httpx.Response, limit: int) -> bytes:
    """The body.

    Raises:
        BadRequest: as for ``chunks``, or it is longer than ``limit`` bytes.
    """
    body = bytearray()
    async for chunk in chunks(response):
        body += chunk
        if len(body) > limit:
            detail = f"the upstream's answer is longer than {limit} bytes"
            raise BadRequest("upstream-too-long", HTTPStatus.BAD_GATEWAY, detail)
    return bytes(body)


def _failure(error: httpx.TransportError | httpx.DecodingError) -> BadRequest:
    """What is told of an error of the connection: its class, since its text may name the address."""
    if isinstance(error, httpx.TimeoutException):
        detail = f"the upstream did not answer in time ({type(error).__name__}); try again"
        return BadRequest("upstream-timeout", HTTPStatus.GATEWAY_TIMEOUT, detail)
    detail = f"the upstream cannot be reached, or stopped in the middle ({type(error).__name__}); try again"
    return BadRequest("upstream-away", HTTPStatus.BAD_GATEWAY, detail)
