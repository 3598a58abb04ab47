"""What a content is, told from its first bytes, and the reader for it.

The name of a file says nothing here: rotated logs, dumps without an extension and exports with a wrong one are what a
backlog is made of.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from reticent.errors import EgressRefused, InputTooLarge, MalformedInput
from reticent.scan._framed import Frames
from reticent.scan._input import whole
from reticent.scan._kinds import kind_of, unreadable
from reticent.scan._lines import JsonLines, broken, found
from reticent.scan._objects import Objects
from reticent.scan._resume import Marks
from reticent.scan._texts import Texts
from reticent.scan.findings import Note, NotRead, Where
from reticent.streams.detect import SNIFF_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reticent.scan._input import Input
    from reticent.scan._resume import Progress
    from reticent.scan.findings import Write
    from reticent.scan.judge import Judge

_FRAMED: Final = frozenset({"sse", "aws-eventstream"})
_LINES: Final = frozenset({"jsonl", "ai-sdk-v4"})
_WHOLE: Final = frozenset({"json", "json-array"})


def notes(source: str, content: Input, judge: Judge, write: Write, progress: Progress | None = None) -> Iterator[Note]:
    """Look through one content, whatever it is; what may stay goes to ``write``.

    With ``progress``, lines, logs and objects of MessagePack are begun where it says.
    """
    marks = Marks(judge, content, progress)
    kind = kind_of(content.head, is_all=len(content.head) < SNIFF_LIMIT)
    pieces = content.pieces()
    if kind in _WHOLE:
        yield from _document(source, pieces, judge, write, is_array=kind == "json-array")
    elif kind in _FRAMED:
        yield from Frames(source, judge, write, kind).notes(pieces)
    elif kind in _LINES:
        yield from JsonLines(source, judge, write, marks).notes(pieces)
    elif kind == "text":
        yield from Texts(source, judge, write, marks).notes(pieces)
    elif kind == "msgpack":
        yield from Objects(source, judge, write, marks).notes(pieces)
    elif kind != "empty":
        yield unreadable(source, kind, content.head)


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
    yield from Texts(source, judge, write, Marks(judge)).notes(iter((data,)))
