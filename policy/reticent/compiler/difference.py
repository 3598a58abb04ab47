"""One thing in which two plans differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Direction = Literal["opens", "closes", "notes"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that changed: ``what`` in a sentence, ``readers`` as a path to each whom it is about."""

    direction: Direction
    surface: str
    what: str
    readers: tuple[str, ...] = ()
