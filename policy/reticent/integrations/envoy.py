"""Envoy's external processing (``ext_proc``): puts a surface on any route of any Envoy.

.. code-block:: python

    from reticent.integrations.envoy import serve

    asyncio.run(serve("browser_stream", address="127.0.0.1:8379"))

The body mode has to be ``FULL_DUPLEX_STREAMED``: chunks of a body are answered while others arrive. What a content type
means, and what happens to a body that cannot be judged, is said in ``_bodies``, for every server alike.

Two properties of the protocol decide how this is written. When a processor ends its stream without an error, Envoy goes
on without it, so whatever goes wrong here ends with one. And Envoy waits with the headers of a response until they were
answered, so they are answered when the first chunk was judged: a body that Envoy would not send here does not pass.
https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_filters/ext_proc_filter (read 2026-11-29)
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
import grpc.aio

from reticent.compiler.following import FollowedPlan
from reticent.compiler.plan import Plan
from reticent.errors import ConfigurationError
from reticent.integrations._envoy_exchange import Cut, Exchange, Side
from reticent.integrations._envoy_health import Health
from reticent.integrations._envoy_messages import METHOD, SERVICE, ProcessingRequest, ProcessingResponse
from reticent.integrations._grpc_tls import Tls, credentials
from reticent.integrations._guard import Guard, PlanSource

__all__ = ["Tls", "add_processor", "serve"]


class _Guards:
    """The guard of the plan in force; an exchange goes on with the one it began with."""

    def __init__(self, surface: str, source: Plan | FollowedPlan) -> None:
        self._surface = surface
        self._source = source
        self._plan = self._now()
        self._guard = Guard(surface, plan=self._plan)

    def _now(self) -> Plan:
        return self._source if isinstance(self._source, Plan) else self._source.plan

    def guard(self) -> Guard:
        """The guard for an exchange that begins now."""
        plan = self._now()
        if plan is not self._plan:
            self._guard, self._plan = Guard(self._surface, plan=plan), plan
        return self._guard


def add_processor(
    server: grpc.aio.Server, surface: str, *, plan: PlanSource | FollowedPlan = None, side: Side = "response"
) -> None:
    """Let ``server`` answer Envoy, for a surface; the arguments are those of :func:`serve`.

    A :class:`~reticent.compiler.following.FollowedPlan` is taken as it stands when an exchange begins; whoever made it
    has it look for changes.

    Raises:
        UnknownSurface: the plan has no such surface.
    """
    guards = _Guards(surface, plan if isinstance(plan, Plan | FollowedPlan) else FollowedPlan(plan))

    async def process(messages: AsyncIterator[Any], context: Any) -> AsyncIterator[Any]:
        """Answer one exchange; it ends without an error only when Envoy ended it."""
        try:
            exchange = Exchange(guards.guard(), side)
            async for message in messages:
                for answer in exchange.answers(message):
                    yield answer
        except Cut as cut:
            why, code = str(cut), grpc.StatusCode.FAILED_PRECONDITION
        except Exception as error:  # noqa: BLE001 - the server would log it, and its message may quote a body
            why, code = type(error).__name__, grpc.StatusCode.INTERNAL
        else:
            return
        await context.abort(code, why)

    read: Callable[[bytes], Any] = ProcessingRequest.FromString
    write: Callable[[Any], bytes] = ProcessingResponse.SerializeToString
    handler = grpc.stream_stream_rpc_method_handler(process, request_deserializer=read, response_serializer=write)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {METHOD: handler}),))


async def serve(  # noqa: PLR0913 - each is a setting of its own, and all but two have a default
    surface: str,
    *,
    address: str,
    plan: PlanSource | FollowedPlan = None,
    side: Side = "response",
    tls: Tls | None = None,
    poll_seconds: float = 2.0,
    grace: float = 30.0,
    started: Callable[[int], None] | None = None,
) -> None:
    """Answer Envoy until cancelled; then exchanges under way have ``grace`` seconds to end.

    The server also answers ``grpc.health.v1``: ``""`` and the processor's service are healthy while it takes exchanges,
    ``plan`` while the plan in force is the one on disk.

    Args:
        surface: The surface that bodies arrive at.
        address: Host and port to listen on, or ``unix:`` and a path.
        plan: As for every integration: a plan, the path of a table or of a compiled plan, or None. A path is followed:
            what changes there is in force for the exchanges that begin afterwards, and what cannot be loaded leaves
            the last good plan. A table with evidence is a ``FollowedPlan``.
        side: Whether bodies of responses or of requests are judged.
        tls: The server's certificate. Without it the connection is not encrypted: keep it on the loopback interface,
            or inside a mesh that does that.
        poll_seconds: How often the path is looked at.
        grace: Seconds.
        started: Called with the port when it listens.

    Raises:
        UnknownSurface: the plan has no such surface.
        TableError, PlanError: ``plan`` is a path, and what is there is no valid table or plan.
        ConfigurationError: the address cannot be listened on, or a file of ``tls`` cannot be used.
    """
    followed = plan if isinstance(plan, Plan | FollowedPlan) else FollowedPlan(plan, surfaces=[surface])
    server = grpc.aio.server()
    add_processor(server, surface, plan=followed, side=side)
    health = Health(server, SERVICE)
    port = _listening(server, address, tls)
    watching = contextlib.nullcontext() if isinstance(followed, Plan) else followed.watching(poll_seconds)
    async with watching, health.telling(followed, poll_seconds):
        await server.start()
        if started is not None:
            started(port)
        try:
            # Unshielded, the cancellation would end what `stop` waits for, and exchanges under way would be cut.
            await asyncio.shield(server.wait_for_termination())
        except asyncio.CancelledError:
            await health.ending()
            await server.stop(grace)
            raise


def _listening(server: grpc.aio.Server, address: str, tls: Tls | None) -> int:
    try:
        if tls is None:
            return server.add_insecure_port(address)
        return server.add_secure_port(address, credentials(tls))
    except RuntimeError:
        raise ConfigurationError(f"cannot listen on {address!r}") from None
