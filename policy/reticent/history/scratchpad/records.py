"""The scratchpad: what a task knows outside its transcript, where no operation on the transcript can change it.

Two regions, kept apart by type. ``facts`` and ``attempts`` come from tools alone, each with the call it came from; a
recovery starts from them. ``notes`` are what a model wrote about history that was folded: useful, marked, and never a
source of facts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from reticent.errors import TenantMismatch, UnsourcedValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One value as a tool returned it: the literal, and where it came from.

    Raises:
        UnsourcedValue: no tool, call or literal is named.
    """

    key: str
    literal: str = field(repr=False)
    tool: str
    call_id: str
    position: int
    """The entry that held the result when the fact was taken."""

    def __post_init__(self) -> None:
        """Refuse a value that nobody vouches for."""
        if not (self.key and self.literal and self.tool and self.call_id) or self.position < 0:
            raise UnsourcedValue("a fact names its key, its literal, its tool and its call")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A call that found nothing or failed: the tool, what it was asked, and how it ended (``empty``, ``404``).

    ``digest`` is of the canonical arguments; ``arguments`` are those, for the producer that wrote them.
    """

    tool: str
    arguments: str = field(repr=False)
    digest: str
    outcome: str
    call_id: str
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What a model wrote about folded history. ``covers`` are the handles of its originals.

    ``generation`` counts how many models stand between it and the originals.
    """

    text: str = field(repr=False)
    covers: tuple[str, ...] = ()
    generation: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Scratchpad:
    """What one task of one tenant knows. Frozen: a change gives another one, and nothing is half written."""

    task_id: str = ""
    tenant: str = ""
    facts: tuple[Fact, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def current(self) -> Mapping[str, Fact]:
        """The newest fact of each key; older values of a key stay in ``facts``, in order."""
        return {fact.key: fact for fact in self.facts}

    @property
    def literals(self) -> tuple[str, ...]:
        """The literal of every fact, each once."""
        return tuple(dict.fromkeys(fact.literal for fact in self.facts))

    @property
    def notes_text(self) -> str:
        """The notes as the text that ``max_scratchpad_size`` counts."""
        return "\n\n".join(note.text for note in self.notes)

    def with_facts(self, facts: Sequence[Fact]) -> Scratchpad:
        """With ``facts`` behind its own; one that is there already, with the same source, is not added again."""
        known = {(fact.key, fact.literal, fact.call_id) for fact in self.facts}
        new: list[Fact] = []
        for fact in facts:
            if (fact.key, fact.literal, fact.call_id) not in known:
                known.add((fact.key, fact.literal, fact.call_id))
                new.append(fact)
        return replace(self, facts=(*self.facts, *new)) if new else self

    def with_attempts(self, attempts: Sequence[Attempt]) -> Scratchpad:
        """With ``attempts`` behind its own, each call once."""
        known = {(attempt.call_id, attempt.digest) for attempt in self.attempts}
        new = [attempt for attempt in attempts if (attempt.call_id, attempt.digest) not in known]
        return replace(self, attempts=(*self.attempts, *new)) if new else self

    def with_notes(self, notes: Sequence[Note]) -> Scratchpad:
        """With these notes in place of its own."""
        return replace(self, notes=tuple(notes))

    def merged(self, other: Scratchpad) -> Scratchpad:
        """Both together, for a task that was handed over.

        Raises:
            TenantMismatch: the other one is another tenant's.
        """
        if other.tenant != self.tenant:
            raise TenantMismatch("two scratchpads of different tenants are not merged")
        both = self.with_facts(other.facts).with_attempts(other.attempts)
        return both.with_notes([*both.notes, *(note for note in other.notes if note not in both.notes)])
