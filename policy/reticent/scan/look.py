"""One source at a time: which reader it needs, and what that tells."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, Final

from reticent.scan import _open, _sqlite
from reticent.scan._tables import TableLook
from reticent.scan.findings import Note, NotRead
from reticent.scan.sources import stamp_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reticent.scan._resume import Progress
    from reticent.scan.judge import Judge
    from reticent.scan.sources import File

__all__ = ["kind_of", "look_at", "look_at_file"]

_MARKED: Final = 500
"""Rows of a batch that are worth a mark; a small table is read again."""
_KINDS: Final = ((b"SQLite format 3\x00", "sqlite"), (b"PAR1", "parquet"))


def look_at_file(file: File, judge: Judge, progress: Progress | None = None) -> Iterator[Note]:
    """Everything there is to tell of one file, with ``progress`` from where it says.

    A file that changed while it was read is told as not read as a whole.
    """
    try:
        yield from _look(file.name, file.path, judge, progress)
        if stamp_of(file.path.stat()) != file.stamp:
            yield NotRead(file.name, "changed", "changed while it was read", partly=True)
    except OSError as error:
        yield NotRead(file.name, "unreadable", f"cannot be read ({type(error).__name__})")


def look_at(path: Path, judge: Judge) -> Iterator[Note]:
    """Everything there is to tell of the file at ``path``, named by that."""
    yield from _look(str(path), path, judge)


def kind_of(path: Path) -> str:
    """``sqlite``, ``parquet`` or ``content``; a file that cannot be read is the last."""
    try:
        with path.open("rb") as raw:
            head = raw.read(16)
    except OSError:
        return "content"
    return next((kind for mark, kind in _KINDS if head.startswith(mark)), "content")


def _look(name: str, path: Path, judge: Judge, progress: Progress | None = None) -> Iterator[Note]:
    kind = kind_of(path)
    if kind == "sqlite":
        yield from _database(name, path, judge, progress)
    elif kind == "parquet":
        yield from _parquet(name, path, judge, progress)
    else:
        with path.open("rb") as raw:
            yield from _open.notes(name, raw, judge, progress)


def _database(name: str, path: Path, judge: Judge, progress: Progress | None) -> Iterator[Note]:
    place = {} if progress is None or progress.place is None else progress.place
    if progress is not None and place:
        progress.accept()
    try:
        with _sqlite.opened(path) as connection:
            store = _sqlite.SqliteTables(name, connection)
            for table in store.tables():
                if (where := table.where.table if isinstance(table, NotRead) else table.name) < place.get("table", ""):
                    continue  # they come in the order of their names
                if isinstance(table, NotRead):
                    yield table
                else:
                    yield from _table(
                        TableLook(store, table, judge), place if where == place.get("table") else {}, progress
                    )
    except sqlite3.Error as error:
        yield NotRead(name, "damaged", f"SQLite: {type(error).__name__}; what came before was read")


def _table(look: TableLook, place: dict[str, Any], progress: Progress | None) -> Iterator[Note]:
    """One table, from the key on that ``place`` names."""
    look.resume(place.get("unread", ()))
    for batch in look.batches(tuple(place["after"]) if place else None):
        for _, _, notes in look.batch(batch):
            yield from notes
        key = batch[-1].key
        if progress is not None and len(batch) >= _MARKED and all(isinstance(part, (int, str)) for part in key):
            progress.reached({"table": look.table.name, "after": list(key), "unread": look.counted})
    yield from look.end()


def _parquet(name: str, path: Path, judge: Judge, progress: Progress | None) -> Iterator[Note]:
    try:
        import pyarrow as pa

        from reticent.scan._parquet import ParquetLook
    except ImportError:
        yield NotRead(name, "unsupported", "Parquet needs the extra: pip install 'reticent[scan]'")
        return
    try:
        yield from ParquetLook(name, path, judge).notes(progress)
    except (pa.ArrowException, OSError) as error:
        yield NotRead(name, "damaged", f"Parquet: {type(error).__name__}; what came before was read")
