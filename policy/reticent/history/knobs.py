"""Every threshold of this package, validated when it is loaded: a bad value stops the start, never a request."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from reticent.errors import ConfigurationError, did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Knobs:
    """The thresholds with their defaults. Shares lie above 0 and up to 1; counts are whole.

    ``soft`` and ``hard`` are shares of the working budget and of the window; ``warn`` is one of the task's budget.
    What comes from ``auto`` on belongs to the fold.
    """

    soft: float = 0.60
    hard: float = 0.90
    warn: float = 0.70
    result_share: float = 0.10
    least_interval: int = 5
    stuck_after: int = 50
    """Requests without a moved boundary before a stuck live span is reported."""
    auto: float = 0.90
    """Share of the window at which a fold runs by itself."""
    auto_least_messages: int = 4
    """With this many messages or fewer there is nothing to fold."""
    scratchpad_squeeze_fraction: float = 0.95
    compact_history_default_keep: int = 2
    max_scratchpad_size: int = 65_536
    """Bytes that the notes of a scratchpad may have; 0 sets no limit."""
    squeeze_generations: int = 3
    """How many models may stand between squeezed notes and what they were written from."""

    def __post_init__(self) -> None:
        """Check each value, then the values against one another."""
        for name in _SHARES:
            _share(name, getattr(self, name))
        for name, least in _COUNTS:
            _count(name, getattr(self, name), least)
        for name in ("hard", "auto"):
            if self.soft >= getattr(self, name):
                raise ConfigurationError(f"soft ({self.soft}) must lie below {name} ({getattr(self, name)})")


_SHARES = ("soft", "hard", "warn", "result_share", "auto", "scratchpad_squeeze_fraction")
_COUNTS = (
    ("least_interval", 0),
    ("stuck_after", 1),
    ("auto_least_messages", 0),
    ("compact_history_default_keep", 1),
    ("max_scratchpad_size", 0),
    ("squeeze_generations", 1),
)


def load_knobs(values: Mapping[str, Any]) -> Knobs:
    """Knobs from a configuration.

    Raises:
        ConfigurationError: an unknown name, or a value out of its range; the message gives name, value and range.
    """
    known = {item.name for item in fields(Knobs)}
    for name in values:
        if name not in known:
            raise ConfigurationError(f"unknown knob {name!r}.{did_you_mean(name, known)}")
    return Knobs(**values)


def _share(name: str, value: Any) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not number or not 0 < value <= 1:
        raise ConfigurationError(f"{name} must be a number above 0 and up to 1, not {value!r}")


def _count(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigurationError(f"{name} must be a whole number of at least {least}, not {value!r}")
