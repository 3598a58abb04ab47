"""What a rewrite costs: the provider's cache behind the first changed place."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices relative to a plain input token, and of one summariser call in such tokens.

    https://platform.claude.com/docs/en/build-with-claude/prompt-caching
    """

    write: float = 1.25
    read: float = 0.1
    call: float = 0.0


def break_even(stays: int, goes: int, comes: int, prices: Prices | None = None) -> float:
    """After how many requests a rewrite has paid for the cache it broke; infinite when it never does.

    ``stays`` counts tokens behind the first changed place that remain, ``goes`` those removed, ``comes`` those put in
    their place.
    """
    price = prices or Prices()
    saved = price.read * (goes - comes)
    return ((price.write - price.read) * (stays + comes) + price.call) / saved if saved > 0 else math.inf
