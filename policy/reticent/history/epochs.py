"""Epochs: between two compactions the history that is sent only grows, so the provider's cache keeps its prefix.

A task that settles in between is compacted at the next epoch, not at once. An epoch works on what was sent, never on
the originals again, so nothing that was taken out comes back.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from reticent.errors import PrefixChanged
from reticent.history.changes import handle_of
from reticent.history.compaction import compact
from reticent.history.knobs import Knobs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from reticent.history.options import CompactOptions
    from reticent.history.outcome import Compaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """What is sent in place of the first ``source`` entries of the growing original, until the next compaction.

    ``digest`` is of these original entries: when they are no longer the same, the epoch is void.
    """

    source: int = 0
    digest: str = field(default_factory=lambda: handle_of([]))
    sent: tuple[Any, ...] = field(default=(), repr=False)
    requests: int = 0
    """Requests since the last compaction."""
    settled: int = 0
    """Entries of the original that had settled at the last request."""
    unmoved: int = 0
    """Requests since that number grew, while something was live."""

    def view(self, history: Sequence[Any]) -> list[Any]:
        """The history as it goes to the provider: what was sent, and everything that came since.

        Raises:
            PrefixChanged: the original was rewritten behind the epoch's back.
        """
        if len(history) < self.source or handle_of(list(history[: self.source])) != self.digest:
            raise PrefixChanged(f"the first {self.source} entries are not the ones this epoch was made from")
        return [*self.sent, *history[self.source :]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One request: the history to send, the epoch to go on with, and the compaction when one ran."""

    history: list[Any] = field(repr=False)
    epoch: Epoch
    compaction: Compaction
    stuck: bool
    """The boundary has not moved for so long that somebody should read the report's reasons."""


def advance(
    history: Sequence[Any],
    epoch: Epoch | None = None,
    *,
    stuck_after: int = Knobs().stuck_after,
    **options: Unpack[CompactOptions],
) -> Sent:
    """Prepare the next request from the caller's growing original.

    ``stuck_after`` counts requests without a moved boundary until that is reported, so that one orphan cannot switch
    compaction off unseen. ``options`` are those of :func:`reticent.history.compact`. When nothing is compacted, what
    goes out begins with exactly what went out before.

    Raises:
        PrefixChanged: the original was rewritten.
    """
    current = epoch or Epoch()
    view = current.view(history)
    since = current.requests if current.source else None
    given: CompactOptions = {"since_last": since, **options}
    done = compact(view, **given)
    settled = len(history) - done.report.boundary.live
    unmoved = current.unmoved + 1 if done.report.boundary.live and settled <= current.settled else 0
    if done.removed:
        digest = handle_of(list(history))
        following = Epoch(source=len(history), digest=digest, sent=tuple(done.history), requests=1)
    else:
        following = replace(current, requests=current.requests + 1)
    following = replace(following, settled=settled, unmoved=unmoved)
    sent = list(done.history) if done.removed else view
    return Sent(history=sent, epoch=following, compaction=done, stuck=unmoved >= stuck_after)


@dataclass(frozen=True, slots=True)
class Frozen:
    """A prefix taken for work in the background: a summary that another call makes while the conversation goes on."""

    length: int
    digest: str

    @classmethod
    def of(cls, history: Sequence[Any], length: int) -> Frozen:
        """Freeze the first ``length`` entries."""
        return cls(length, handle_of(list(history[:length])))

    def swap(self, history: Sequence[Any], replacement: Sequence[Any]) -> list[Any] | None:
        """``history`` with exactly the frozen entries replaced; None when they changed meanwhile: discard the work."""
        if len(history) < self.length or handle_of(list(history[: self.length])) != self.digest:
            return None
        return [*replacement, *history[self.length :]]
