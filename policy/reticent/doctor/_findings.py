"""What a look at a process finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reticent.about import About, about
from reticent.integrations._guard import Guard


@dataclass(frozen=True, slots=True)
class Exit:
    """One way out of the process: ``surface`` names the guard's, None when it is open; ``fix`` says what to do then."""

    library: str
    name: str
    surface: str | None
    fix: str = ""

    @property
    def guarded(self) -> bool:
        """Whether a guard stands before it."""
        return self.surface is not None


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a known library under which it captures prompts and answers; ``url`` is its documentation."""

    library: str
    name: str
    value: str
    fix: str
    url: str


@dataclass(frozen=True, slots=True)
class GuardState:
    """One guard that is in use: what it withheld by code, and how many carriers it took out."""

    surface: str
    failures: Mapping[str, int]
    removed: int


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a look found."""

    exits: tuple[Exit, ...]
    settings: tuple[Setting, ...]
    guards: tuple[GuardState, ...]
    about: About = field(default_factory=about)

    @property
    def open(self) -> tuple[Exit, ...]:
        """Exits that no guard stands before."""
        return tuple(found for found in self.exits if not found.guarded)

    @property
    def clean(self) -> bool:
        """Whether every known exit is guarded. Settings do not count: behind a guard they do no harm."""
        return not self.open


def surface_of(*candidates: Any) -> str | None:
    """The surface of the first object that has a guard, else None."""
    for candidate in candidates:
        guard = getattr(candidate, "guard", None)
        if isinstance(guard, Guard):
            return guard.surface
    return None
