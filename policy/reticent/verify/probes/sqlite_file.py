"""An SQLite file: what stands in it is ciphertext, and what should be erased is gone."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import Field

from reticent.verify.probes._ciphertext import CiphertextSettings, judge, refuse_unlisted
from reticent.verify.probes._erasure import ErasureSettings, left_over
from reticent.verify.probing import NotHeld, ShippedProbe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reticent.verify.probing import Probe

_SECONDS: Final = 5.0
_NUMBERS: Final = ("INT", "REAL", "FLOA", "DOUB", "NUM", "BOOL")
"""Parts of the names of types under which SQLite keeps numbers; https://sqlite.org/datatype3.html (read 2026-11-29)."""


class SqliteCiphertext(CiphertextSettings):
    """Where the file is."""

    path: Path = Field()


class SqliteErasure(ErasureSettings):
    """Where the file is."""

    path: Path = Field()


def ciphertext(settings: SqliteCiphertext) -> str:
    """A sample of rows has ciphertext in the columns, and no other column could hold content."""
    with _opened(settings.path) as connection:
        rows = connection.execute("SELECT name, upper(type) FROM pragma_table_info(?)", (settings.table,)).fetchall()
        if not rows:
            raise NotHeld("not-found", f"no table {settings.table}")
        listed = {*settings.columns, *settings.clear}
        numbers = [name for name, kind in rows if name not in listed and any(part in kind for part in _NUMBERS)]
        texts = [name for name in numbers if _holds_text(connection, settings.table, name)]
        refuse_unlisted([name for name, _ in rows if name not in numbers or name in texts], settings)
        columns = ", ".join(map(_quoted, settings.columns))
        sample = connection.execute(
            f"SELECT {columns} FROM {_quoted(settings.table)} ORDER BY random() LIMIT ?",  # noqa: S608 - quoted
            (settings.sample,),
        ).fetchall()
        # SQLite keeps any type in any column: what is text is no ciphertext, whatever the column says.
        return judge(sample, settings)


def erasure(settings: SqliteErasure) -> str:
    """No task is past its deadline, and no content is there whose task has ended; times are seconds since 1970."""
    with _opened(settings.path) as connection:
        latest = f"CAST(strftime('%s', 'now') AS INTEGER) - {settings.grace_seconds}"
        return left_over(settings, latest, lambda statement: int(connection.execute(statement).fetchone()[0]))


def _holds_text(connection: sqlite3.Connection, table: str, column: str) -> bool:
    """Whether a column that is declared for numbers holds something else: SQLite does not mind."""
    found = connection.execute(
        f"SELECT 1 FROM {_quoted(table)} WHERE typeof({_quoted(column)}) IN ('text', 'blob') LIMIT 1"  # noqa: S608 - quoted
    )
    return found.fetchone() is not None


@contextlib.contextmanager
def _opened(path: Path) -> Generator[sqlite3.Connection]:
    """The file, to be read only; what goes wrong is raised as ``NotHeld``."""
    if not path.is_file():
        raise NotHeld("not-found", "no such file")
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_SECONDS)
        with contextlib.closing(connection):
            yield connection
    except sqlite3.Error as error:
        raise NotHeld("unreadable", type(error).__name__) from None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


PROBES: Final[Mapping[str, Probe]] = {
    "sqlite-ciphertext": ShippedProbe(SqliteCiphertext, ciphertext),
    "sqlite-erasure": ShippedProbe(SqliteErasure, erasure),
}
