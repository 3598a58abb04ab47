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

from reticent.errors import FoldConflict, KeyUnavailable
from reticent.history.changes import encode, handle_of
from reticent.history.scratchpad.records import Scratchpad
from reticent.history.scratchpad.stored import from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from reticent.history.sealing import Sealing


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
    """A ledger in one SQLite file, for several processes on one machine; without ``sealing`` it encrypts nothing."""

    def __init__(self, file: Path | str, *, wait: float = 10.0, sealing: Sealing | None = None) -> None:
        """Open ``file``, which is made when it is not there; ``wait`` counts seconds for another worker's commit.

        With ``sealing`` (``reticent.store.Sealer(keys)``) notes and folds are ciphertext, bound to tenant, task and
        revision; a row that is not, or that another key wrote, is refused. Names of tenants and tasks stay readable.
        """
        self._file = str(file)
        self._wait = wait
        self._sealing = sealing
        with closing(self._open()) as database:
            database.execute(_TABLE)

    def read(self, tenant: str, task_id: str) -> Held:
        """What it holds of a task.

        Raises:
            StoreError: it does not open with this ``sealing``.
        """
        with closing(self._open()) as database:
            row = _row(database, tenant, task_id)
        if row is None:
            return Held(pad=Scratchpad(task_id=task_id, tenant=tenant))
        revision, pad, swap = row
        opened = [self._unsealed(tenant, task_id, f"{what} {revision}", data) for what, data in _named(pad, swap)]
        return _held((revision, *opened))

    def commit(self, tenant: str, task_id: str, held: Held) -> int:
        """Put ``held`` in the place of its revision, in one transaction.

        Raises:
            FoldConflict: the task has moved on.
            StoreError: it cannot be sealed; nothing was changed.
        """
        swap = None if held.swap is None else encode(held.swap.to_json())
        told = _named(encode(to_json(held.pad)), swap)
        sealed = [self._sealed(tenant, task_id, f"{what} {held.revision + 1}", data) for what, data in told]
        with closing(self._open()) as database:
            database.execute("BEGIN IMMEDIATE")
            row = _row(database, tenant, task_id)
            now = 0 if row is None else int(row[0])
            if now != held.revision:
                database.execute("ROLLBACK")
                raise FoldConflict(f"the task is at revision {now}, the fold was made from {held.revision}")
            database.execute("INSERT OR REPLACE INTO folds VALUES (?, ?, ?, ?, ?)", (tenant, task_id, now + 1, *sealed))
            database.execute("COMMIT")
        return now + 1

    def forget(self, tenant: str, task_id: str) -> None:
        """Erase what it holds of a task, and overwrite where that was; call it when the task ends."""
        with closing(self._open()) as database:
            database.execute("DELETE FROM folds WHERE tenant = ? AND task_id = ?", (tenant, task_id))

    def _sealed(self, tenant: str, task_id: str, what: str, data: bytes | None) -> bytes | None:
        return data if data is None or self._sealing is None else self._sealing.seal(tenant, task_id, what, data)

    def _unsealed(self, tenant: str, task_id: str, what: str, data: bytes | None) -> bytes | None:
        if data is None:
            return None
        if self._sealing is not None:
            return self._sealing.unseal(tenant, task_id, what, data)
        if not data.startswith(b"{"):
            raise KeyUnavailable("the ledger is encrypted; give it the keys (sealing=)")
        return data

    def _open(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._file, timeout=self._wait, isolation_level=None)
        database.execute("PRAGMA secure_delete = ON")
        return database


def _named(pad: bytes, swap: bytes | None) -> tuple[tuple[str, bytes | None], ...]:
    return ("pad", pad), ("swap", swap)


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
