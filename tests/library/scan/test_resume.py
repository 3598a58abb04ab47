"""A look that was interrupted inside of a file goes on there, and loses and doubles nothing."""

from __future__ import annotations

import gzip
import json
import sqlite3
from functools import cache
from typing import TYPE_CHECKING, Any

import msgpack
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from tests.library.scan.material import (
    ASKED,
    CLEAN,
    FLAT,
    MESSAGE,
    SECRET,
    VISIBLE,
    events,
    found,
    in_parquet,
    lines,
    look,
    settings,
)

from reticent.scan import _input, _resume, _sqlite
from reticent.scan import look as looks
from reticent.scan.findings import NotRead
from reticent.scan.judge import Judge, Judged
from reticent.scan.look import look_at_file
from reticent.scan.sources import File, sources
from reticent.scan.state import FileProgress, State, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from reticent.scan import Note

LOG = b"2026-11-30 10:00:00 INFO served\n"
LINES = {
    "clean": lines(CLEAN),
    "message": lines(MESSAGE),
    "flat": lines(FLAT, ASKED),
    "events": lines(*events("<th", "ink>", SECRET, "</think>", "Done."), *[CLEAN] * 70),
    "broken": lines(MESSAGE)[:90] + b"\n",
    "empty": b"\r\n\n",
    "long": lines({**CLEAN, "pad": "thinking " * 900}),
}
RECORDS = {
    "plain": LOG * 12,
    "block": b"2026-11-30 10:00:01 INFO ThinkingBlock(thinking='%s', signature='c2ln')\n" % SECRET.encode(),
    "open": b"2026-11-30 10:00:02 INFO\n<think>\n%s\n" % SECRET.encode(),
    "several": b"2026-11-30 10:00:03 INFO\n" + b"   at line\n" * 400,
}
OBJECTS = {name: msgpack.packb(value) for name, value in (("clean", CLEAN), ("message", MESSAGE), ("flat", FLAT))}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have marks every few kilobytes and rows, in files that fit into a test."""
    monkeypatch.setattr(_resume, "EVERY", 3000)
    monkeypatch.setattr(_input, "PIECE", 1700)
    monkeypatch.setattr(_sqlite, "_BATCH", 20)
    monkeypatch.setattr(looks, "_MARKED", 20)


@cache
def judge() -> Judge:
    """One judge for all looks, as a process has one."""
    return settings().judge()


class Interrupted(Exception):
    """What stands for the end of the process."""


def begun(path: Path, state: Path, at: int) -> bool:
    """A look at ``path`` that ends at its ``at``-th write of the state, before it or behind it; whether it did so."""
    (file,) = sources([str(path)])
    assert isinstance(file, File)
    saves = 0

    class Mortal(State):
        def save(self, *args: Any, **options: Any) -> None:
            nonlocal saves
            saves += 1
            if saves == abs(at) and at > 0:
                raise Interrupted
            super().save(*args, **options)
            if saves == abs(at):
                raise Interrupted

    with sqlite3.connect(state) as connection, opened(state, FINGERPRINT) as _:
        progress = FileProgress(Mortal(connection), file)
        try:
            list(progress.notes(look_at_file(file, judge(), progress)))
        except Interrupted:
            return True
    return False


FINGERPRINT = "of a test"


def ended(path: Path, state: Path) -> list[Note]:
    """A look at ``path`` that goes on to the end."""
    (file,) = sources([str(path)])
    assert isinstance(file, File)
    with opened(state, FINGERPRINT) as kept:
        progress = FileProgress(kept, file)
        return list(progress.notes(look_at_file(file, judge(), progress)))


def interruptions(path: Path, folder: Path, points: list[int]) -> Iterator[int]:
    """Interrupt at each of ``points`` in turn, and say each place that was kept."""
    for point in points:
        begun(path, folder / "state", point)
        with sqlite3.connect(folder / "state") as connection:
            yield from (
                json.loads(row[0]).get("at", 1) for row in connection.execute("SELECT place FROM source") if row[0]
            )


def content(pieces: dict[str, bytes], names: list[str]) -> bytes:
    """Pieces over and over again, until the file is longer than what tells its kind."""
    once = b"".join(pieces[name] for name in names)
    return once * (24_000 // len(once) + 1)


POINTS = st.lists(st.integers(-6, 6).filter(bool), min_size=1, max_size=3)
KINDS = st.one_of(
    st.tuples(
        st.just(LINES), st.lists(st.sampled_from(sorted(LINES)), min_size=2, max_size=6).map(lambda x: ["clean", *x])
    ),
    st.tuples(
        st.just(RECORDS),
        st.lists(st.sampled_from(sorted(RECORDS)), min_size=2, max_size=6).map(lambda x: ["plain", *x]),
    ),
    st.tuples(st.just(OBJECTS), st.lists(st.sampled_from(sorted(OBJECTS)), min_size=1, max_size=3)),
)


@examples(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=KINDS, points=POINTS, is_packed=st.booleans())
def test_interrupted_is_uninterrupted(
    made: tuple[dict[str, bytes], list[str]],
    points: list[int],
    is_packed: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Lines, logs and objects, packed or not: interrupted anywhere, a look tells what an uninterrupted one tells."""
    folder = tmp_path_factory.mktemp("resume")
    path, data = folder / "file", content(*made)
    path.write_bytes(gzip.compress(data, 1) if is_packed else data)
    (file,) = sources([str(path)])
    assert isinstance(file, File)
    wanted = list(look_at_file(file, judge()))
    for _ in interruptions(path, folder, points):
        pass

    assert wanted == ended(path, folder / "state")


def _database(path: Path) -> None:
    bodies = [json.dumps(MESSAGE if at % 7 == 0 else CLEAN) if at % 31 else b"\x89\xff\x00" for at in range(300)]
    with sqlite3.connect(path) as connection:
        for name in ("a", "b"):
            connection.execute(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, body)")
            connection.executemany(f"INSERT INTO {name} (body) VALUES (?)", [(body,) for body in bodies])  # noqa: S608
    connection.close()


def _table(path: Path) -> None:
    in_parquet(path, [json.dumps(MESSAGE if at % 7 == 0 else CLEAN) for at in range(300)], group=20)


@pytest.mark.parametrize("make", [_database, _table], ids=["sqlite", "parquet"])
@pytest.mark.parametrize("points", [[1], [-1], [3, -4], [-9, 2], [-15]], ids=str)
def test_tables_go_on_by_row(make: Callable[[Path], None], points: list[int], tmp_path: Path) -> None:
    """In SQLite and Parquet files a look goes on behind the last batch of rows, and counts unread cells once."""
    path = tmp_path / "file"
    make(path)
    wanted = look(path)
    for _ in interruptions(path, tmp_path, points):
        pass

    assert 40 < len(found(wanted))
    assert wanted == ended(path, tmp_path / "state")


@pytest.mark.parametrize(
    "data",
    [content(LINES, ["clean", "flat"]), content(RECORDS, [*RECORDS]), content(OBJECTS, [*OBJECTS])],
    ids=["lines", "log", "objects"],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_marks_are_made(data: bytes, pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """Every kind of content that can be begun in its middle is marked, packed or not."""
    (tmp_path / "file").write_bytes(pack(data))

    assert 3000 <= max(interruptions(tmp_path / "file", tmp_path, [-1]))


def test_it_goes_on_and_does_not_begin_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a mark nothing in front of it is judged again."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(MESSAGE) * 400)
    places = [*interruptions(path, tmp_path, [-8])]
    judged = 0
    document = Judge.document

    def counted(self: Judge, data: bytes) -> Judged:
        nonlocal judged
        judged += 1
        return document(self, data)

    monkeypatch.setattr(Judge, "document", counted)
    notes = ended(path, tmp_path / "state")

    assert 400 == len(notes)
    assert [400 - judged] == [place // len(lines(MESSAGE)) for place in places]


def test_a_place_of_another_content_is_not_taken(tmp_path: Path) -> None:
    """A file that looks unchanged and has other bytes at the mark is read from its beginning."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(MESSAGE) * 400)
    (file,) = sources([str(path)])
    assert [*interruptions(path, tmp_path, [-8])]
    with path.open("r+b") as raw:
        raw.write(lines(MESSAGE).replace(VISIBLE.encode(), VISIBLE.upper().encode()) * 400)
    with sqlite3.connect(tmp_path / "state") as connection:
        (again,) = sources([str(path)])
        assert isinstance(file, File)
        assert isinstance(again, File)
        connection.execute("UPDATE source SET stamp = ?", (again.stamp,))
    notes = ended(path, tmp_path / "state")

    assert look(path) == notes
    assert not any(isinstance(note, NotRead) for note in notes)


def test_several_processes_keep_one_state(tmp_path: Path) -> None:
    """Two processes that look through files at a time keep their progress in one state."""
    folder = tmp_path / "files"
    folder.mkdir()
    for name in "abcd":
        (folder / name).write_bytes(lines(CLEAN, MESSAGE, FLAT) * 50)
    wanted = look(folder)

    assert wanted == look(folder, jobs=2, state=tmp_path / "state")
    assert wanted == look(folder, state=tmp_path / "state")
