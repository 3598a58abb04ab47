"""``grpc.health.v1`` beside the processor, for the probes of Envoy and Kubernetes.

https://github.com/grpc/grpc/blob/master/doc/health-checking.md (read 2026-11-30)
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import aio

from reticent.compiler.following import FollowedPlan

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    import grpc.aio

    from reticent.compiler.plan import Plan

PLAN: Final = "plan"
"""The name under which a client asks whether the plan in force is the one on disk."""

_SERVING: Final = health_pb2.HealthCheckResponse.SERVING
_NOT_SERVING: Final = health_pb2.HealthCheckResponse.NOT_SERVING


class Health:
    """What a server says of itself: under the empty name, under its service, and under :data:`PLAN`."""

    def __init__(self, server: grpc.aio.Server, service: str) -> None:
        """Have ``server`` answer for itself and for ``service``; start it inside :meth:`telling`."""
        self._names = ("", service)
        self._servicer = aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._servicer, server)

    @contextlib.asynccontextmanager
    async def telling(self, source: Plan | FollowedPlan, seconds: float) -> AsyncGenerator[None]:
        """Say that there is a plan, and every so many ``seconds`` whether it is current, while the context is open."""
        for name in self._names:
            await self._servicer.set(name, _SERVING)
        await self._tell(source)
        task = asyncio.create_task(self._keep_telling(source, seconds))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def ending(self) -> None:
        """Say of everything, from now on, that it does not serve."""
        await self._servicer.enter_graceful_shutdown()

    async def _keep_telling(self, source: Plan | FollowedPlan, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            await self._tell(source)

    async def _tell(self, source: Plan | FollowedPlan) -> None:
        is_stale = isinstance(source, FollowedPlan) and source.failure is not None
        await self._servicer.set(PLAN, _NOT_SERVING if is_stale else _SERVING)
