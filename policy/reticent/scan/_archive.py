"""Archives without the reasoning in their members: order, names, times, rights and comments stay.

A member in which nothing was found is copied as it is, also one that could not be read. ZIP members are packed anew,
because the standard library copies none that are packed.
"""

from __future__ import annotations

import copy
import shutil
import tarfile
import tempfile
import zipfile
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, BinaryIO, Final, cast

from reticent.scan import _content, _open
from reticent.scan._input import Input
from reticent.scan._rewrite import Kept, through

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reticent.scan.judge import Judge

_GNU: Final = b"ustar  \x00"


def rewrite_archive(source: str, members: frozenset[str], judge: Judge) -> Callable[[Path, Path], None]:
    """What writes an archive again, its ``members`` without reasoning."""

    def make(old: Path, new: Path) -> None:
        with old.open("rb") as raw, new.open("wb") as out, ExitStack() as stack:
            inner, target = through(raw, cast("BinaryIO", out), stack)
            rewriting = _Rewriting(source, members, judge, new.parent)
            head = inner.read(512)
            inner.seek(0)
            try:
                if _open.is_zip(head):
                    rewriting.zip(inner, target)
                else:
                    rewriting.tar(inner, target, is_gnu=head[_open.TAR_AT :].startswith(_GNU))
            except (*_open.BROKEN, RuntimeError, ValueError) as error:
                message = f"a member cannot be written again ({type(error).__name__})"
                raise Kept(source, "not-writable", message) from None

    return make


class _Rewriting:
    """One archive that is written again."""

    def __init__(self, source: str, members: frozenset[str], judge: Judge, folder: Path) -> None:
        self._source = source
        self._members = members
        self._judge = judge
        self._folder = folder

    def zip(self, raw: BinaryIO, out: BinaryIO) -> None:
        with zipfile.ZipFile(raw) as old, zipfile.ZipFile(out, "w") as new:
            new.comment = old.comment
            for info in old.infolist():
                if _open.is_encrypted(info):
                    raise Kept(self._source, "encrypted", "a member is encrypted (ZIP), and cannot be copied")
                with old.open(info) as content, self._without(info.filename, content) as left:
                    wide = info.file_size >= zipfile.ZIP64_LIMIT
                    with new.open(_entry(info), "w", force_zip64=wide) as target:
                        shutil.copyfileobj(left, target)

    def tar(self, raw: BinaryIO, out: BinaryIO, *, is_gnu: bool) -> None:
        form = tarfile.GNU_FORMAT if is_gnu else tarfile.PAX_FORMAT
        with (
            tarfile.open(fileobj=raw, mode="r:") as old,
            tarfile.open(fileobj=out, mode="w:", format=form, pax_headers=old.pax_headers) as new,
        ):
            for info in old:
                content = old.extractfile(info) if info.isreg() else None
                if content is None:
                    new.addfile(info)
                    continue
                if info.issparse():
                    raise Kept(self._source, "not-writable", "a member is a sparse file; unpack it first")
                with content, self._without(info.name, content) as left:
                    entry = copy.copy(info)
                    entry.size = left.seek(0, 2)
                    left.seek(0)
                    new.addfile(entry, left)

    def _without(self, name: str, content: IO[bytes]) -> IO[bytes]:
        """A member less its reasoning, in a file without a name; one in which nothing was found is itself."""
        if f"{self._source}!{name}" not in self._members:
            return content
        left = cast("IO[bytes]", tempfile.TemporaryFile(dir=self._folder))  # noqa: SIM115 - the caller closes it
        with ExitStack() as stack:
            inner, target = through(cast("BinaryIO", content), cast("BinaryIO", left), stack)
            for _ in _content.notes(name, Input(inner), self._judge, target.write):
                pass  # they were told before; what is left is looked at once more when it is written
        left.seek(0)
        return left


def _entry(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """The entry of a member that gets another content: all that is not its size, its digest or its place."""
    entry = zipfile.ZipInfo(info.filename, info.date_time)
    for name in ("compress_type", "comment", "extra", "create_system", "create_version", "external_attr"):
        setattr(entry, name, getattr(info, name))
    entry.internal_attr = info.internal_attr
    return entry
