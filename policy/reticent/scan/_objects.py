"""Files of MessagePack: one object or many behind one another, each a body of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reticent.errors import EgressRefused, InputTooLarge
from reticent.scan._msgpack import opened
from reticent.scan._msgpack_cut import without
from reticent.scan._records import is_record, members
from reticent.scan._rows import UNREAD, may_hold
from reticent.scan.findings import Finding, Note, NotRead, Where, pointer
from reticent.scan.judge import Hit

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from msgpack import Unpacker

    from reticent.edits import Edit
    from reticent.scan._msgpack import Packed
    from reticent.scan._resume import Marks
    from reticent.scan.findings import Write
    from reticent.scan.judge import Judge


class Objects:
    """One file of objects."""

    def __init__(self, source: str, judge: Judge, write: Write, marks: Marks) -> None:
        """Look through ``source``; what may stay goes to ``write``."""
        self._source = source
        self._judge = judge
        self._write = write
        self._limit = judge.program.options.max_bytes
        self._marks = marks
        marks.resume()
        self._offset: int = marks.state.get("at", 0)

    def notes(self, pieces: Iterator[bytes]) -> Iterator[Note]:
        """Everything there is to tell of the file; behind a fault nothing more of it is read.

        Raises:
            ImportError: there is no msgpack.
        """
        for data in self._objects(pieces):
            if isinstance(data, NotRead):
                yield data
                return
            packed = opened(data)
            if packed is None:
                yield self._fault("malformed-input", "an object with a key twice, or nested too deep")
                return
            yield from self._object(packed)
            self._offset += len(data)

    def _objects(self, pieces: Iterator[bytes]) -> Iterator[bytes | NotRead]:
        """The bytes of each object, or why there are no more."""
        from msgpack import Unpacker

        reader = Unpacker(strict_map_key=False, max_buffer_size=0)
        held = bytearray()
        start = base = 0
        for piece in self._marks.pieces(lambda: {"at": self._offset}, pieces):
            reader.feed(piece)
            held += piece
            try:
                for end in _ends(reader):
                    yield bytes(held[start - base : end - base])
                    start = end
            except ValueError:
                yield self._fault("malformed-input", "no MessagePack")
                return
            del held[: start - base]
            base = start
            if len(held) > self._limit:
                yield self._fault(InputTooLarge.code, f"an object of more than {self._limit} bytes")
                return
        if held:
            yield self._fault("truncated", "an object that ends too early")

    def _fault(self, code: str, message: str) -> NotRead:
        return NotRead(self._source, code, f"{message}; nothing from there on was read", Where(offset=self._offset))

    def _object(self, packed: Packed) -> Iterator[Note]:
        where = Where(offset=self._offset)
        out = packed.data
        for kind, count in sorted(packed.unread.items()):
            code, what = UNREAD[kind]
            yield NotRead(self._source, code, f"{count} {what}", where, partly=True)
        try:
            if may_hold(self._judge, packed.value):
                edit = yield from self._judged(packed.value)
                out = packed.data if edit is None else without(packed.data, edit)
        except EgressRefused as error:
            yield NotRead(self._source, error.code, str(error), where)
        if self._write is not None:
            self._write(out)

    def _judged(self, value: Any) -> Generator[Note, None, Edit | None]:
        """What is found in the values of one object, and the edit that takes it out.

        Raises:
            EgressRefused: they cannot be judged.
        """
        row = members(self._judge, value) if is_record(value) else None
        if row is not None:
            for column, hit in row[0]:
                yield self._finding(hit, pointer((column,)) + (hit.where.pointer or ""))
            return row[1] or None
        told, edit = self._judge.value(value)
        for carrier in told:
            hit = Hit(carrier.rule, self._judge.class_of(carrier.rule), 1, carrier.length)
            yield self._finding(hit, pointer(carrier.path))
        taken: Edit | None = edit
        return taken

    def _finding(self, hit: Hit, place: str) -> Finding:
        where = Where(offset=self._offset, pointer=place)
        return Finding(self._source, where, hit.rule, hit.reasoning_class, hit.count, hit.length)


def _ends(reader: Unpacker) -> Iterator[int]:
    """Where each object that has come so far ends.

    Raises:
        ValueError: what comes next is none.
    """
    from msgpack.exceptions import OutOfData

    while True:
        try:
            reader.skip()
        except OutOfData:
            return
        yield reader.tell()
