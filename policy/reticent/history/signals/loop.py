"""The loop signature: the same tool, with the same arguments, in the same task, a second time.

An agent that lost what an attempt gave makes it again. The detector stands outside the transcript, so a compaction
between the two calls does not hide it. Its alert is a log line like any other: it holds a digest and never the
arguments.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reticent.history.exchanges import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAME = re.compile(r"^[\w.:/-]{1,64}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopAlert:
    """A call that was made before in its task: which tool, at which steps, and what came in between."""

    tool: str
    digest: str
    """Of the canonical arguments; keyed where the detector was given a key."""
    task_id: str
    step: int
    first: int
    """The step of the first such call."""
    count: int
    """Which time it is, from 2 on."""
    compactions: tuple[int, ...] = ()
    """Steps at which something was compacted or folded since the call before."""
    outcome: str = ""
    """How the first call ended when it ended badly (``empty``, ``404``); ``""`` when it did not, or nobody said."""
    flushed: bool = False
    """Whether that ending had been written to the scratchpad."""

    def to_json(self) -> dict[str, Any]:
        """All of it; no content."""
        return {name: getattr(self, name) for name in self.__slots__}


Alert = Callable[[LoopAlert], None]


@dataclass(slots=True)
class _Seen:
    first: int
    last: int
    count: int = 1
    outcome: str = ""
    flushed: bool = False


@dataclass(slots=True)
class _Task:
    calls: dict[tuple[str, str], _Seen] = field(default_factory=dict[tuple[str, str], _Seen])
    compactions: list[int] = field(default_factory=list[int])


class LoopDetector:
    """Watches the calls of any number of tasks. Nothing of their arguments is kept but a digest.

    ``pollers`` are tools that are meant to be called again. ``changers`` change what others answer: behind such a call,
    all earlier ones may be made anew. ``alert`` gets each alert; ``key`` makes digests that nobody can guess back.
    """

    def __init__(
        self,
        *,
        pollers: Iterable[str] = (),
        changers: Iterable[str] = (),
        alert: Alert | None = None,
        key: bytes = b"",
    ) -> None:
        self.alerts: list[LoopAlert] = []
        self._pollers = frozenset(pollers)
        self._changers = frozenset(changers)
        self._alert = alert
        self._key = key
        self._tasks: dict[str, _Task] = {}

    def called(self, tool: str, arguments: Any, *, step: int, task_id: str = "") -> LoopAlert | None:
        """A call is made; the alert when it was made before."""
        task = self._tasks.setdefault(task_id, _Task())
        if tool in self._changers:
            task.calls.clear()
        if tool in self._pollers:
            return None
        place = (tool, self.digest(arguments))
        seen = task.calls.get(place)
        if seen is None:
            task.calls[place] = _Seen(step, step)
            return None
        between = tuple(at for at in task.compactions if seen.last <= at <= step)
        seen.count, seen.last = seen.count + 1, step
        return self._alerted(place, task_id, seen, step, between)

    def answered(self, tool: str, arguments: Any, *, outcome: str, flushed: bool = False, task_id: str = "") -> None:
        """How a call ended (``""`` for well), and whether that was written to the scratchpad."""
        seen = self._tasks.setdefault(task_id, _Task()).calls.get((tool, self.digest(arguments)))
        if seen is not None and seen.count == 1:
            seen.outcome, seen.flushed = outcome, flushed

    def compacted(self, *, step: int, task_id: str = "") -> None:
        """Something of the task was compacted or folded at ``step``."""
        self._tasks.setdefault(task_id, _Task()).compactions.append(step)

    def ended(self, task_id: str = "") -> None:
        """The task has reached a terminal state: nothing of it is needed any more."""
        self._tasks.pop(task_id, None)

    def digest(self, arguments: Any) -> str:
        """The name of arguments, equal for every spelling of them."""
        text = canonical(arguments).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(text, key=self._key[:64], digest_size=8).hexdigest()

    def _alerted(
        self, place: tuple[str, str], task_id: str, seen: _Seen, step: int, between: tuple[int, ...]
    ) -> LoopAlert:
        tool, digest = place
        found = LoopAlert(
            tool=tool if _NAME.match(tool) else "?",
            digest=digest,
            task_id=task_id if _NAME.match(task_id) else "",
            step=step,
            first=seen.first,
            count=seen.count,
            compactions=between,
            outcome=seen.outcome,
            flushed=seen.flushed,
        )
        self.alerts.append(found)
        if self._alert is not None:
            self._alert(found)
        return found
