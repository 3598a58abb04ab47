"""Files without their reasoning: written beside the old one, looked at again, and put in its place in one step.

Until that step the old file is untouched, and after it the new one is complete; a process that is killed leaves the
one or the other, and at most a file ``.reticent-*`` beside it that nothing reads.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from reticent.scan import _content, _open
from reticent.scan._input import Input
from reticent.scan.findings import Finding, NotRead
from reticent.scan.receipt import Removal, counted, digest_of
from reticent.scan.sources import stamp_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from reticent.scan.judge import Judge
    from reticent.scan.receipt import Journal
    from reticent.scan.sources import File

PREFIX: Final = ".reticent-"
_GZIP_LEVEL: Final = 6


class Kept(Exception):
    """A file that stays as it is; ``gap`` says why."""

    def __init__(self, source: str, code: str, message: str) -> None:
        """Say why ``source`` stays."""
        super().__init__(code)
        self.gap = NotRead(source, code, message)


def replace(
    file: File,
    notes: list[Finding | NotRead],
    make: Callable[[Path, Path], None],
    look: Callable[[Path], list[Finding | NotRead]],
    journal: Journal,
) -> None:
    """Put in place of ``file`` what ``make(old, new)`` makes of it, provided that ``look`` finds nothing in that.

    ``notes`` are what was told of it. Members of archives that could not be read may be as they were.

    Raises:
        Kept: the file has other names, changed meanwhile, cannot be replaced, or would still hold reasoning.
    """
    path = file.path.resolve()
    findings = [note for note in notes if isinstance(note, Finding)]
    _check(file, path)
    handle, name = tempfile.mkstemp(prefix=PREFIX, dir=path.parent)
    os.close(handle)
    new = Path(name)
    try:
        make(path, new)
        _check_made(file, new, notes, look)
        _settle(path, new)
        if stamp_of(path.stat()) != file.stamp:
            raise Kept(file.name, "changed", "changed while it was read; nothing was written")
        removal = Removal(
            file.name, None, None, counted(findings), digest_of(path), digest_of(new), file.size, new.stat().st_size
        )
        journal.intend(removal)
        new.replace(path)
        _sync_folder(path.parent)
        journal.done(removal)
    finally:
        new.unlink(missing_ok=True)


def rewrite_content(source: str, judge: Judge) -> Callable[[Path, Path], None]:
    """What writes a file of text again, packed as it was, with every byte that is not reasoning."""

    def make(old: Path, new: Path) -> None:
        with old.open("rb") as raw, new.open("wb") as out, ExitStack() as stack:
            inner, target = through(raw, cast("BinaryIO", out), stack)
            for _ in _content.notes(source, Input(inner), judge, target.write):
                pass  # they were told before; what is left is looked at once more when it is written

    return make


def through(raw: BinaryIO, out: BinaryIO, stack: ExitStack) -> tuple[BinaryIO, BinaryIO]:
    """The content inside every packing of ``raw``, and what packs it the same way into ``out``."""
    while (name := _open.packing(_head(raw))) is not None:
        level = _head(raw)[3:4]
        raw = stack.enter_context(_open.unpacked(name, raw))
        out = stack.enter_context(_packer(name, raw, out, level))
    return raw, out


def _packer(name: str, unpacked: Any, out: BinaryIO, level: bytes) -> Any:
    if name == "gzip":
        unpacked.peek(1)  # reads the header, and with it the time that stands there
        return gzip.GzipFile("", "wb", _GZIP_LEVEL, out, mtime=unpacked.mtime or 0)
    if name == "bzip2":
        return bz2.BZ2File(out, "wb", compresslevel=int(level) if level.isdigit() and level != b"0" else 9)
    return lzma.LZMAFile(out, "wb") if name == "xz" else _open.zstd().open(out, "wb")


def _head(raw: Any) -> bytes:
    head: bytes = raw.read(16)
    raw.seek(0)
    return head


def _check(file: File, path: Path) -> None:
    if path.stat().st_nlink > 1:
        raise Kept(file.name, "hard-linked", "has other names, which would keep the old content; remove them first")
    if not os.access(path.parent, os.W_OK) or not os.access(path, os.W_OK):
        raise Kept(file.name, "read-only", "may not be written")


def _check_made(
    file: File, new: Path, notes: list[Finding | NotRead], look: Callable[[Path], list[Finding | NotRead]]
) -> None:
    """Refuse a file in which a second look finds anything, or cannot read what the first one could."""
    known = {(_member(note.source, file.name), note.code) for note in notes if isinstance(note, NotRead)}
    left = [
        note
        for note in look(new)
        if isinstance(note, Finding)
        or not (note.partly or ((member := _member(note.source, str(new))) and (member, note.code) in known))
    ]
    if left:
        raise Kept(file.name, "not-clean", f"{len(left)} findings or gaps would be left; nothing was written")


def _member(source: str, name: str) -> str:
    """The member of the archive ``name`` that a source is; nothing for the archive itself."""
    return source.removeprefix(name)


def _settle(old: Path, new: Path) -> None:
    """Give ``new`` the rights, the owner and the attributes of ``old``, and see it to the disk."""
    found = old.stat()
    shutil.copymode(old, new)
    if found.st_uid != os.geteuid() or found.st_gid != os.getegid():
        os.chown(new, found.st_uid, found.st_gid)
    for name in getattr(os, "listxattr", lambda _path: [])(old):
        with suppress(OSError):  # one that only the system may set
            os.setxattr(new, name, os.getxattr(old, name))
    with new.open("rb") as file:
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
