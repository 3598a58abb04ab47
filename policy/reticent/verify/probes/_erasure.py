"""Whether tasks are erased when they end: the same two questions, for every database that speaks SQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final

from pydantic import Field, StringConstraints

from reticent.verify.probing import NotHeld, Settings

_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_Column = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
_Table = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$")]


class ErasureSettings(Settings):
    """How a table of tasks says when each of them is over, and where their content stands.

    ``deadline`` is a time, or a number of seconds since 1970. ``ended`` is a column that is null while a task lives.
    ``content`` is the table of what has to go with the task, which names its task in the columns ``key``.
    ``grace`` is how far behind whoever erases may be.
    """

    table: _Table
    deadline: _Column
    ended: _Column | None = None
    content: _Table | None = None
    key: tuple[_Column, ...] = ()
    grace: Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{0,5}[smhd]$")] = Field(default="15m")

    @property
    def grace_seconds(self) -> int:
        """``grace`` in seconds."""
        return int(self.grace[:-1]) * _UNITS[self.grace[-1]]


def left_over(settings: ErasureSettings, latest: str, count: Callable[[str], int]) -> str:
    """What was seen; ``latest`` is the deadline that may just have passed, in SQL, ``count`` runs a statement.

    Names in the statements are letters, digits and underscores; the settings take no others.

    Raises:
        NotHeld: something is there that should be gone.
    """
    alive = f"AND {settings.ended} IS NULL" if settings.ended else ""
    overdue = count(f"SELECT count(*) FROM {settings.table} WHERE {settings.deadline} < {latest} {alive}")  # noqa: S608 - see above
    if overdue:
        raise NotHeld("overdue", f"{overdue} tasks are {settings.grace} past their deadline; does the sweeper run?")
    if settings.content is None:
        return "no task is overdue"
    if not settings.key:
        raise NotHeld("settings-invalid", "key: the columns that tasks and content share")
    same = " AND ".join(f"task.{name} = content.{name}" for name in settings.key)
    lives = f"AND task.{settings.ended} IS NULL" if settings.ended else ""
    orphans = count(
        f"SELECT count(*) FROM {settings.content} content WHERE NOT EXISTS "  # noqa: S608 - see above
        f"(SELECT 1 FROM {settings.table} task WHERE {same} {lives})"
    )
    if orphans:
        raise NotHeld("not-erased", f"{orphans} rows of {settings.content} belong to no task that lives")
    return "no task is overdue, and nothing is left of one that ended"
