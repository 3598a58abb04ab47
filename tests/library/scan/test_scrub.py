"""What a scrub takes out, that it takes out nothing else, and what it leaves when it is killed."""

from __future__ import annotations

import gzip
import hashlib
import itertools
import json
import os
import signal
import warnings
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.scan.material import (
    ASKED,
    CLEAN,
    FLAT,
    KEPT,
    LEFT,
    MESSAGE,
    PACKED,
    SECRET,
    SIGNATURE,
    VISIBLE,
    bodies,
    events,
    in_sqlite,
    lines,
    look,
    remove,
    settings,
    sse,
)

from reticent.errors import ConfigurationError
from reticent.scan._open import packing, unpacked

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def content(path: Path) -> bytes:
    """What is inside a file, unpacked."""
    with path.open("rb") as raw:
        name = packing(raw.read(16))
        raw.seek(0)
        return raw.read() if name is None else unpacked(name, raw).read()


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED)
def test_everything_else_is_byte_identical(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """A file loses its carriers and keeps every other byte, its packing and its rights."""
    path = tmp_path / "export"
    path.write_bytes(pack(KEPT + lines(MESSAGE) + KEPT + lines(ASKED)))
    path.chmod(0o640)
    before = path.read_bytes()
    planned = remove(path)

    assert before == path.read_bytes()
    assert not planned.written
    receipt = remove(path, receipt=tmp_path / "receipt.json")
    assert KEPT + LEFT + KEPT + lines(ASKED) == content(path)
    assert packing(before) == packing(path.read_bytes())
    assert 0o640 == path.stat().st_mode & 0o777
    assert planned.rules == receipt.rules
    assert [] == look(path)
    assert ["export", "receipt.json"] == sorted(path.name for path in tmp_path.iterdir())


def test_every_vector_is_clean_afterwards(tmp_path: Path) -> None:
    """After a scrub no vector holds a finding, and those that held none are untouched."""
    folder = tmp_path / "files"
    folder.mkdir()
    kept: dict[Path, bytes] = {}
    for at, body in enumerate(bodies()[::2]):
        path = folder / f"{at:04}"
        path.write_bytes(body.data)
        if not body.holds:
            kept[path] = body.data
    receipt = remove(folder, receipt=tmp_path / "receipt.json")

    assert [] == receipt.kept
    assert [] == look(folder)
    assert kept == {path: path.read_bytes() for path in kept}


def test_untouched_streams_in_a_file_stay_as_they_are(tmp_path: Path) -> None:
    """In lines of events, a stream without reasoning keeps its bytes when another one loses some."""
    plain = lines(*events("a <", "b", "see [", "1]"))
    path = tmp_path / "a.jsonl"
    path.write_bytes(plain + lines(*[CLEAN] * 70) + lines(*events(SECRET, kind="thinking")) + lines(CLEAN))
    remove(path, receipt=tmp_path / "receipt.json")

    assert plain + lines(*[CLEAN] * 71) == path.read_bytes()


def test_the_receipt(tmp_path: Path) -> None:
    """The receipt has digests of the whole file before and after, counts by rule, and no text."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(MESSAGE, FLAT))
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    remove(path, receipt=tmp_path / "receipt.json")
    text = (tmp_path / "receipt.json").read_text(encoding="utf-8")
    told = json.loads(text)
    (removal,) = told["removals"]

    assert (before, hashlib.sha256(path.read_bytes()).hexdigest()) == (removal["before"], removal["after"])
    assert {"anthropic-messages/thinking", "openai-chat/reasoning_content"} == set(told["rules"])
    assert told["written"]
    for word in (SECRET, SIGNATURE, VISIBLE, "third refund"):
        assert word not in text


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (gzip.compress(lines(MESSAGE) * 900)[:-20], "not-whole"),
        (sse(events(SECRET, kind="thinking")) + b'data: {"a": nonsense, nothing else}\n\n', "not-whole"),
    ],
)
def test_what_cannot_be_written_again_stays(data: bytes, code: str, tmp_path: Path) -> None:
    """Files that were not read as a whole are left as they are, and told."""
    path = tmp_path / "file"
    path.write_bytes(data)
    receipt = remove(path, receipt=tmp_path / "receipt.json")

    assert code in {gap.code for gap in receipt.kept}
    assert data == path.read_bytes()


def test_other_names_of_a_file_are_not_forgotten(tmp_path: Path) -> None:
    """A file with a second name stays, since that one would keep the old content."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(MESSAGE))
    (tmp_path / "b.jsonl").hardlink_to(path)

    assert ["hard-linked"] == [gap.code for gap in remove(path, receipt=tmp_path / "receipt.json").kept]
    assert lines(MESSAGE) == path.read_bytes()


def test_a_receipt_is_written_once(tmp_path: Path) -> None:
    """A receipt that exists is never overwritten."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(MESSAGE))
    remove(path, receipt=tmp_path / "receipt.json")

    with pytest.raises(ConfigurationError, match="written once"):
        remove(path, receipt=tmp_path / "receipt.json")


@pytest.mark.parametrize("at", range(1, 17))
def test_a_killed_scrub_goes_on(at: int, tmp_path: Path) -> None:
    """Killed at any step, a scrub leaves whole files, and the next run's receipt names all that ever went."""
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / name).write_bytes(lines(MESSAGE, ASKED))
    in_sqlite(folder / "c", [json.dumps(MESSAGE)] * 3)
    receipt = tmp_path / "receipt.json"
    whole = remove(folder)
    _die(at, lambda: remove(folder, receipt=receipt))

    for name in ("a", "b"):
        assert (folder / name).read_bytes() in (lines(MESSAGE, ASKED), LEFT + lines(ASKED))
    if not receipt.exists():
        remove(folder, receipt=receipt)
    assert [] == look(folder, exclude=[".reticent-*"])
    told = json.loads(receipt.read_text(encoding="utf-8"))
    assert whole.rules == told["rules"]
    assert 3 == len(told["removals"])


def _die(at: int, work: Callable[[], object]) -> None:
    """Do ``work`` in a child that is killed before its ``at``-th step: a sync, or a file put in place."""
    counter = itertools.count(1)
    sync, replace = os.fsync, os.replace

    def mortal(step: Callable[..., Any]) -> Callable[..., Any]:
        def done(*args: Any, **options: Any) -> Any:
            if next(counter) == at:
                os.kill(os.getpid(), signal.SIGKILL)
            return step(*args, **options)

        return done

    settings()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads that stand still are no harm to a child that dies
        child = os.fork()
    if child == 0:
        os.fsync, os.replace = mortal(sync), mortal(replace)
        try:
            work()
        finally:
            os._exit(0)
    assert -signal.SIGKILL == os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_lines_that_are_rows(tmp_path: Path) -> None:
    """A stream or raw text in a member of a line is found and taken out; what is around it keeps its spelling."""
    stream = sse(events("<th", "ink>", SECRET, "</think>", "Done.")).decode()
    raw = f"<|channel|>analysis<|message|>{SECRET}<|end|><|channel|>final<|message|>{VISIBLE}"
    path = tmp_path / "export.jsonl"
    path.write_bytes(b'{"id" : 1.50, "b\\u00f6dy": %s}\n' % json.dumps(stream).encode() + lines({"raw": raw}))
    remove(path, receipt=tmp_path / "receipt.json")
    first, second = path.read_bytes().splitlines()

    assert first.startswith(b'{"id" : 1.50, "b\\u00f6dy": "event: content_block_start\\n')
    assert SECRET.encode() not in path.read_bytes()
    assert VISIBLE.encode() in second
    assert [] == look(path)
