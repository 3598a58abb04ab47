"""Keyword arguments that several integrations take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from reticent.integrations._guard import PlanSource
    from reticent.integrations._round_trip import Ledger
    from reticent.serializers.producers import Producer

__all__ = ["RoundTripOptions"]


class RoundTripOptions(TypedDict, total=False):
    """What :class:`RoundTrip` takes besides its surface."""

    plan: PlanSource
    ledger: Ledger | None
    producer: str | Producer | None
    unknown: Literal["refuse", "carry"]
