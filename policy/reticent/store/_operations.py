"""What every back end can do with rows, and the points at which tests stop a process.

An operation is atomic: all of it is in the store, or nothing. It is a flow of requests in the back end's own terms
(``store.sql``, ``store.redis``), so that the same text serves a client that waits and one that is awaited.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reticent.store._flow import Flow
    from reticent.store.records import Receipt, State, TaskRow, TurnRow


@dataclass(frozen=True, slots=True)
class Operation:
    """One atomic request to a back end; ``writes`` says that it needs a transaction of its own."""

    flow: Flow[Any]
    writes: bool


@dataclass(frozen=True, slots=True)
class Work:
    """A call that may wait for something outside of the store: a key service."""

    call: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Wipe:
    """Have the store clean the places where erased rows were, as far as it can; answered with whether it did.

    A sweep does it for many tasks at once; a back end for which it is costly waits for one.
    """

    sweeping: bool


class Operations(Protocol):
    """The operations of one back end. Rows are ciphertext to it; tenant and task are always both named."""

    def prepare(self) -> Flow[None]:
        """Make what the store needs, where it is not there yet.

        Raises:
            ConfigurationError: the store was made by a release that this one cannot read.
        """
        ...

    def head(self, tenant: str, task: str) -> Flow[TaskRow]:
        """The head of a live task.

        Raises:
            UnknownTask, TaskFinished: it is not.
        """
        ...

    def read(self, tenant: str, task: str) -> Flow[tuple[TaskRow, tuple[TurnRow, ...]]]:
        """A live task with all its turns, in order, as of one moment.

        Raises:
            UnknownTask, TaskFinished: it is not live.
        """
        ...

    def append(self, head: TaskRow, turn: TurnRow, anchors: Sequence[bytes]) -> Flow[bool]:
        """Add ``turn`` to a task whose head is ``head``, making the task when the turn is its first.

        False when the task is no longer as ``head`` has it: somebody else added a turn, or finished it.
        """
        ...

    def finish(self, tenant: str, task: str, state: State, now: float, due_by: float | None) -> Flow[Receipt]:
        """Erase a live task and leave a receipt; with ``due_by`` only when its deadline is not later than that.

        Raises:
            UnknownTask, TaskFinished: it is not live, or not due.
        """
        ...

    def live(self, tenant: str | None) -> Flow[tuple[TaskRow, ...]]:
        """The heads of all live tasks, of one tenant or of all."""
        ...

    def due(self, now: float) -> Flow[tuple[tuple[str, str], ...]]:
        """Tenant and name of every live task whose deadline has passed."""
        ...

    def rewrap(self, head: TaskRow, key_id: str, wrapped: bytes) -> Flow[bool]:
        """Put the task's data key under another key; False when the task changed keys or ended meanwhile."""
        ...

    def find(self, tenant: str, anchors: Sequence[bytes]) -> Flow[str | None]:
        """The live task that most of ``anchors`` were held for, the latest of several; None when there is none."""
        ...

    def unwiped(self) -> Flow[tuple[tuple[str, str], ...]]:
        """Tenant and name of every ended task whose erasure nobody has completed."""
        ...

    def wiped(self, ended: Sequence[tuple[str, str]]) -> Flow[None]:
        """Note that the erasure of these tasks is complete."""
        ...


def step(name: str) -> None:
    """A point that a process can die at; tests put ``on_step`` in its way and see what is left."""
    on_step(name)


def _go_on(_name: str) -> None:
    """Nothing happens here but in a test."""


on_step: Callable[[str], None] = _go_on
