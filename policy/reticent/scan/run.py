"""A whole scan: every source in order, several files at a time, resumable."""

from __future__ import annotations

import hashlib
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import TYPE_CHECKING, Final

from reticent.scan import state as states
from reticent.scan.findings import NotRead
from reticent.scan.look import look_at_file
from reticent.scan.sources import Database, File, sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from reticent.scan.findings import Note
    from reticent.scan.judge import Judge, Settings
    from reticent.scan.state import State

__all__ = ["Scan", "scan"]

_AHEAD: Final = 4
"""Files that each process may be ahead of the report, so that memory stays bounded."""


@dataclass(frozen=True, slots=True)
class Scan:
    """What to look through and how.

    ``targets`` are paths and ``postgresql://`` addresses; ``tables`` limits the latter to these (``schema.name``);
    ``exclude`` are patterns for paths or names of files. ``jobs`` processes look through files at the same time.
    ``state`` is a file that lets an interrupted scan go on.
    """

    targets: Sequence[str]
    settings: Settings
    tables: Sequence[str] = ()
    exclude: Sequence[str] = ()
    jobs: int = 1
    state: Path | None = None
    progress: Callable[[int], object] | None = field(default=None, compare=False)

    @property
    def fingerprint(self) -> str:
        """What the state of this scan must agree with: everything that decides what is found."""
        options = self.settings.options
        told = (sorted(options.withhold), options.on_strip, options.unknown_types, options.max_depth, options.max_bytes)
        words = self.settings.vocabulary
        return hashlib.sha256(repr((told, options.dialect, words, sorted(self.tables))).encode()).hexdigest()


def scan(wanted: Scan) -> Iterator[Note]:
    """Look through everything; findings and gaps, source by source in the order of ``sources``.

    With a state, what an earlier run told of sources that it finished is told again, from the state: the report of
    the run that comes to the end is the report of one that was never interrupted.

    Raises:
        ConfigurationError: a target that does not exist, or a state that is of another scan.
    """
    found = list(sources(wanted.targets, wanted.exclude))
    with ExitStack() as stack:
        state = None if wanted.state is None else stack.enter_context(states.opened(wanted.state, wanted.fingerprint))
        for one, notes in _looks(wanted, found, state, stack):
            yield from notes
            if wanted.progress is not None:
                wanted.progress(one.size if isinstance(one, File) else 0)
        if state is not None:
            state.finish()


_Source = File | Database | NotRead


def _looks(
    wanted: Scan, found: Sequence[_Source], state: State | None, stack: ExitStack
) -> Iterator[tuple[_Source, Iterable[Note]]]:
    files = _files(wanted, [one for one in found if isinstance(one, File)], state, stack)
    judge: Judge | None = None
    for one in found:
        if isinstance(one, File):
            yield one, next(files)
        elif isinstance(one, NotRead):
            yield one, [one]
        else:
            from reticent.scan._postgresql import look_at_database

            judge = judge or wanted.settings.judge()
            yield one, look_at_database(one, wanted.tables, judge, state)


def _files(wanted: Scan, files: Sequence[File], state: State | None, stack: ExitStack) -> Iterator[Iterable[Note]]:
    """What is told of each file, in order."""
    fresh = [file for file in files if state is None or state.done(file.name, file.stamp) is None]
    looks = iter(_fresh(wanted, fresh, state, stack))
    waiting = {file.name for file in fresh}
    for file in files:
        if file.name in waiting:
            yield next(looks)
        else:
            assert state is not None  # noqa: S101 - it said that the file is done
            yield state.done(file.name, file.stamp) or ()


def _look(file: File, judge: Judge, state: State | None) -> Iterator[Note]:
    """One file; with a state, from where an earlier run was, and kept in it."""
    if state is None:
        return look_at_file(file, judge)
    progress = states.FileProgress(state, file)
    return progress.notes(look_at_file(file, judge, progress))


def _fresh(wanted: Scan, files: Sequence[File], state: State | None, stack: ExitStack) -> Iterator[Iterable[Note]]:
    if wanted.jobs <= 1 or len(files) <= 1:
        judge = wanted.settings.judge() if files else None
        for file in files:
            assert judge is not None  # noqa: S101 - there is a file
            yield _look(file, judge, state)
        return
    # Workers are started afresh: a copy of a process with threads (a progress bar has one) can stand still for ever.
    kept = None if wanted.state is None else (wanted.state, wanted.fingerprint)
    pool = stack.enter_context(
        ProcessPoolExecutor(wanted.jobs, get_context("spawn"), initializer=_start, initargs=(wanted.settings, kept))
    )
    running: deque[Future[list[Note]]] = deque()
    for file in files:
        running.append(pool.submit(_work, file))
        if len(running) >= wanted.jobs * _AHEAD:
            yield running.popleft().result()
    while running:
        yield running.popleft().result()


@dataclass(frozen=True, slots=True)
class _Worker:
    """What a worker process holds: its judge, and which state it keeps its progress in."""

    judge: Judge
    state: tuple[Path, str] | None


_workers: list[_Worker] = []
"""The one of this process."""


def _start(settings: Settings, state: tuple[Path, str] | None) -> None:
    _workers[:] = [_Worker(settings.judge(), state)]


def _work(file: File) -> list[Note]:
    (worker,) = _workers
    if worker.state is None:
        return list(_look(file, worker.judge, None))
    with states.opened(*worker.state) as state:
        return list(_look(file, worker.judge, state))
