"""The operations, one file each: what goes, in which order of cost, and when an operation says no.

Every operation is a pure function from the settled view and some of its units to a proposal; none sees the live span.
Rungs, cheapest first: drop (``strip``, ``clear``, ``reduce``, ``drop``), truncate, summarise, externalise (a store that
keeps what the others take out).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from reticent.history.operations import drop, reduce, repair, results, strip
from reticent.history.settled import Proposal, Settled
from reticent.history.units import Unit

Operation = Callable[[Settled, Sequence[Unit]], Proposal]

LADDER: Mapping[str, Operation] = MappingProxyType(
    {
        "strip": strip.propose,
        "clear": results.clear,
        "reduce": reduce.propose,
        "drop": drop.propose,
        "truncate": results.truncate,
    }
)
"""Operations that need no model, by name, in the order in which they are tried."""

RUNGS: Mapping[str, str] = MappingProxyType(
    {
        "strip": "drop",
        "clear": "drop",
        "reduce": "drop",
        "drop": "drop",
        "truncate": "truncate",
        "summarise": "summarise",
        "fold": "summarise",
        "externalise": "externalise",
        "repair": "repair",
    }
)

ADDRESSES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "strip": strip.ADDRESSES,
        "clear": results.ADDRESSES,
        "reduce": reduce.ADDRESSES,
        "drop": drop.ADDRESSES,
        "truncate": results.ADDRESSES,
    }
)
"""Which kinds of part an operation makes smaller."""

DEFAULT = ("strip", "clear", "reduce", "truncate")
"""What a compaction may use unless it is told otherwise; dropping whole units is asked for by name."""

repair_propose = repair.propose
"""Answers abandoned calls; not a rung, since it makes nothing smaller."""
