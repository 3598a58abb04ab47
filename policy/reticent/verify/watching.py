"""Looking again and again, before what was found last gets too old."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from reticent.errors import ConfigurationError, ReticentError

if TYPE_CHECKING:
    from reticent.evidence import EvidenceFile
    from reticent.surfaces import SurfaceTable

_T = TypeVar("_T")

_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
LONGEST_SECONDS: Final = 300.0
"""How long a loss can go unseen at most, however long evidence counts."""

_TIMES_FRESH: Final = 3
"""How many looks fit into the shortest age, so that one or two that fail do not close a row."""


def next_look(table: SurfaceTable) -> float:
    """How many seconds after a look the next one is due: a third of the shortest ``max_age``, five minutes at most."""
    ages = [
        int(claim.evidence.max_age[:-1]) * _UNITS[claim.evidence.max_age[-1]]
        for row in table.surfaces.values()
        for claim in row.conditions.values()
        if claim.evidence is not None
    ]
    return max(1.0, min([LONGEST_SECONDS, *(age / _TIMES_FRESH for age in ages)]))


def watch(
    once: Callable[[], tuple[_T, float]], *, sleep: Callable[[float], None] = time.sleep
) -> Iterator[_T | ReticentError]:
    """Verify again and again: what came of each round, for as long as somebody asks.

    ``once`` verifies, and says in how many seconds it wants to again. What it raises is told like an outcome, and tried
    again: a table that is being written, or a key that cannot be read for a moment, ends no watch.
    """
    pause = LONGEST_SECONDS
    while True:
        try:
            outcome, pause = once()
            yield outcome
        except ReticentError as error:
            yield error
            pause = min(pause, LONGEST_SECONDS)
        sleep(pause)


def write_evidence(evidence: EvidenceFile, path: str | Path) -> None:
    """Write a file beside ``path`` and move it there, so that nobody reads half of it.

    Raises:
        ConfigurationError: it cannot be written.
    """
    target = Path(path)
    try:
        with tempfile.NamedTemporaryFile(dir=target.absolute().parent, prefix=f".{target.name}.", delete=False) as file:
            file.write(evidence.to_json())
        Path(file.name).chmod(0o644)
        os.replace(file.name, target)  # noqa: PTH105 - the same call, and the name is a text already
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be written ({type(error).__name__})") from None
