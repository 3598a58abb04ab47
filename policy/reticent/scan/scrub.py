"""Take out what a scan finds: files are written again, rows are changed in batches, and a receipt says what went.

Nothing is changed unless ``write`` says so. Nothing that could not be read as a whole is changed at all, because what
was not judged might be lost or kept by accident.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reticent.scan import _rewrite, _sqlite
from reticent.scan._archive import rewrite_archive
from reticent.scan._changes import TableScrub
from reticent.scan.findings import Finding, NotRead
from reticent.scan.look import kind_of, look_at, look_at_file
from reticent.scan.receipt import Journal, Removal, counted, digest_of
from reticent.scan.sources import File, sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from reticent.scan.judge import Judge, Settings
    from reticent.scan.receipt import Receipt
    from reticent.scan.sources import Database

__all__ = ["Scrub", "scrub"]


@dataclass(frozen=True, slots=True)
class Scrub:
    """What to take reasoning out of, and how.

    ``targets``, ``tables`` and ``exclude`` are those of a ``Scan``. With ``receipt`` changes are written, and the
    receipt goes to that file; without it, the answer says what would be changed. ``vacuum`` lets SQLite and
    PostgreSQL give up the space in which old rows stood.
    """

    targets: Sequence[str]
    settings: Settings
    tables: Sequence[str] = ()
    exclude: Sequence[str] = ()
    receipt: Path | None = None
    vacuum: bool = False
    progress: Callable[[int], object] | None = None

    @property
    def write(self) -> bool:
        """Whether anything is changed."""
        return self.receipt is not None


def scrub(wanted: Scrub) -> Receipt:
    """Take out everything that a scan of the same targets finds; what was, or would be, taken out.

    Raises:
        ConfigurationError: a target that does not exist, or a receipt that does.
    """
    found = list(sources(wanted.targets, wanted.exclude))
    journal = Journal(wanted.receipt, wanted.settings.surface)
    judge = wanted.settings.judge()
    for one in found:
        if isinstance(one, NotRead):
            journal.keep([one])
        else:
            journal.keep(
                _file(one, judge, wanted, journal) if isinstance(one, File) else _database(one, judge, wanted, journal)
            )
        journal.receipt.sources += 1
        if wanted.progress is not None:
            wanted.progress(one.size if isinstance(one, File) else 0)
    journal.finish()
    return journal.receipt


def _file(file: File, judge: Judge, wanted: Scrub, journal: Journal) -> Iterator[NotRead]:
    kind = kind_of(file.path)
    if kind == "sqlite":
        yield from _sqlite_file(file, judge, wanted, journal)
        return
    notes = list(look_at_file(file, judge))
    findings = [note for note in notes if isinstance(note, Finding)]
    gaps = [note for note in notes if isinstance(note, NotRead)]
    yield from gaps
    if not findings:
        return
    try:
        members = _members(file, findings, gaps)
        if wanted.write:
            make = _maker(kind, file, members, judge)
            _rewrite.replace(file, notes, make, lambda path: list(look_at(path, judge)), journal)
        else:
            journal.done(Removal(file.name, None, None, counted(findings), digest_of(file.path), "", file.size, 0))
    except _rewrite.Kept as kept:
        yield kept.gap
    except OSError as error:
        yield NotRead(file.name, "read-only", f"cannot be written ({type(error).__name__})")


def _members(file: File, findings: list[Finding], gaps: list[NotRead]) -> frozenset[str]:
    """The members of an archive in which something was found; none for a file that is no archive.

    Raises:
        Kept: what was found stands in something that was not read as a whole.
    """
    found = frozenset(note.source for note in findings)
    if any(not gap.partly and gap.source in {file.name, *found} for gap in gaps):
        raise _rewrite.Kept(file.name, "not-whole", "was not read as a whole, so it is not changed")
    return found - {file.name}


def _maker(kind: str, file: File, members: frozenset[str], judge: Judge) -> Callable[[Path, Path], None]:
    if kind == "parquet":
        from reticent.scan._parquet_rewrite import rewrite_parquet

        return rewrite_parquet(file.name, judge)
    return rewrite_archive(file.name, members, judge) if members else _rewrite.rewrite_content(file.name, judge)


def _sqlite_file(file: File, judge: Judge, wanted: Scrub, journal: Journal) -> Iterator[NotRead]:
    try:
        with _sqlite.opened(file.path, write=wanted.write) as connection:
            store = _sqlite.SqliteTables(file.name, connection)
            before = len(journal.receipt.removals)
            for table in list(store.tables()):
                if isinstance(table, NotRead):
                    yield table
                else:
                    yield from TableScrub(store, table, judge, journal, write=wanted.write).run()
            if wanted.write and len(journal.receipt.removals) > before:
                store.settle(vacuum=wanted.vacuum)
    except sqlite3.Error as error:
        yield NotRead(file.name, "damaged", f"SQLite: {type(error).__name__}; what came before was changed")


def _database(database: Database, judge: Judge, wanted: Scrub, journal: Journal) -> Iterator[NotRead]:
    from reticent.scan._postgresql_change import scrub_database

    yield from scrub_database(database, judge, wanted, journal)
