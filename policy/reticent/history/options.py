"""How a compaction is to run: the caller's options, checked and resolved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

from reticent.errors import ConfigurationError, did_you_mean
from reticent.history.ladder import Floor
from reticent.history.operations import LADDER
from reticent.history.profiles import resolve
from reticent.history.tokens import Counter, estimate

if TYPE_CHECKING:
    from reticent.history.entries import Context
    from reticent.history.facts import Profile
    from reticent.history.settled import Guard
    from reticent.history.summaries.pins import Pins
    from reticent.history.threshold import Window
    from reticent.history.turns import Confidence

Store = Callable[[str, bytes], None]
"""``store(handle, data)`` keeps what a compaction takes out; reasoning is never handed to it."""


class CompactOptions(TypedDict, total=False):
    """The keyword arguments of :func:`reticent.history.compact`, for those who hand them on."""

    profile: Profile | str | None
    model: str | None
    dialect: str | None
    context: Context | None
    keep_turns: int
    keep: Floor | None
    budget: Window | None
    operations: Sequence[str] | None
    guard: Guard | None
    least: Mapping[str, Confidence] | None
    counter: Counter
    store: Store | None
    since_last: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a compaction is to run; the arguments of :func:`compact` as one value."""

    profile: Profile
    budget: Window | None = None
    floor: Floor = field(default_factory=Floor)
    operations: tuple[str, ...] | None = None
    guard: Guard | None = None
    least: Mapping[str, Confidence] | None = None
    counter: Counter = estimate
    store: Store | None = None
    since_last: int | None = None
    pins: Pins | None = field(default=None, repr=False)
    tenant: str = ""


def options_for(dialect: str, given: CompactOptions) -> Options:
    """Options resolved for a history in ``dialect``.

    Raises:
        ConfigurationError: an unknown profile or operation, or a negative floor.
    """
    return Options(
        profile=resolve(given.get("profile"), model=given.get("model"), dialect=dialect),
        budget=given.get("budget"),
        floor=given.get("keep") or Floor(turns=given.get("keep_turns", 0)),
        operations=_known(given.get("operations")),
        guard=given.get("guard"),
        least=given.get("least"),
        counter=given.get("counter", estimate),
        store=given.get("store"),
        since_last=given.get("since_last"),
    )


def _known(operations: Sequence[str] | None) -> tuple[str, ...] | None:
    if operations is None:
        return None
    for name in operations:
        if name not in LADDER:
            raise ConfigurationError(f"unknown operation {name!r}.{did_you_mean(name, LADDER)}")
    return tuple(operations)
