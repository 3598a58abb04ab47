"""Tables, whatever holds them: rows in batches by key, judged one by one, told with column and key."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from reticent.errors import EgressRefused
from reticent.scan._rows import UNREAD, RowJudge
from reticent.scan.findings import Finding, NotRead, Where, placed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reticent.scan._rows import Cell, JudgedRow
    from reticent.scan.findings import Note
    from reticent.scan.judge import Judge

LONGEST_KEY = 80


@dataclass(frozen=True, slots=True)
class Table:
    """One table: ``name`` as people write it, the ``columns`` that can hold text, the ``key`` that tells its rows.

    An empty ``key`` means that nothing tells them apart, so that none can be changed on its own.
    """

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    detail: Any = None


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the values of its key, as the store takes them back, and its cells by column."""

    key: tuple[Any, ...]
    cells: dict[str, Cell]
    too_large: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """Cells of one row that get another value, as long as they have the old one."""

    key: tuple[Any, ...]
    old: dict[str, Cell]
    new: dict[str, Cell]


class Tables(Protocol):
    """What a store of tables can do for a scan."""

    source: str

    def tables(self) -> Iterator[Table | NotRead]:
        """Every table that can be read, and what cannot."""
        ...

    def batches(self, table: Table, after: tuple[Any, ...] | None) -> Iterator[list[Row]]:
        """The rows behind the key ``after``, in the order of keys."""
        ...


class TableLook:
    """One look through one table."""

    def __init__(self, store: Tables, table: Table, judge: Judge) -> None:
        """Judge the rows of ``table`` in ``store``."""
        self._store = store
        self.table = table
        self._rows = RowJudge(judge, table.columns)
        self._unread: Counter[tuple[str, str]] = Counter()

    def batches(self, after: tuple[Any, ...] | None) -> Iterator[list[Row]]:
        """The rows behind the key ``after``."""
        return self._store.batches(self.table, after)

    def batch(self, rows: Sequence[Row]) -> Iterator[tuple[Row, JudgedRow | None, list[Note]]]:
        """Each row, what was found in it (None when it could not be judged), and that as notes."""
        for row in rows:
            notes: list[Note] = [
                NotRead(self._store.source, "input-too-large", "a cell that is too large", self.where(row, column))
                for column in row.too_large
            ]
            try:
                judged = self._rows.judged(row.cells)
            except EgressRefused as error:
                yield row, None, [*notes, NotRead(self._store.source, error.code, str(error), self.where(row))]
                continue
            self._unread.update(judged.unread)
            yield row, judged, [*notes, *self._findings(row, judged)]

    def end(self) -> Iterator[NotRead]:
        """What the whole table has to tell: columns with bytes that nothing here can read."""
        yield from unread(self._store.source, self._unread, Where(table=self.table.name))
        self._unread.clear()

    @property
    def counted(self) -> list[Any]:
        """Cells that could not be looked at so far, as JSON values: what ``resume`` takes."""
        return [[*name, count] for name, count in sorted(self._unread.items())]

    def resume(self, counted: Sequence[Sequence[Any]]) -> None:
        """Go on with what an earlier look had ``counted``."""
        self._unread.update({(column, kind): count for column, kind, count in counted})

    @property
    def where_table(self) -> Where:
        """The place of the table."""
        return Where(table=self.table.name)

    def where(self, row: Row, column: str | None = None) -> Where:
        """The place of a cell."""
        return Where(table=self.table.name, column=column, key=key_text(self.table.key, row.key))

    def _findings(self, row: Row, judged: JudgedRow) -> Iterator[Note]:
        for column, hit in judged.hits:
            finding = Finding(
                self._store.source, self.where(row, column), hit.rule, hit.reasoning_class, hit.count, hit.length
            )
            yield placed(finding, pointer=hit.where.pointer) if hit.where.pointer else finding


def unread(source: str, counted: Counter[tuple[str, str]], where: Where) -> Iterator[NotRead]:
    """What is told of cells that could not be looked at, by column and reason."""
    for (column, kind), count in sorted(counted.items()):
        code, what = UNREAD[kind]
        yield NotRead(source, code, f"{count} {what}", replace(where, column=column), partly=kind == "inside")


def key_text(names: Sequence[str], values: Sequence[Any]) -> str | None:
    """A key as people read it, ``id=7``; a long value is cut, because somebody may have put text there."""
    if not names:
        return None
    shown = (f"{name}={value}"[: LONGEST_KEY + len(name)] for name, value in zip(names, values, strict=True))
    return ", ".join(shown)
