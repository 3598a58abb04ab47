"""Counting tokens: a counter the caller brings, or an estimate that errs on the high side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reticent.history.changes import size_of

Counter = Callable[[Any], int]
"""``counter(value)`` is how many tokens the provider would count for a JSON value."""

BYTES_PER_TOKEN = 3
"""English text runs to four bytes a token and more; three errs toward acting early."""


def estimate(value: Any) -> int:
    """Tokens of ``value`` by the length of its JSON, rounded up."""
    return -(-size_of(value) // BYTES_PER_TOKEN)
