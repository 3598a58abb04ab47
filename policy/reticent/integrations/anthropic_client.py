"""The Anthropic client: what it answered goes back byte for byte, or the request does not leave.

.. code-block:: python

    from anthropic import Anthropic
    from reticent.integrations.anthropic_client import round_trip

    client = round_trip(Anthropic(), "provider_roundtrip")
    reply = client.messages.create(...)
    client.reticent.ledger.producer_of(reply)  # anthropic/claude-sonnet-4-5

Works with the asynchronous client and with clients of gateways that are subclasses. https://github.com/anthropics/anthropic-sdk-python
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reticent.integrations._clients import Watched, watched
from reticent.integrations._round_trip import Ledger, RoundTrip

if TYPE_CHECKING:
    from typing import Unpack

    from anthropic import Anthropic, AsyncAnthropic

    from reticent.integrations._options import RoundTripOptions

__all__ = ["Ledger", "RoundTrip", "Watched", "round_trip"]


def round_trip(client: Anthropic | AsyncAnthropic, surface: str, **options: Unpack[RoundTripOptions]) -> Any:
    """A client like ``client``, and on its connections, whose requests are checked and whose answers are noted.

    ``options`` are those of :class:`RoundTrip`, which the new client has as ``reticent``. A carrier that was altered,
    that is not in the ledger, or that another system issued raises ``ProducerMismatch`` from the call, before anything
    is sent and without retries.

    Raises:
        UnknownSurface: the plan has no such surface.
        ConfigurationError: the surface is strip.
    """
    return watched(client, RoundTrip(surface, **options))
