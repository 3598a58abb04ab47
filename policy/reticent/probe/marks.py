"""Marks: random text that occurs nowhere else, and the spellings in which it can still be found."""

from __future__ import annotations

import base64
import binascii
import secrets
import zlib
from typing import Final

_LENGTH: Final = 12
_PIECE: Final = 12
"""Characters of a mark that count as finding it: log lines and previews are often cut short."""


def new_mark(kind: str) -> str:
    """A mark that begins with ``kind``; letters and digits only, so that no escape changes it."""
    return f"{kind}{secrets.token_hex(_LENGTH)}"


def spellings_of(mark: str) -> dict[str, bytes]:
    """The pieces to look for, by the name of the spelling: plain, escaped for JSON, base64 in each position, hex."""
    found = {"plain": mark[-_PIECE:].encode(), "json-escaped": _escaped(mark[-_PIECE:])}
    for offset in range(3):
        # A mark inside a longer text falls on one of three positions of the four-letter groups.
        coded = base64.b64encode(b"\0" * offset + mark.encode())
        skipped = (0, 2, 3)[offset]
        found[f"base64+{offset}"] = coded[skipped : len(coded) - 4]
    return found | {"hex": binascii.hexlify(mark[-_PIECE:].encode())}


def found_in(content: bytes, spellings: dict[str, bytes]) -> str | None:
    """The first spelling that ``content`` holds, else None; compressed content is opened."""
    for body in (content, _inflated(content)):
        for name, piece in spellings.items():
            if piece in body:
                return name
    return None


def _escaped(text: str) -> bytes:
    return "".join(f"\\u{ord(letter):04x}" for letter in text).encode()


def _inflated(content: bytes) -> bytes:
    """What a gzip or zlib stream holds; empty when ``content`` is none."""
    if content[:2] not in (b"\x1f\x8b", b"\x78\x9c", b"\x78\x01", b"\x78\xda"):
        return b""
    try:
        return zlib.decompressobj(wbits=47).decompress(content, 64 * 1024 * 1024)
    except zlib.error:
        return b""
