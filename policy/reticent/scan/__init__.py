"""The backlog: reasoning that rests where none should be, found and removed.

``scan`` looks through files and databases with the serializer of one surface and tells places, rules and lengths,
never text; ``scrub`` takes out what it finds and leaves a receipt. ``docs/scan.md`` says what is read and what is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reticent.errors import ConfigurationError
from reticent.scan.findings import Finding, Note, NotRead, Where
from reticent.scan.judge import Settings
from reticent.scan.receipt import Receipt, Removal
from reticent.scan.run import Scan, scan
from reticent.scan.scrub import Scrub, scrub
from reticent.serializers import options_at_rest

if TYPE_CHECKING:
    from reticent.compiler.plan import Plan
    from reticent.serializers.program import UnknownTypes

__all__ = [
    "Finding",
    "NotRead",
    "Note",
    "Receipt",
    "Removal",
    "Scan",
    "Scrub",
    "Settings",
    "Where",
    "scan",
    "scrub",
    "settings_of",
]


def settings_of(plan: Plan, surface: str, *, unknown_types: UnknownTypes = "suspect") -> Settings:
    """What to look for: all that ``surface`` may not hold.

    ``unknown_types`` says what to think of block types that nobody listed: ``suspect`` counts those whose names look
    like reasoning, ``withhold`` all of them, ``carry`` none.

    Raises:
        UnknownSurface: the plan has no such surface.
        ConfigurationError: the surface may hold everything, so there is nothing to look for.
    """
    options = options_at_rest(plan.decision(surface), unknown_types=unknown_types)
    if not options.withhold:
        raise ConfigurationError(f"{surface!r} may hold reasoning, so nothing in it is out of place")
    return Settings(surface, options, plan.vocabulary)
