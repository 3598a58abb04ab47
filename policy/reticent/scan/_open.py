"""Files as they lie there: compressed or not, archives, databases.

The first bytes tell. A compressed content is read through as it is unpacked, and what is packed twice is unpacked
twice; three times is taken for an attack.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zipfile
import zlib
from functools import partial
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final, cast

from reticent.scan import _content
from reticent.scan._input import Input
from reticent.scan.findings import Note, NotRead

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reticent.scan._resume import Progress
    from reticent.scan.judge import Judge

PACKED: Final = ((b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ\x00", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"))
_DEEPEST: Final = 2
TAR_AT: Final = 257
_ENCRYPTED_FLAG: Final = 0x1
BROKEN: Final = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    NotImplementedError,
)
"""What the standard library raises for a packed content that is damaged or ends too early."""


class CannotUnpack(Exception):
    """A packing that this installation has no reader for."""


def is_zip(head: bytes) -> bool:
    """Whether a content that begins with ``head`` is a ZIP archive."""
    return head.startswith(b"PK\x03\x04")


def is_tar(head: bytes) -> bool:
    """Whether a content that begins with ``head``, of 512 bytes, is a tar archive."""
    return head[TAR_AT : TAR_AT + 5] == b"ustar"


def is_encrypted(info: zipfile.ZipInfo) -> bool:
    """Whether a member of a ZIP archive is encrypted."""
    return bool(info.flag_bits & _ENCRYPTED_FLAG)


def packing(head: bytes) -> str | None:
    """How a content that begins with ``head`` is compressed, or None."""
    return next((name for mark, name in PACKED if head.startswith(mark)), None)


def unpacked(name: str, raw: BinaryIO) -> BinaryIO:
    """What the compressed ``raw`` holds.

    Raises:
        CannotUnpack: it is ``zstd``, which Python reads from 3.14 on, and with the extra ``scan`` before that.
    """
    opener: Any = {"gzip": gzip.open, "bzip2": bz2.open, "xz": lzma.open}.get(name)
    return cast("BinaryIO", (opener or zstd().open)(raw, "rb"))


def zstd() -> Any:
    """The module that reads and writes zstd.

    Raises:
        CannotUnpack: there is none.
    """
    try:
        from compression import zstd as module  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        try:
            from backports import zstd as module
        except ImportError:
            raise CannotUnpack("zstd needs the extra: pip install 'reticent[scan]'") from None
    return module


def notes(source: str, raw: BinaryIO, judge: Judge, progress: Progress | None = None) -> Iterator[Note]:
    """Look through one file, and through the members of an archive; those are not begun in their middle."""
    yield from _guarded(source, lambda: _opened(source, raw, judge, 0, progress))


def _guarded(source: str, look: Callable[[], Iterator[Note]]) -> Iterator[Note]:
    """What ``look`` tells; a content that turns out to be damaged is told as not read."""
    try:
        yield from look()
    except CannotUnpack as error:
        yield NotRead(source, "unsupported", str(error))
    except EOFError:
        yield NotRead(source, "truncated", "the compressed content ends too early; what came before was read")
    except BROKEN as error:
        yield NotRead(source, "damaged", f"cannot be unpacked ({type(error).__name__}); what came before was read")


def _opened(source: str, raw: BinaryIO, judge: Judge, depth: int, progress: Progress | None = None) -> Iterator[Note]:
    head = _peek(raw)
    name = packing(head)
    if name is not None and depth >= _DEEPEST:
        yield NotRead(source, "packed-too-deep", f"compressed more than {_DEEPEST} times over")
    elif name is not None:
        with unpacked(name, raw) as inner:
            yield from _opened(source, inner, judge, depth + 1, progress)
    elif is_zip(head):
        yield from _zip(source, raw, judge, depth)
    elif is_tar(head):
        yield from _tar(source, raw, judge, depth)
    elif head.startswith((b"PAR1", b"SQLite format 3\x00")):
        yield NotRead(source, "unsupported", "a database or table inside a compressed file; unpack it first")
    else:
        yield from _content.notes(source, Input(raw), judge, None, progress)


def _peek(raw: Any) -> bytes:
    """The first bytes, which stay to be read."""
    head: bytes = raw.read(512)
    raw.seek(0)
    return head


def _zip(source: str, raw: BinaryIO, judge: Judge, depth: int) -> Iterator[Note]:
    with zipfile.ZipFile(raw) as archive:
        for info in archive.infolist():
            if info.is_dir():
                continue
            name = f"{source}!{info.filename}"
            if is_encrypted(info):
                yield NotRead(name, "encrypted", "encrypted (ZIP)")
                continue
            yield from _guarded(name, partial(_zipped, name, archive, info, judge, depth))


def _zipped(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo, judge: Judge, depth: int) -> Iterator[Note]:
    yield from _member(name, archive.open(info), judge, depth)


def _tar(source: str, raw: BinaryIO, judge: Judge, depth: int) -> Iterator[Note]:
    with tarfile.open(fileobj=raw, mode="r:") as archive:
        for info in archive:
            opened = archive.extractfile(info) if info.isfile() else None
            if opened is not None:
                name = f"{source}!{info.name}"
                yield from _guarded(name, partial(_member, name, opened, judge, depth))


def _member(name: str, opened: IO[bytes], judge: Judge, depth: int) -> Iterator[Note]:
    """One member of an archive; an archive inside an archive is not opened."""
    with opened:
        head = _peek(opened)
        if is_zip(head) or is_tar(head):
            yield NotRead(name, "packed-too-deep", "an archive inside an archive; unpack it first")
        else:
            yield from _opened(name, cast("BinaryIO", opened), judge, depth)
