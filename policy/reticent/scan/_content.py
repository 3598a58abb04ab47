"""What a content is, told from its first bytes, and the reader for it.

The name of a file says nothing here: rotated logs, dumps without an extension and exports with a wrong one are what a
backlog is made of.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Final

from reticent.errors import EgressRefused, InputTooLarge, MalformedInput
from reticent.scan._framed import Frames
from reticent.scan._input import whole
from reticent.scan._lines import JsonLines, broken, found
from reticent.scan._texts import Texts
from reticent.scan.findings import Note, NotRead, Where
from reticent.streams.detect import SNIFF_LIMIT, detect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reticent.scan._input import Input
    from reticent.scan.findings import Write
    from reticent.scan.judge import Judge

_FRAMED: Final = frozenset({"sse", "aws-eventstream"})
_LINES: Final = frozenset({"jsonl", "ai-sdk-v4"})
_WHOLE: Final = frozenset({"json", "json-array"})
_ENCRYPTED: Final = (
    (b"Salted__", "OpenSSL"),
    (b"age-encryption.org/", "age"),
    (b"-----BEGIN PGP MESSAGE-----", "OpenPGP"),
    (b"-----BEGIN AGE ENCRYPTED FILE-----", "age"),
    (b"LUKS\xba\xbe", "LUKS"),
    (b"$ANSIBLE_VAULT;", "Ansible Vault"),
    (b"PARE", "encrypted Parquet"),
)
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")
_AWS_PRELUDE: Final = re.compile(rb"[\x00\x01][\x00-\xff]{3}\x00[\x00-\xff]{7}[\x00-\xff]", re.DOTALL)
_RAW_BYTES: Final = re.compile(rb"[\x00-\x06\x0e-\x1a\x7f]")


def kind_of(head: bytes, *, is_all: bool) -> str:
    """The wire of a content that begins with ``head``, or ``encrypted``, ``wide-text``, ``binary``, ``empty``."""
    if not head:
        return "empty"
    if any(head.startswith(mark) for mark, _ in _ENCRYPTED):
        return "encrypted"
    if head.startswith(_WIDE):
        return "wide-text"
    if _AWS_PRELUDE.match(head) and b":message-type" in head:
        return "aws-eventstream"
    if _RAW_BYTES.search(head):
        return "binary"
    return detect(head, final=is_all) or "text"


def notes(source: str, content: Input, judge: Judge, write: Write) -> Iterator[Note]:
    """Look through one content, whatever it is; what may stay goes to ``write``."""
    kind = kind_of(content.head, is_all=len(content.head) < SNIFF_LIMIT)
    pieces = content.pieces()
    if kind in _WHOLE:
        yield from _document(source, pieces, judge, write, is_array=kind == "json-array")
    elif kind in _FRAMED:
        yield from Frames(source, judge, write, kind).notes(pieces)
    elif kind in _LINES:
        yield from JsonLines(source, judge, write).notes(pieces)
    elif kind == "text":
        yield from Texts(source, judge, write).notes(pieces)
    elif kind != "empty":
        yield unreadable(source, kind, content.head)


def unreadable(source: str, kind: str, head: bytes) -> NotRead:
    """Why a content of ``kind`` is not looked through."""
    if kind == "encrypted":
        by = next(name for mark, name in _ENCRYPTED if head.startswith(mark))
        return NotRead(source, "encrypted", f"encrypted ({by})")
    if kind == "wide-text":
        return NotRead(source, "unknown-encoding", "text in UTF-16; write it in UTF-8")
    return NotRead(source, "unknown-format", "binary of a format that is not known here, or encrypted")


def _document(source: str, pieces: Iterator[bytes], judge: Judge, write: Write, *, is_array: bool) -> Iterator[Note]:
    """One JSON document; an array that is too long to be held is read element by element."""
    limit = judge.program.options.max_bytes
    data, is_all = whole(pieces, limit)
    if not is_all and is_array:
        yield from Frames(source, judge, write, "json-array").notes(chain((data,), pieces))
        return
    if not is_all:
        yield NotRead(source, InputTooLarge.code, f"one JSON document of more than {limit} bytes")
        return
    body = data.strip(b" \t\r\n\x1e")
    head, _, tail = data.partition(body)
    judged = None
    try:
        judged = judge.document(body)
    except MalformedInput:
        yield from _no_document(source, data, judge, write)
        return
    except EgressRefused as error:
        yield NotRead(source, error.code, str(error))
    if judged is not None:
        yield from found(source, judged, Where(line=1 + head.count(b"\n"), offset=len(head)))
    if write is not None:
        write(data if judged is None or not judged.hits else head + judged.body + tail)


def _no_document(source: str, data: bytes, judge: Judge, write: Write) -> Iterator[Note]:
    """What began like one document and is none: several behind one another, or one that was cut short."""
    yield broken(source, len(data), Where(line=1, offset=0))
    yield from Texts(source, judge, write).notes(iter((data,)))
