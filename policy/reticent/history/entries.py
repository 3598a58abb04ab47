"""The normal form: what every dialect's transcript is read into, and what the caller knows beside it.

Adapters in :mod:`reticent.history.shapes` read; nothing here or there alters the caller's objects. An operation
addresses a part by the position of its entry and the path below it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from reticent.errors import ConfigurationError

Raw = Mapping[str, Any]
"""One message or item as the provider's JSON has it."""

Path = tuple[str | int, ...]
"""Keys and indexes from an entry down to a part; empty for the entry itself."""

TEXT_TOOL_PREFIX = "Tool Output ("
"""How a tool result begins when tools are played in plain text, unless the caller declares another prefix."""


class Role(StrEnum):
    """Who an entry speaks for."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"
    UNKNOWN = "unknown"


class PartKind(StrEnum):
    """What a part of an entry is; the weight of a part is decided by its span, never by this word alone."""

    TEXT = "text"
    REASONING = "reasoning"
    CALL = "call"
    RESULT = "result"
    CHECKPOINT = "checkpoint"
    CONTROL = "control"
    REFUSAL = "refusal"
    MEDIA = "media"
    OPAQUE = "opaque"
    UNKNOWN = "unknown"


class StopClass(StrEnum):
    """Why an assistant entry ended, in words that hold for every provider."""

    NATURAL = "natural"
    TOOL = "tool"
    CONTINUE = "continue"
    UNSURE = "unsure"
    REFUSED = "refused"
    ABSENT = "absent"


class Part(NamedTuple):
    """One part. A named tuple, not a dataclass: a long history makes hundreds of thousands of them."""

    kind: PartKind
    path: Path
    id: str | None = None
    name: str | None = None
    server: bool = False
    """The provider runs the call; no client result is due."""
    final: bool = True
    """False for an interim result: the call stays open."""
    closed: bool = False
    """A call that holds its own result."""
    error: bool = False
    blank: bool = False
    """Text without a visible character."""
    signed: bool = False
    """The provider compares these bytes with what it issued."""


class Entry(NamedTuple):
    """One message or item, by position, with its parts."""

    pos: int
    role: Role
    parts: tuple[Part, ...]
    raw: Raw
    task_id: str | None = None
    stop: StopClass = StopClass.ABSENT
    item_stop: bool = False
    """``stop`` is an item's own status: the response may go on behind it."""
    phase: str | None = None
    seq: int | None = None
    nudge: bool = False
    text_output: bool = False
    """A tool result played as user text."""

    def has(self, kind: PartKind) -> bool:
        """Whether any part is of ``kind``."""
        return any(part.kind is kind for part in self.parts)


TERMINAL_STATES = frozenset({"completed", "failed", "cancelled", "expired", "partial"})
"""States of a task after which no step of it follows."""

RUNNING_STATES = frozenset({"running", "queued", "waiting"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What the harness knows and a transcript cannot show. Everything is optional; what is missing counts as live.

    ``tasks`` maps task ids to states (:data:`TERMINAL_STATES`, :data:`RUNNING_STATES`); ``"*"`` speaks for entries
    without an id. ``checkpoints`` holds the digests of checkpoints issued in this conversation
    (:func:`reticent.history.checkpoint_digest`); None trusts any.
    """

    tasks: Mapping[str, str] = field(default_factory=dict[str, str])
    abandoned: frozenset[str] = frozenset()
    """Ids of calls that will never be answered."""
    terminal_tools: frozenset[str] = frozenset()
    """Tools whose recorded result ends a task (``final_result``, ``submit``)."""
    nudges: bool = False
    """The harness writes user entries of its own, flagged ``nudge``."""
    text_tools: bool | str = False
    """Tools are played in plain text; a string gives the prefix of their results."""
    stop_strings: bool = False
    """Stop strings are configured, so a plain ``stop`` is no proof of an ending."""
    concurrency: int = 1
    """Tasks that may share this transcript at a time; above 1 every entry needs a ``task_id``."""
    ordered: bool = True
    """The caller vouches for the order of the entries."""
    server_state: bool = False
    """The provider holds part of the history (``previous_response_id``)."""
    checkpoints: frozenset[str] | None = None

    def __post_init__(self) -> None:
        """Refuse a state nobody knows, and a concurrency below one."""
        strange = sorted({state for state in self.tasks.values() if state not in TERMINAL_STATES | RUNNING_STATES})
        if strange:
            raise ConfigurationError(f"unknown task state {strange[0]!r}; known: {_listed()}")
        if self.concurrency < 1:
            raise ConfigurationError("concurrency counts tasks and is at least 1")

    def state_of(self, task_id: str | None) -> str | None:
        """``"terminal"``, ``"running"``, or None when the registry does not know the task."""
        state = self.tasks.get("*" if task_id is None else task_id)
        if state is None:
            return None
        return "terminal" if state in TERMINAL_STATES else "running"

    @property
    def text_prefix(self) -> str | None:
        """The prefix of a tool result in plain text, or None when tools are not played that way."""
        if isinstance(self.text_tools, str):
            return self.text_tools
        return TEXT_TOOL_PREFIX if self.text_tools else None

    @property
    def holds_tail(self) -> bool:
        """Whether the next entry may turn a natural stop into a step of a running task."""
        return self.nudges or self.text_tools is not False


def _listed() -> str:
    return ", ".join(sorted(TERMINAL_STATES | RUNNING_STATES))
