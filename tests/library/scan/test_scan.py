"""What a scan finds, where it says that it is, and what it says that it could not read."""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.library.scan.material import (
    ARCHIVED,
    ASKED,
    CLEAN,
    FLAT,
    MESSAGE,
    PACKED,
    SECRET,
    bodies,
    events,
    found,
    gaps,
    in_parquet,
    in_sqlite,
    lines,
    look,
    settings,
    sse,
)

from reticent.errors import ConfigurationError
from reticent.scan import Scan, scan

if TYPE_CHECKING:
    from collections.abc import Callable

MIXED = lines(CLEAN, MESSAGE, ASKED, FLAT, CLEAN)


def test_every_vector_is_found_as_a_file(tmp_path: Path) -> None:
    """A scan of files finds exactly the vectors out of which the filter takes something."""
    names = {}
    for at, body in enumerate(bodies()):
        path = tmp_path / f"{at:04}"
        path.write_bytes(body.data)
        names[str(path)] = body
    told = {note.source for note in found(look(tmp_path))}

    assert sorted(body.name for body in names.values() if body.holds) == sorted(names[name].name for name in told)


@pytest.mark.parametrize("pack", [*PACKED.values(), *ARCHIVED.values()], ids=[*PACKED, *ARCHIVED])
def test_packed_files_are_read(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """Compression and archives hide nothing, and lines and offsets are those of the content."""
    (tmp_path / "export").write_bytes(pack(MIXED))
    notes = look(tmp_path)

    second = len(lines(CLEAN))
    assert [] == gaps(notes)
    assert [
        (2, second + MIXED[second:].index(b'{"type": "thinking"'), "/content/0", "anthropic-messages/thinking"),
        (4, MIXED.index(b'"CANARY-9f1e27c4 hm"'), "/reasoning_content", "openai-chat/reasoning_content"),
    ] == [(note.where.line, note.where.offset, note.where.pointer, note.rule) for note in found(notes)]


def test_a_tag_cut_over_events_is_found(tmp_path: Path) -> None:
    """A tag that opens in one stored event and closes in another is found, in lines and in server-sent events."""
    stream = events("<th", "ink>", SECRET, "</think>", "Done.")
    (tmp_path / "a.jsonl").write_bytes(lines(CLEAN, *stream, CLEAN))
    (tmp_path / "b.sse").write_bytes(sse(stream))
    notes = look(tmp_path)

    assert [("inline-tag/think", 1), ("inline-tag/think", 1)] == [(note.rule, note.count) for note in found(notes)]
    assert [] == gaps(notes)


def test_neighbouring_events_are_one_finding(tmp_path: Path) -> None:
    """A stored stream of a hundred thinking deltas is told as a place with a count."""
    (tmp_path / "dump.sse").write_bytes(sse(events(*[SECRET] * 100, kind="thinking")))
    start, deltas = found(look(tmp_path))

    assert ("anthropic-messages/thinking", 1) == (start.rule, start.where.line)
    assert ("anthropic-messages/thinking_delta", 4) == (deltas.rule, deltas.where.line)
    assert 100 == deltas.count


@pytest.mark.parametrize("size", [10, 400_000])
def test_log_records_are_told_by_line(size: int, tmp_path: Path) -> None:
    """In a log, reasoning is told with the line on which its record begins, however much lies before it."""
    before = "2026-11-29 10:00:00 INFO request served\n" * (size // 40)
    block = f"2026-11-29 10:00:01 INFO turn: ThinkingBlock(thinking='{SECRET}', signature='c2ln', type='thinking')\n"
    tagged = f"2026-11-29 10:00:02 INFO answer\n<think>\n{SECRET}\n</think>\nDone.\n"
    (tmp_path / "app.log").write_text(before + block + before + tagged + before, encoding="utf-8")
    notes = look(tmp_path)
    first = before.count("\n") + 1

    assert [first, 2 * first] == [note.where.line for note in found(notes)]
    assert [] == gaps(notes)


def test_an_open_tag_ends_with_its_record(tmp_path: Path) -> None:
    """A tag that a log record leaves open does not swallow the records behind it."""
    log = f"2026-11-29 10:00:00 INFO\n<think>{SECRET}\n2026-11-29 10:00:01 INFO served\n" + "2026-11-29 x\n" * 50
    (tmp_path / "app.log").write_text(log, encoding="utf-8")
    (one,) = found(look(tmp_path))

    assert one.length < len(SECRET) + 20


def test_text_that_mentions_thinking_is_clean(tmp_path: Path) -> None:
    """What a person wrote, settings of a request, and prose about tags are no findings."""
    request = {"model": "m", "thinking": {"type": "enabled", "budget_tokens": 1}, "messages": [ASKED]}
    (tmp_path / "a.json").write_text(json.dumps(request), encoding="utf-8")
    (tmp_path / "b.md").write_text("The model writes `<think>` first.\n", encoding="utf-8")
    (tmp_path / "c.jsonl").write_bytes(lines(ASKED, request))

    assert [] == look(tmp_path)


def test_rows_of_sqlite(tmp_path: Path) -> None:
    """In SQLite each finding has table, column and key, and a row's role decides whose text it is."""
    path = tmp_path / "app.db"
    in_sqlite(path, [json.dumps(CLEAN), json.dumps(MESSAGE), sse(events(SECRET, kind="thinking")).decode()])
    notes = look(path)

    assert [] == gaps(notes)
    assert [
        ("bodies", "body", "rowid=2", "/content/0", "anthropic-messages/thinking"),
        ("bodies", "body", "rowid=3", None, "anthropic-messages/thinking"),
        ("bodies", "body", "rowid=3", None, "anthropic-messages/thinking_delta"),
    ] == [(note.where.table, note.where.column, note.where.key, note.where.pointer, note.rule) for note in found(notes)]


def test_every_vector_is_found_as_a_row(tmp_path: Path) -> None:
    """As a cell of SQLite or Parquet every vector is found, too, and no other is."""
    in_sqlite(tmp_path / "app.db", [body.data.decode() for body in bodies()])
    in_parquet(tmp_path / "rows.parquet", [body.data.decode() for body in bodies()])
    wanted = {at for at, body in enumerate(bodies()) if body.holds}
    notes = look(tmp_path)

    assert [] == gaps(notes)
    assert wanted == {int((note.where.key or "=").partition("=")[2]) - 1 for note in found(notes) if note.where.key}
    assert wanted == {
        100 * note.where.row_group + (note.where.row or 0) for note in found(notes) if note.where.row_group is not None
    }


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (PACKED["gzip"](MIXED)[:-12], "truncated"),
        (PACKED["gzip"](MIXED)[:40] + b"\xff" * 40, "damaged"),
        (PACKED["zstd"](MIXED)[:-9], "truncated"),
        (b"Salted__" + bytes(range(64)), "encrypted"),
        (b"-----BEGIN PGP MESSAGE-----\n\nhQEMA\n", "encrypted"),
        (b"\x89PNG\r\n\x1a\n" + bytes(64), "unknown-format"),
        (b"SQLite format 3\x00" + b"\xff" * 600, "damaged"),
        (b"PAR1" + b"\xff" * 600, "damaged"),
        ('{"role": "user"}'.encode("utf-16"), "unknown-encoding"),
        (PACKED["gzip"](PACKED["gzip"](PACKED["gzip"](MIXED))), "packed-too-deep"),
        (ARCHIVED["zip"](ARCHIVED["zip"](MIXED)), "packed-too-deep"),
        (json.dumps(MESSAGE).encode()[:80], "malformed-input"),
        (lines(CLEAN) + json.dumps(MESSAGE).encode()[:80], "malformed-input"),
        (b"[" * 500 + b"]" * 500, "input-too-deep"),
    ],
)
def test_what_cannot_be_read_is_told(content: bytes, code: str, tmp_path: Path) -> None:
    """Truncated, damaged, encrypted and unknown files are told as not read, and nothing is raised."""
    (tmp_path / "file").write_bytes(content)

    assert code in {gap.code for gap in gaps(look(tmp_path))}


def test_one_broken_line_hides_no_other(tmp_path: Path) -> None:
    """A line that is no JSON is judged as text, and those around it are read."""
    (tmp_path / "a.jsonl").write_bytes(lines(CLEAN) + b'{"thinking": "' + SECRET.encode() + b"\n" + lines(MESSAGE))
    notes = look(tmp_path)

    assert [2] == [gap.where.line for gap in gaps(notes)]
    assert {2, 3} == {note.where.line for note in found(notes)}


def test_enormous_lines_and_documents_are_told(tmp_path: Path) -> None:
    """What is longer than the limit is told as not read; the lines behind it are read."""
    long = json.dumps({"text": "think " * 50_000}).encode()
    (tmp_path / "a.jsonl").write_bytes(lines(CLEAN) + long + b"\n" + lines(MESSAGE))
    (tmp_path / "b.json").write_bytes(long)
    few = replace(settings(), options=replace(settings().options, max_bytes=100_000))
    notes = list(scan(Scan([str(tmp_path)], few)))

    assert {("input-too-large", "a.jsonl"), ("input-too-large", "b.json")} == {
        (gap.code, Path(gap.source).name) for gap in gaps(notes)
    }
    assert [3] == [note.where.line for note in found(notes)]


def test_unreadable_files_are_told(tmp_path: Path) -> None:
    """Pipes, links that lead nowhere, and encrypted members of archives are told."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a", b"x" * 50)
    data = bytearray((tmp_path / "a.zip").read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + at] |= 1
    (tmp_path / "a.zip").write_bytes(data)

    assert {"not-a-file", "unreadable", "encrypted"} == {gap.code for gap in gaps(look(tmp_path))}


def test_links_inside_are_read_once(tmp_path: Path) -> None:
    """A link to a file that is read anyway adds nothing; a second name of a file is read once."""
    (tmp_path / "a.jsonl").write_bytes(MIXED)
    (tmp_path / "current").symlink_to("a.jsonl")
    (tmp_path / "again").hardlink_to(tmp_path / "a.jsonl")

    assert 2 == len(look(tmp_path))


def test_a_missing_path_is_a_fault_of_usage(tmp_path: Path) -> None:
    """A path that does not exist and an address of another kind are refused before anything is read."""
    with pytest.raises(ConfigurationError, match="no such file"):
        look(tmp_path / "nowhere")
    with pytest.raises(ConfigurationError, match="postgresql://"):
        look("mysql://user:pass@host/db")


def test_nothing_told_is_text(tmp_path: Path) -> None:
    """No finding, gap or repr holds a word of what was found, nor a key that may be text."""
    odd = {"Dear customer, we think": MESSAGE}
    (tmp_path / "a.json").write_text(json.dumps(odd), encoding="utf-8")
    (tmp_path / "b.jsonl").write_bytes(MIXED + json.dumps(MESSAGE).encode()[:90])
    in_sqlite(tmp_path / "c.db", [json.dumps(MESSAGE)])
    notes = look(tmp_path)
    told = "".join(f"{note}{note!r}{json.dumps(note.to_dict())}" for note in notes)

    assert "/*/content/0" in told
    assert "CANARY" not in told
    assert "customer" not in told
    assert "Your refund" not in told
