"""How far a scan has got, so that one that was interrupted goes on and tells everything once.

A SQLite file, because it is changed in transactions that survive a killed process: what was found in a source and the
fact that the source is done are one. It holds what the report holds, places and lengths, and no text.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Final

from reticent.errors import ConfigurationError
from reticent.scan.findings import from_dict

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from pathlib import Path

    from reticent.scan.findings import Note
    from reticent.scan.sources import File

__all__ = ["FileProgress", "State", "opened"]

_VERSION: Final = 2
_WAIT: Final = 60.0
"""Seconds to wait for another process of the same scan."""
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS about (what TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS source (name TEXT PRIMARY KEY, stamp TEXT NOT NULL, done INTEGER NOT NULL, place TEXT);
CREATE TABLE IF NOT EXISTS note (source TEXT NOT NULL, told TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS note_source ON note (source);
"""


class State:
    """The state of one scan."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Keep it behind ``connection``."""
        self._connection = connection

    def done(self, name: str, stamp: str) -> Iterator[Note] | None:
        """What was told of source ``name``, when it was looked through to its end and has not changed since."""
        row = self._connection.execute("SELECT stamp, done FROM source WHERE name = ?", (name,)).fetchone()
        return self._notes(name) if row == (stamp, 1) else None

    def place(self, name: str, stamp: str) -> tuple[Any, list[Note]]:
        """Where in source ``name`` to go on, None for its beginning, and what was told of it before that."""
        row = self._connection.execute(
            "SELECT place FROM source WHERE name = ? AND stamp = ? AND done = 0", (name, stamp)
        ).fetchone()
        if row is None or row[0] is None:
            return None, []
        return json.loads(row[0]), list(self._notes(name))

    def begin(self, name: str) -> None:
        """Forget all about source ``name``."""
        with self._connection:
            self._forget(name)

    def save(self, name: str, stamp: str, notes: Iterable[Note], *, place: Any = None) -> None:
        """Keep ``notes`` of source ``name``: it was looked through up to ``place``, or to its end."""
        with self._connection:
            self._connection.executemany(
                "INSERT INTO note VALUES (?, ?)", ((name, json.dumps(note.to_dict())) for note in notes)
            )
            self._connection.execute(
                "INSERT OR REPLACE INTO source VALUES (?, ?, ?, ?)",
                (name, stamp, int(place is None), None if place is None else json.dumps(place)),
            )

    def finish(self) -> None:
        """The scan has come to its end: the next one takes over unchanged files and reads every table again."""
        with self._connection:
            for (name,) in self._connection.execute("SELECT name FROM source WHERE stamp = ''").fetchall():
                self._forget(name)

    def _forget(self, name: str) -> None:
        self._connection.execute("DELETE FROM note WHERE source = ?", (name,))
        self._connection.execute("DELETE FROM source WHERE name = ?", (name,))

    def _notes(self, name: str) -> Iterator[Note]:
        for (told,) in self._connection.execute("SELECT told FROM note WHERE source = ? ORDER BY rowid", (name,)):
            yield from_dict(json.loads(told))


class FileProgress:
    """How far the look through one file has got, kept in a state; a ``Progress``."""

    def __init__(self, state: State, file: File) -> None:
        """Begin where ``state`` says that an earlier look through ``file`` was."""
        self._state = state
        self._file = file
        self.place, self._earlier = state.place(file.name, file.stamp)
        self._held: list[Note] = []
        self._accepted = self._begun = False

    def accept(self) -> None:
        """See ``Progress``."""
        self._accepted = True

    def reached(self, place: Any) -> None:
        """See ``Progress``."""
        self._begin()
        self._state.save(self._file.name, self._file.stamp, self._held, place=place)
        self._held = []

    def notes(self, look: Iterable[Note]) -> Iterator[Note]:
        """What was told earlier, if that still stands, and what ``look`` tells; the state has it all at the end."""
        for note in look:
            yield from self._told_earlier()
            self._held.append(note)
            yield note
        yield from self._told_earlier()
        self._state.save(self._file.name, self._file.stamp, self._held)

    def _told_earlier(self) -> list[Note]:
        self._begin()
        earlier, self._earlier = self._earlier, []
        return earlier if self._accepted else []

    def _begin(self) -> None:
        if not self._begun and not self._accepted:
            self._state.begin(self._file.name)
        self._begun = True


@contextmanager
def opened(path: Path, fingerprint: str) -> Generator[State]:
    """The state in the file at ``path``, which is made if need be.

    Raises:
        ConfigurationError: the file is none, or of a scan that looks for something else.
    """
    try:
        with closing(sqlite3.connect(path, timeout=_WAIT)) as connection:
            with connection:
                connection.executescript(_SCHEMA)
                connection.execute("INSERT OR IGNORE INTO about VALUES ('scan', ?)", (f"{_VERSION} {fingerprint}",))
            kept = connection.execute("SELECT value FROM about WHERE what = 'scan'").fetchone()[0]
            if kept != f"{_VERSION} {fingerprint}":
                raise ConfigurationError(f"{path}: the state of a scan that looks for something else; delete it")
            yield State(connection)
    except sqlite3.DatabaseError as error:
        raise ConfigurationError(f"{path}: cannot be used as a state ({type(error).__name__})") from None
