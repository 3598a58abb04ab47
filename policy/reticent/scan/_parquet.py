"""Parquet files: row group by row group; columns without text are not read."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from reticent.errors import EgressRefused
from reticent.scan._rows import RowJudge
from reticent.scan._tables import unread
from reticent.scan.findings import Finding, Note, NotRead, Where

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

    from reticent.scan._resume import Progress
    from reticent.scan._rows import JudgedRow
    from reticent.scan.judge import Judge

_BATCH: Final = 1024


class ParquetLook:
    """One look through one file."""

    def __init__(self, source: str, path: Path, judge: Judge) -> None:
        """Open the file at ``path``.

        Raises:
            ImportError: there is no pyarrow; it comes with the extra ``scan``.
            pyarrow.ArrowException: the file is damaged or encrypted.
        """
        from pyarrow import parquet

        self._source = source
        self._judge = judge
        self.file: Any = parquet.ParquetFile(path)
        self.columns = [column.name for column in self.file.schema_arrow if holds_text(column.type)]
        self._rows = RowJudge(judge, self.columns)
        self._telling = any(
            judge.presearch.may_hold(f'"{name}"'.encode())
            or any(word in str(self.file.schema_arrow.field(name).type) for word in ("dictionary", "binary"))
            for name in self.columns
        )

    def notes(self, progress: Progress | None = None) -> Iterator[Note]:
        """Everything there is to tell of the file; with ``progress`` from the row group on that it names."""
        counted: Counter[tuple[str, str]] = Counter()
        first = 0
        if progress is not None and isinstance(progress.place, dict):
            progress.accept()
            first = progress.place["group"]
            counted.update({(column, kind): count for column, kind, count in progress.place["unread"]})
        for group in range(first, self.file.num_row_groups if self.columns else 0):
            self._judge.forget()
            for row, told in self.judged(group):
                if isinstance(told, NotRead):
                    yield told
                    continue
                counted.update(told.unread)
                for column, hit in told.hits:
                    where = Where(row_group=group, row=row, column=column, pointer=hit.where.pointer)
                    yield Finding(self._source, where, hit.rule, hit.reasoning_class, hit.count, hit.length)
            if progress is not None:
                progress.reached({"group": group + 1, "unread": [[*name, count] for name, count in counted.items()]})
        yield from unread(self._source, counted, Where())

    def judged(self, group: int) -> Iterator[tuple[int, JudgedRow | NotRead]]:
        """The rows of one row group in which something was found, or that cannot be judged."""
        start = 0
        for batch in self.file.iter_batches(_BATCH, row_groups=[group], columns=self.columns):
            if self._may_hold(batch):
                for at, cells in enumerate(batch.to_pylist()):
                    told = self._row(start + at, group, cells)
                    if isinstance(told, NotRead) or told.hits or told.unread:
                        yield start + at, told
            start += batch.num_rows

    def _row(self, row: int, group: int, cells: dict[str, Any]) -> JudgedRow | NotRead:
        try:
            return self._rows.judged({name: _plain(cell) for name, cell in cells.items()})
        except EgressRefused as error:
            return NotRead(self._source, error.code, str(error), Where(row_group=group, row=row))

    def _may_hold(self, batch: pa.RecordBatch) -> bool:
        """Whether a search through the column's buffers finds a word; numbers in them do no harm."""
        return self._telling or any(
            self._judge.presearch.may_hold(buffer.to_pybytes())
            for column in batch.columns
            for buffer in column.buffers()
            if buffer is not None
        )


def holds_text(kind: Any) -> bool:
    """Whether text or bytes can stand anywhere in a column of this type."""
    from pyarrow import types

    if types.is_dictionary(kind):
        return holds_text(kind.value_type)
    if types.is_nested(kind):
        return any(holds_text(kind.field(at).type) for at in range(kind.num_fields))
    return any(
        test(kind)
        for test in (types.is_string, types.is_large_string, types.is_string_view, types.is_binary,
                     types.is_large_binary, types.is_binary_view)
    )  # fmt: skip


def _plain(cell: Any) -> Any:
    """A cell as JSON values; what JSON does not have inside a nested one is left out of the look."""
    if isinstance(cell, dict):
        return {str(name): _inner(inner) for name, inner in cell.items()}
    if isinstance(cell, (list, tuple)):
        return [_inner(inner) for inner in cell]
    return cell


def _inner(value: Any) -> Any:
    if isinstance(value, (dict, list, tuple)):
        return _plain(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, (str, bool, int)) else None
