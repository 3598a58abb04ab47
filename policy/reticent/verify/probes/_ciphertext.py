"""Whether bytes can be ciphertext: what text and compressed text look like, and ciphertext does not."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from typing import Final

from pydantic import Field

from reticent.verify.probing import NotHeld, Settings

# First bytes of what compresses: RFC 8878, and the formats of bzip2, xz and lz4 frames. Ciphertext begins with one of
# them once in 10^9 values or less often.
_BZIP2: Final = tuple(b"BZh%d1AY&SY" % level for level in range(1, 10))
_COMPRESSED: Final = (b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\x00", b"\x04\x22\x4d\x18", *_BZIP2)
# Two bytes say gzip (RFC 1952) or zlib (RFC 1950), and every 13,000th ciphertext begins with such a pair: what follows
# has to unpack as well.
_DEFLATED: Final = frozenset({b"\x1f\x8b", b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda"})
_EITHER_HEADER: Final = zlib.MAX_WBITS | 32
_UNPACKED: Final = 64
"""This many bytes out of it, or an end with a right checksum: compressed data, not bytes that begin so by chance."""

# In ciphertext each byte is printable with a chance of 3 in 8; 32 in a row come about once in 10^13 bytes.
_RUN: Final = re.compile(rb"[\t\n\r\x20-\x7e]{32}")
_SHORT: Final = 12
_MUCH: Final = 512
_SPREAD: Final = 480.0
"""More than ciphertext ever has: the statistic below has a mean of 255 and a standard deviation of 23."""


class CiphertextSettings(Settings):
    """Which columns must hold ciphertext, and which hold what may be read (identifiers, times, counts)."""

    table: str = Field(min_length=1)
    columns: tuple[str, ...] = Field(min_length=1)
    clear: tuple[str, ...] = ()
    header: int = Field(default=0, ge=0)
    """How many bytes at the start of each value are no ciphertext, such as a key's name."""
    sample: int = Field(default=200, ge=1, le=100_000)
    rows: int = Field(default=0, ge=0)
    """The fewest rows to judge by; with 0 an empty table holds nothing that could be read."""


def objection(value: object, header: int) -> str | None:
    """Why ``value`` is no ciphertext, in a word; None when it may be."""
    if value is None:
        return None
    if not isinstance(value, bytes | bytearray | memoryview):
        return "no bytes"
    body = bytes(value)[header:]
    if body.startswith(_COMPRESSED) or (body[:2] in _DEFLATED and _inflates(body)):
        return "compressed"
    if _RUN.search(body) or (len(body) >= _SHORT and _is_text(body)):
        return "text"
    return "not random" if len(body) >= _MUCH and _spread(body) > _SPREAD else None


def _inflates(body: bytes) -> bool:
    unpacking = zlib.decompressobj(_EITHER_HEADER)
    try:
        text = unpacking.decompress(body, _UNPACKED)
    except zlib.error:
        return False
    return unpacking.eof or len(text) == _UNPACKED


def _is_text(body: bytes) -> bool:
    for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
        try:
            text = body.decode(encoding)
        except UnicodeDecodeError:
            continue
        # Short random bytes decode now and then: as UTF-8 into control characters, as UTF-16 into letters of every
        # script. Text has few of the first and keeps to one or two of the others.
        tidy = sum(character.isprintable() or character in "\t\n\r" for character in text) > 0.9 * len(text)
        if tidy and (encoding == "utf-8" or sum(character < "\u0530" for character in text) > 0.9 * len(text)):
            return True
    return False


def _spread(body: bytes) -> float:
    """Pearson's statistic against bytes that are all as likely."""
    expected = len(body) / 256
    counts = Counter(body)
    return sum((counts.get(byte, 0) - expected) ** 2 for byte in range(256)) / expected


def judge(rows: list[tuple[object, ...]], settings: CiphertextSettings) -> str:
    """What was seen in ``rows``, each with the values of the columns in order.

    Raises:
        NotHeld: a value is no ciphertext, or there are too few rows.
    """
    if len(rows) < settings.rows:
        raise NotHeld("too-few-rows", f"{len(rows)} rows, {settings.rows} wanted")
    for at, column in enumerate(settings.columns):
        found = Counter(word for row in rows if (word := objection(row[at], settings.header)) is not None)
        if found:
            words = ", ".join(f"{count} of {len(rows)} {word}" for word, count in sorted(found.items()))
            raise NotHeld("plaintext", f"{settings.table}.{column}: {words}")
    return f"{len(rows)} rows"


def refuse_unlisted(found: list[str], settings: CiphertextSettings) -> None:
    """Stop at a column that could hold content and that nobody spoke of.

    Raises:
        NotHeld: with the names of such columns, and of listed columns that are not there.
    """
    missing = sorted({*settings.columns, *settings.clear} - set(found))
    if missing:
        raise NotHeld("not-found", f"{settings.table} has no column {', '.join(missing)}")
    more = [name for name in found if name not in settings.columns and name not in settings.clear]
    if more:
        raise NotHeld("unlisted-column", f"{settings.table}.{', '.join(more)}: neither under columns nor under clear")
