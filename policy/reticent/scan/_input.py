"""Bytes of a file as the readers take them: the first ones to tell the format by, then pieces and lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from reticent.streams.detect import SNIFF_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE = 1024 * 1024


class Input:
    """What is read of one content; ``head`` is its beginning."""

    def __init__(self, raw: BinaryIO) -> None:
        """Read the beginning of ``raw``."""
        self._raw = raw
        self.head = _exactly(raw, SNIFF_LIMIT)

    def pieces(self) -> Iterator[bytes]:
        """Everything from the beginning, in pieces of about a mebibyte; to be asked for once."""
        piece = self.head
        while piece:
            yield piece
            piece = self._raw.read(PIECE)

    def again(self, start: int, size: int) -> bytes:
        """``size`` bytes from ``start`` on; what is read next stands behind them."""
        self._raw.seek(start)
        return _exactly(self._raw, size)

    def from_here(self, piece: bytes) -> Iterator[bytes]:
        """``piece``, which was read already, and everything that stands behind it."""
        while piece:
            yield piece
            piece = self._raw.read(PIECE)


def whole(pieces: Iterator[bytes], limit: int) -> tuple[bytes, bool]:
    """All of ``pieces`` and True, or what was read and False when that is more than ``limit`` bytes."""
    parts: list[bytes] = []
    size = 0
    for piece in pieces:
        parts.append(piece)
        size += len(piece)
        if size > limit:
            return b"".join(parts), False
    return b"".join(parts), True


def blocks(pieces: Iterator[bytes], limit: int) -> Iterator[tuple[bytes, bool]]:
    """Runs of whole lines with their endings, and whether they are that.

    A line that is longer than ``limit`` comes in pieces that are not, so that memory stays bounded.
    """
    rest: list[bytes] = []
    held = 0
    is_whole = True
    for piece in pieces:
        head, newline, tail = piece.rpartition(b"\n")
        if newline and not is_whole:
            first, _, head = head.partition(b"\n") if b"\n" in head else (head, b"", b"")
            yield b"".join([*rest, first, newline]), False
            rest, held, is_whole = [], 0, True
            newline = newline if head else b""
        if newline:
            yield b"".join([*rest, head, newline]), True
            rest, held = [], 0
        if tail:
            rest.append(tail)
            held += len(tail)
        if held > limit:
            yield b"".join(rest), False
            rest, held, is_whole = [], 0, False
    if rest:
        yield b"".join(rest), is_whole


def _exactly(raw: BinaryIO, size: int) -> bytes:
    parts: list[bytes] = []
    while size > 0 and (piece := raw.read(size)):
        parts.append(piece)
        size -= len(piece)
    return b"".join(parts)
