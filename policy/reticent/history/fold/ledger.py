"""Where a task's scratchpad and the fold that belongs to it are kept: both in one step, and by one worker at a time.

A commit names the revision it was made from. When another worker was faster it fails, and says so. What a fold put into
the history stands beside the notes it left, so a worker that died between the two finds both or neither.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from reticent.errors import FoldConflict
from reticent.history.changes import encode, handle_of
from reticent.history.scratchpad.records import Scratchpad
from reticent.history.scratchpad.stored import from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap:
    """What a fold did to a history: which entries it took out, by digest, and what it put in. No reasoning is in it."""

    start: int
    end: int
    digest: str
    entries: tuple[Any, ...] = field(repr=False)

    def applied(self, history: Sequence[Any]) -> list[Any] | None:
        """``history`` with the swap carried out; None when it does not hold the entries that were folded."""
        if len(history) < self.end or handle_of(list(history[: self.end])) != self.digest:
            return None
        return [*history[: self.start], *self.entries, *history[self.end :]]

    def to_json(self) -> dict[str, Any]:
        """All of it, entries included."""
        return {"start": self.start, "end": self.end, "digest": self.digest, "entries": list(self.entries)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a ledger holds of one task. Revision 0 is that of a task it has never heard of."""

    revision: int = 0
    pad: Scratchpad = field(repr=False)
    swap: Swap | None = None


class Ledger(Protocol):
    """A store of scratchpads. It holds content, so it is a surface: encrypted, and erased when the task ends."""

    def read(self, tenant: str, task_id: str) -> Held:
        """What it holds of a task."""
        ...

    def commit(self, tenant: str, task_id: str, held: Held) -> int:
        """Put ``held`` in the place of its revision, whole or not at all; the new revision.

        Raises:
            FoldConflict: the task has moved on since that revision.
        """
        ...


class MemoryLedger:
    """A ledger in memory, for one process."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], Held] = {}

    def read(self, tenant: str, task_id: str) -> Held:
        """What it holds of a task."""
        return self._held.get((tenant, task_id), Held(pad=Scratchpad(task_id=task_id, tenant=tenant)))

    def commit(self, tenant: str, task_id: str, held: Held) -> int:
        """Put ``held`` in the place of its revision.

        Raises:
            FoldConflict: the task has moved on.
        """
        now = self.read(tenant, task_id).revision
        if now != held.revision:
            raise FoldConflict(f"the task is at revision {now}, the fold was made from {held.revision}")
        self._held[tenant, task_id] = Held(revision=now + 1, pad=held.pad, swap=held.swap)
        return now + 1


_TABLE = """
CREATE TABLE IF NOT EXISTS folds (
    tenant TEXT NOT NULL, task_id TEXT NOT NULL, revision INTEGER NOT NULL, pad BLOB NOT NULL, swap BLOB,
    PRIMARY KEY (tenant, task_id)
) STRICT
"""


class SqliteLedger:
    """A ledger in one SQLite file, for several processes on one machine. It encrypts nothing; its place has to."""

    def __init__(self, file: Path | str, *, wait: float = 10.0) -> None:
        """Open ``file``, which is made when it is not there; ``wait`` counts seconds for another worker's commit."""
        self._file = str(file)
        self._wait = wait
        with closing(self._open()) as database:
            database.execute(_TABLE)

    def read(self, tenant: str, task_id: str) -> Held:
        """What it holds of a task."""
        with closing(self._open()) as database:
            row = _row(database, tenant, task_id)
        return Held(pad=Scratchpad(task_id=task_id, tenant=tenant)) if row is None else _held(row)

    def commit(self, tenant: str, task_id: str, held: Held) -> int:
        """Put ``held`` in the place of its revision, in one transaction.

        Raises:
            FoldConflict: the task has moved on.
        """
        with closing(self._open()) as database:
            database.execute("BEGIN IMMEDIATE")
            row = _row(database, tenant, task_id)
            now = 0 if row is None else int(row[0])
            if now != held.revision:
                database.execute("ROLLBACK")
                raise FoldConflict(f"the task is at revision {now}, the fold was made from {held.revision}")
            swap = None if held.swap is None else encode(held.swap.to_json())
            values = (tenant, task_id, now + 1, encode(to_json(held.pad)), swap)
            database.execute("INSERT OR REPLACE INTO folds VALUES (?, ?, ?, ?, ?)", values)
            database.execute("COMMIT")
        return now + 1

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=self._wait, isolation_level=None)


def _row(database: sqlite3.Connection, tenant: str, task_id: str) -> tuple[Any, ...] | None:
    query = "SELECT revision, pad, swap FROM folds WHERE tenant = ? AND task_id = ?"
    found: tuple[Any, ...] | None = database.execute(query, (tenant, task_id)).fetchone()
    return found


def _held(row: tuple[Any, ...]) -> Held:
    revision, pad, swap = row
    fields: Any = None if swap is None else json.loads(swap)
    done = None
    if fields is not None:
        entries = tuple(fields["entries"])
        done = Swap(start=fields["start"], end=fields["end"], digest=fields["digest"], entries=entries)
    return Held(revision=revision, pad=from_json(json.loads(pad)), swap=done)
