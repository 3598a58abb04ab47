"""What a store keeps of a task, as values: rows as back ends write them, and what callers are told of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from reticent.errors import ConfigurationError

State = Literal["completed", "failed", "cancelled", "expired", "partial"]
"""How a task ends; each of them erases what it held."""

STATES: Final[tuple[State, ...]] = get_args(State)


def terminal_state(word: str) -> State:
    """``word`` as a terminal state.

    Raises:
        ConfigurationError: it is none.
    """
    known: State | None = next((name for name in STATES if name == word), None)
    if known is None:
        raise ConfigurationError(f"{word!r} is no terminal state; those are {', '.join(STATES)}")
    return known


@dataclass(frozen=True, slots=True)
class TaskRow:
    """The head of a live task. ``wrapped`` is its data key under the key-encryption key ``key_id``.

    ``turns`` and ``sequence`` count what was held, so that a missing row shows. ``created`` and ``deadline`` are
    seconds since 1970; without a deadline the task ends when somebody says so.
    """

    tenant: str
    task: str
    key_id: str
    wrapped: bytes
    turns: int
    sequence: int
    created: float
    deadline: float | None


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One held turn. ``turn`` counts from 1, ``sequence`` is the number of its first carrier in the task, from 0.

    ``sealed`` is ciphertext; the other members are what may be read without a key: no content.
    """

    turn: int
    sequence: int
    carriers: int
    dialect: str
    sealed: bytes
    created: float


@dataclass(frozen=True, slots=True)
class TurnInfo:
    """One held turn as ``Tasks.turns`` tells it: numbers and the dialect, no content.

    ``length`` is the number of bytes of its ciphertext.
    """

    turn: int
    sequence: int
    carriers: int
    dialect: str
    length: int
    created: float


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """One live task as ``Store.tasks`` lists it: no content."""

    tenant: str
    task: str
    key_id: str
    turns: int
    carriers: int
    created: float
    deadline: float | None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is left of a task: how and when it ended and how much was erased. ``key_id`` names what wrapped its key.

    ``wiped`` says whether the store has also overwritten the places where the rows were (free pages, logs it
    keeps itself); ``Store.sweep`` does that when the process died before it could.
    """

    tenant: str
    task: str
    state: State
    finished: float
    turns: int
    carriers: int
    key_id: str
    wiped: bool


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What one sweep did: tasks it ended as expired, and tasks whose interrupted erasure it completed."""

    expired: tuple[Receipt, ...] = ()
    wiped: int = 0
