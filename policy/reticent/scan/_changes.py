"""Tables without their reasoning: rows in small batches, each change only where the old value still stands."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final, Protocol

from reticent.errors import EgressRefused
from reticent.scan._rows import Json, Nested, RowJudge
from reticent.scan._tables import Change, TableLook, Tables
from reticent.scan.findings import Finding, Note, NotRead
from reticent.scan.receipt import Removal, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reticent.scan._rows import Cell, JudgedRow
    from reticent.scan._tables import Row, Table
    from reticent.scan.judge import Judge
    from reticent.scan.receipt import Journal

_TOGETHER: Final = 100
"""Rows that are changed in one transaction."""


class Changeable(Tables, Protocol):
    """A store of tables that can be changed."""

    def change(self, table: Table, changes: Sequence[Change]) -> int:
        """Write ``changes`` in one transaction; how many rows still had the old values and were changed."""
        ...

    def refusal(self, table: Table, column: str) -> str | None:
        """Why a cell of ``column`` is not changed, or None."""
        ...

    def empty(self, table: Table, column: str) -> Cell:
        """What a cell of ``column`` gets when all of it goes: None, or an empty value where that is not allowed."""
        ...


class TableScrub:
    """Takes the reasoning out of one table."""

    def __init__(self, store: Changeable, table: Table, judge: Judge, journal: Journal, *, write: bool) -> None:
        """Change ``table``, or only tell what would be changed."""
        self._store = store
        self._table = table
        self._journal = journal
        self._write = write
        self._look = TableLook(store, table, judge)
        self._again = RowJudge(judge, table.columns)
        self._changes: list[tuple[Change, list[Finding]]] = []

    def run(self) -> Iterator[NotRead]:
        """Go through the table; what could not be read or changed is told."""
        for batch in self._store.batches(self._table, None):
            for row, judged, notes in self._look.batch(batch):
                yield from self._row(row, judged, notes)
                if len(self._changes) >= _TOGETHER:
                    yield from self._commit()
            yield from self._commit()
        yield from self._look.end()

    def _row(self, row: Row, judged: JudgedRow | None, notes: list[Note]) -> Iterator[NotRead]:
        yield from (note for note in notes if isinstance(note, NotRead))
        findings = [note for note in notes if isinstance(note, Finding)]
        if judged is None or not findings:
            return
        try:
            self._changes.append((self._change(row, judged), findings))
        except _Stays as why:
            yield NotRead(self._store.source, why.code, why.message, self._look.where(row, why.column))

    def _change(self, row: Row, judged: JudgedRow) -> Change:
        """The change of one row, of which a second look finds nothing.

        Raises:
            _Stays: the row cannot be changed.
        """
        if not self._table.key:
            raise _Stays("no-key", "nothing tells its rows apart; give the table a primary key")
        if judged.whole or not judged.changes:
            raise _Stays("whole-row", "the row as a whole is reasoning; delete it")
        for name in judged.changes:
            if (reason := self._store.refusal(self._table, name)) is not None:
                raise _Stays("not-writable", reason, name)
        new = {name: self._new(row, name, cell) for name, cell in judged.changes.items()}
        if not self._is_clean({**row.cells, **new}):
            raise _Stays("not-clean", "something would be left; nothing was written")
        return Change(row.key, {name: row.cells[name] for name in new}, new)

    def _is_clean(self, cells: dict[str, Cell]) -> bool:
        try:
            return not self._again.judged(cells).hits
        except EgressRefused:
            return False

    def _new(self, row: Row, name: str, cell: Cell) -> Cell:
        if isinstance(cell, Nested):
            return cell.applied(row.cells[name])
        return self._store.empty(self._table, name) if cell is None else cell

    def _commit(self) -> Iterator[NotRead]:
        if not self._changes:
            return
        changes = [change for change, _ in self._changes]
        findings = [finding for _, told in self._changes for finding in told]
        self._changes = []
        removal = self._removal(changes, findings)
        if self._write:
            self._journal.intend(removal)
            changed = self._store.change(self._table, changes)
            if changed != len(changes):
                message = f"{len(changes) - changed} rows changed meanwhile and were left; run it again"
                yield NotRead(self._store.source, "changed", message, self._look.where_table)
        self._journal.done(removal)

    def _removal(self, changes: Sequence[Change], findings: Sequence[Finding]) -> Removal:
        before = hashlib.sha256()
        after = hashlib.sha256()
        sizes = [0, 0]
        for change in changes:
            for name in change.new:
                for at, (digest, cell) in enumerate(((before, change.old[name]), (after, change.new[name]))):
                    data = _bytes(cell)
                    digest.update(len(data).to_bytes(8, "big") + data)
                    sizes[at] += len(data)
        return Removal(
            self._store.source,
            self._table.name,
            len(changes),
            counted(findings),
            before.hexdigest(),
            after.hexdigest(),
            sizes[0],
            sizes[1],
        )


class _Stays(Exception):
    """A row that is not changed."""

    def __init__(self, code: str, message: str, column: str | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.message = message
        self.column = column


def _bytes(cell: Any) -> bytes:
    """A cell as its digest takes it."""
    if isinstance(cell, (bytes, bytearray, memoryview)):
        return bytes(cell)
    text = cell.text if isinstance(cell, Json) else cell
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else repr(text).encode()
