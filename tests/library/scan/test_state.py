"""A scan that is killed at any point goes on, and tells what one that was never killed tells."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import warnings
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg.types.json import Jsonb
from tests.library.scan.material import (
    ASKED,
    CLEAN,
    FLAT,
    MESSAGE,
    bodies,
    found,
    gaps,
    in_parquet,
    in_sqlite,
    lines,
    look,
    settings,
)

from reticent.errors import ConfigurationError
from reticent.scan.state import State

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reticent.scan import Note


def killed(at: int, state: Path, *targets: Path | str) -> bool:
    """Run a scan that is killed before its ``at``-th write of the state, or behind it; whether it was."""
    counter = itertools.count(1)

    def mortal(work: Callable[..., None]) -> Callable[..., None]:
        def done(self: State, *args: Any, **options: Any) -> None:
            number = next(counter)
            if number == at:
                os.kill(os.getpid(), signal.SIGKILL)
            work(self, *args, **options)
            if number == -at:
                os.kill(os.getpid(), signal.SIGKILL)

        return done

    settings()  # what is ready before a process divides need not be made again
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads that stand still are no harm to a child that dies
        child = os.fork()
    if child == 0:
        State.save, State.begin = mortal(State.save), mortal(State.begin)  # type: ignore[method-assign]
        try:
            look(*targets, state=state)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def fill(folder: Path) -> None:
    """Several files of several kinds."""
    (folder / "a.jsonl").write_bytes(lines(CLEAN, MESSAGE, ASKED, FLAT))
    (folder / "b.json.cut").write_bytes(lines(MESSAGE)[:90])
    in_sqlite(folder / "c.db", [body.data.decode() for body in bodies()[:20]])
    in_parquet(folder / "d.parquet", [body.data.decode() for body in bodies()[:20]])


@pytest.mark.parametrize("at", [1, -1, 2, -2, 4, -4, 6, -7, 8])
def test_a_killed_scan_of_files_goes_on(at: int, tmp_path: Path) -> None:
    """Killed before or after any write of its state, a scan ends with the report of an uninterrupted one."""
    files = tmp_path / "files"
    files.mkdir()
    fill(files)
    state = tmp_path / "state"
    wanted = look(files)

    assert killed(at, state, files)
    assert wanted == look(files, state=state)
    assert wanted == look(files, state=state)


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    """Unchanged files are taken from the state, others are read again, and those that are gone are not told."""
    files = tmp_path / "files"
    files.mkdir()
    fill(files)
    state = tmp_path / "state"
    look(files, state=state)
    (files / "a.jsonl").write_bytes(lines(CLEAN))
    (files / "d.parquet").unlink()

    assert look(files) == look(files, state=state)


def test_a_state_of_another_scan_is_refused(tmp_path: Path) -> None:
    """A state of a scan that looks for something else, and a file that is no state, are refused."""
    (tmp_path / "a.jsonl").write_bytes(lines(CLEAN))
    look(tmp_path / "a.jsonl", state=tmp_path / "state")
    (tmp_path / "text").write_text("no state " * 200, encoding="utf-8")

    with pytest.raises(ConfigurationError, match="looks for something else"):
        look(tmp_path / "a.jsonl", state=tmp_path / "state", tables=["public.other"])
    with pytest.raises(ConfigurationError, match="cannot be used"):
        look(tmp_path / "a.jsonl", state=tmp_path / "text")


def test_several_processes_tell_the_same(tmp_path: Path) -> None:
    """Two processes tell what one tells, in the same order."""
    fill(tmp_path)
    shutil.copy(tmp_path / "a.jsonl", tmp_path / "e.jsonl")

    assert look(tmp_path) == look(tmp_path, jobs=2)


@pytest.mark.parametrize("at", [2, -2, 3, -4, 6])
def test_a_killed_scan_of_tables_goes_on(at: int, postgres_database: str, tmp_path: Path) -> None:
    """Killed between batches of a table, a scan goes on behind the last batch and tells no row twice."""
    with psycopg.connect(postgres_database) as connection:
        connection.execute("CREATE TABLE turns (a int, b text, body jsonb, PRIMARY KEY (a, b))")
        with connection.cursor().copy("COPY turns FROM STDIN") as copy:
            for number in range(1600):
                content = MESSAGE if number % 97 == 0 else CLEAN
                copy.write_row((number // 3, f"k{number:04}", Jsonb(content)))
    state = tmp_path / "state"
    wanted: list[Note] = look(postgres_database)

    assert 17 == len(found(wanted))
    assert [] == gaps(wanted)
    assert killed(at, state, postgres_database)
    assert wanted == look(postgres_database, state=state)
