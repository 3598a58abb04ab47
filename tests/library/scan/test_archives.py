"""Archives lose the reasoning in their members, and keep members, order, times and rights."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.scan.material import ASKED, CLEAN, KEPT, LEFT, MESSAGE, SECRET, gaps, lines, look, remove

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(64)
MEMBERS = {
    "z/first.jsonl": KEPT + lines(MESSAGE) + KEPT,
    "picture.png": PICTURE,
    "a/packed.jsonl.gz": gzip.compress(lines(ASKED, MESSAGE), mtime=7),
    "clean.jsonl": lines(CLEAN),
    "ünïcode.json": json.dumps(MESSAGE).encode(),
}
WANTED = {
    **MEMBERS,
    "z/first.jsonl": KEPT + LEFT + KEPT,
    "a/packed.jsonl.gz": lines(ASKED) + LEFT,
    "ünïcode.json": LEFT.strip(),
}
WHEN = 1_700_000_000


def zipped() -> bytes:
    """A ZIP archive with a comment, a folder, and members that are packed in several ways."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.comment = b"backlog"
        archive.mkdir("z")
        for at, (name, data) in enumerate(MEMBERS.items()):
            info = zipfile.ZipInfo(name, (2024, 2, 3, 4, 5, 2 * at))
            info.compress_type = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)[at % 4]
            info.external_attr = (0o100600 + at) << 16
            info.comment = name.encode()
            archive.writestr(info, data)
    return out.getvalue()


def tarred(form: int) -> bytes:
    """A tar archive with a folder, links, owners, and a name that is longer than its field."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:", format=form) as archive:
        for at, (name, data) in enumerate(MEMBERS.items()):
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.mode, info.uname, info.uid = len(data), WHEN + at, 0o600 + at, "somebody", 77
            archive.addfile(info, io.BytesIO(data))
        for name, kind, target in (
            ("folder", tarfile.DIRTYPE, ""),
            ("n" * 150, tarfile.SYMTYPE, "t" * 120),
            ("hard", tarfile.LNKTYPE, "clean.jsonl"),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.mtime = kind, target, WHEN
            archive.addfile(info)
    return out.getvalue()


def in_zip(data: bytes) -> tuple[list[Any], dict[str, bytes]]:
    """What tells the members of a ZIP archive, in order, and their content."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        told = [
            (info.filename, info.date_time, info.compress_type, info.external_attr, info.comment, info.create_system)
            for info in archive.infolist()
        ]
        return [archive.comment, *told], {name: archive.read(name) for name in archive.namelist() if name[-1] != "/"}


def in_tar(data: bytes) -> tuple[list[Any], dict[str, bytes]]:
    """As ``in_zip``, of a tar archive."""
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:*") as archive:
        told: list[Any] = []
        found: dict[str, bytes] = {}
        for info in archive:
            told.append((info.name, info.type, info.mtime, info.mode, info.uname, info.uid, info.linkname))
            content = archive.extractfile(info) if info.isreg() else None
            if content is not None:
                found[info.name] = content.read()
        return told, found


@pytest.mark.parametrize(
    ("data", "members"),
    [
        (zipped(), in_zip),
        (tarred(tarfile.PAX_FORMAT), in_tar),
        (tarred(tarfile.GNU_FORMAT), in_tar),
        (gzip.compress(tarred(tarfile.PAX_FORMAT), mtime=0), in_tar),
    ],
    ids=["zip", "tar", "gnu", "tar.gz"],
)
def test_everything_else_stays(
    data: bytes, members: Callable[[bytes], tuple[list[Any], dict[str, bytes]]], tmp_path: Path
) -> None:
    """Members keep their order, names, times, rights and packing; a member that cannot be read stays, and is told."""
    path = tmp_path / "archive"
    path.write_bytes(data)
    told, _ = members(data)
    planned = remove(path)
    assert data == path.read_bytes()
    receipt = remove(path, receipt=tmp_path / "receipt.json")
    after, contents = members(path.read_bytes())
    contents["a/packed.jsonl.gz"] = gzip.decompress(contents["a/packed.jsonl.gz"])

    assert told == after
    assert WANTED == contents
    assert data[:2] == path.read_bytes()[:2]
    assert planned.rules == receipt.rules
    assert 3 == receipt.rules["anthropic-messages/thinking"]["count"]
    assert [(f"{path}!picture.png", "unknown-format")] == [(gap.source, gap.code) for gap in receipt.kept]
    assert ["unknown-format"] == [gap.code for gap in gaps(look(path))]
    assert 1 == len(look(path))
    assert ["archive", "receipt.json"] == sorted(path.name for path in tmp_path.iterdir())
    assert SECRET not in (tmp_path / "receipt.json").read_text(encoding="utf-8")


def _encrypted() -> bytes:
    data = bytearray(zipped())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark, data.index(mark) + 1) + at] |= 1
    return bytes(data)


def _cut_inside() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.jsonl.gz", gzip.compress(lines(MESSAGE) * 900, mtime=0)[:-20])
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (_encrypted(), "encrypted"),
        (_cut_inside(), "not-whole"),
        (gzip.compress(tarred(tarfile.PAX_FORMAT), mtime=0)[:-30], "not-whole"),
    ],
    ids=["encrypted", "member", "archive"],
)
def test_what_cannot_be_written_again_stays(data: bytes, code: str, tmp_path: Path) -> None:
    """An archive that cannot be copied, or whose reasoning stands in what was not read as a whole, is left and told."""
    path = tmp_path / "archive"
    path.write_bytes(data)
    receipt = remove(path, receipt=tmp_path / "receipt.json")

    assert code in {gap.code for gap in receipt.kept}
    assert data == path.read_bytes()
    assert [] == receipt.removals
