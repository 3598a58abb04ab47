"""A provider's prompt cache: what a request shares with an earlier one, from its start, is read and not written."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reticent.history.prices import Prices
from reticent.history.tokens import estimate

if TYPE_CHECKING:
    from reticent.history.fold import Request


@dataclass
class PrefixCache:
    """Remembers every request, piece by piece: tools, system text, then each entry."""

    prices: Prices = field(default_factory=Prices)
    cost: float = 0.0
    """Tokens paid for so far, in plain input tokens."""
    _seen: list[list[str]] = field(default_factory=list[list[str]])

    def send(self, request: Request) -> int:
        """Take a request; the tokens of it that were read from the cache."""
        pieces: list[Any] = [list(request.tools or ()), request.system, *request.messages]
        names = [json.dumps(piece, sort_keys=True) for piece in pieces]
        shared = max((_common(names, old) for old in self._seen), default=0)
        self._seen.append(names)
        sizes = [estimate(piece) if piece else 0 for piece in pieces]
        cached = sum(sizes[:shared])
        self.cost += self.prices.read * cached + self.prices.write * sum(sizes[shared:])
        return cached


def _common(one: list[str], other: list[str]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count
