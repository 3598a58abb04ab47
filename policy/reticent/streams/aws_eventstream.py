"""AWS event stream: binary messages with headers and checksums (``application/vnd.amazon.eventstream``).

A message is: total length and length of the headers (four bytes each, big endian), CRC-32 of these eight, the
headers, the payload, CRC-32 of all before it. A header is: length of the name (one byte), name, type (one byte),
value, whose length the type gives or the first two bytes of the value. Sources, read 2026-11-29:
https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html (event stream encoding) and the parser of
botocore 1.44.8. Both checksums are verified before anything of a message is believed, and computed anew for a
message whose payload is exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from struct import Struct
from typing import ClassVar
from zlib import crc32

from reticent.errors import InputTooLarge, MalformedInput
from reticent.streams import FRAME_LIMIT, Frame
from reticent.streams._cutter import Cutter

__all__ = ["AwsEventStreamFraming", "AwsMessage", "make_message"]

_U16, _U32, _LENGTHS, _PRELUDE = Struct("!H"), Struct("!I"), Struct("!II"), Struct("!III")
_SMALLEST = _PRELUDE.size + _U32.size  # a message without headers and payload
_TOO_LONG = 1 << 32
_EVENT_TYPE = b":event-type"
_STRING = 7
# Bytes of a value by header type: true, false, byte, short, integer, long, -, -, timestamp, uuid.
_FIXED = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
_COUNTED = frozenset((6, _STRING))  # byte array and string carry a length of two bytes


@dataclass(slots=True, repr=False)
class AwsMessage(Frame):
    """One message.

    ``data`` is the payload, always there, possibly empty. ``headers`` holds the headers whose value is a string.
    ``event`` is ``:event-type``; for an exception or an error it is None and ``message_type`` says so.

    A message that the end of the stream cut off has ``complete`` False and everything that arrived as ``data``:
    its checksum never came, so its headers are not read.
    """

    headers: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def message_type(self) -> str | None:
        """``event``, ``exception`` or ``error``; None when the message does not say."""
        return self.headers.get(":message-type")

    @property
    def exception_type(self) -> str | None:
        """The name of a modelled exception, None for every other message."""
        return self.headers.get(":exception-type")

    def with_data(self, data: bytes, *, event: str | None = None) -> bytes:
        """Return the message with ``data`` as its payload, lengths and checksums right.

        Headers are kept byte for byte; ``event`` exchanges the value of ``:event-type``. Raises MalformedInput for
        a message that was cut off, and InputTooLarge when the format cannot carry the length.
        """
        if not self.complete:
            raise MalformedInput("aws-eventstream: a message that was cut off cannot carry a payload")
        if event is None and data == self.data:
            return self.raw
        headers = _header_bytes(self.raw)
        return _message(headers if event is None else _renamed(headers, event), data)


class AwsEventStreamFraming(Cutter):
    """Cuts messages, and refuses the first one that is not exactly what the format says."""

    __slots__ = ("_needed", "_offset")

    name: ClassVar[str] = "aws-eventstream"
    frame: ClassVar[type[Frame]] = AwsMessage
    text: ClassVar[bool] = False

    def __init__(self, *, limit: int = FRAME_LIMIT) -> None:
        super().__init__(limit=limit)
        self._needed = _PRELUDE.size
        self._offset = 0

    def _cut(self, chunk: bytes, frames: list[Frame]) -> None:
        if self.held + len(chunk) < self._needed:
            self._hold(chunk)
            return
        data, start = self._take(chunk), 0
        self._needed = _PRELUDE.size
        while len(data) - start >= _PRELUDE.size:
            length = self._length(data, start)
            if len(data) - start < length:
                self._needed = length
                break
            frames.append(_read(data[start : start + length], self._offset))
            start += length
            self._offset += length
        self._hold(data[start:])

    def _length(self, data: bytes, start: int) -> int:
        """Return the length of the message that begins at ``start``, its prelude verified."""
        length, headers, checksum = _PRELUDE.unpack_from(data, start)
        if crc32(data[start : start + _LENGTHS.size]) != checksum:
            raise _malformed("the checksum of the prelude is wrong", self._offset)
        if length < _SMALLEST + headers:
            raise _malformed("the lengths contradict one another", self._offset)
        if length > self._limit:
            raise InputTooLarge(f"{self.name}: a frame is longer than {self._limit} bytes")
        return int(length)

    def _finish(self, rest: bytes, frames: list[Frame]) -> None:
        if rest:
            frames.append(AwsMessage(rest, rest, None, "data", complete=False))


def _malformed(what: str, offset: int) -> MalformedInput:
    return MalformedInput(f"aws-eventstream: message at offset {offset}: {what}")


@dataclass(frozen=True, slots=True, repr=False)
class _Header:
    """A header, and where its value, without the length before it, stands among the header bytes."""

    name: bytes
    type: int
    start: int
    end: int


def _read(raw: bytes, offset: int) -> AwsMessage:
    """Read one whole message that begins ``offset`` bytes into the stream."""
    body = len(raw) - _U32.size
    if crc32(memoryview(raw)[:body]) != _U32.unpack_from(raw, body)[0]:
        raise _malformed("the checksum is wrong", offset)
    block = _header_bytes(raw)
    headers = _strings(block)
    if headers is None:
        raise _malformed("the headers cannot be read", offset)
    payload = raw[_PRELUDE.size + len(block) : body]
    return AwsMessage(raw, payload, headers.get(":event-type"), "data", headers=headers)


def _header_bytes(raw: bytes) -> bytes:
    _, length = _LENGTHS.unpack_from(raw)
    return raw[_PRELUDE.size : _PRELUDE.size + length]


def _strings(block: bytes) -> dict[str, str] | None:
    """Return the headers whose value is a string, None when there is no reading them.

    The error of the decoder would quote the bytes, so it ends here.
    """
    headers = _headers(block)
    if headers is None:
        return None
    try:
        return {
            header.name.decode(): block[header.start : header.end].decode()
            for header in headers
            if header.type == _STRING
        }
    except UnicodeDecodeError:
        return None


def _headers(block: bytes) -> list[_Header] | None:
    """Return all headers; None when one is cut short, has an unknown type, or comes twice."""
    headers: list[_Header] = []
    at = 0
    while at < len(block):
        header = _header(block, at)
        if header is None or header.end > len(block):
            return None
        headers.append(header)
        at = header.end
    return headers if len({header.name for header in headers}) == len(headers) else None


def _header(block: bytes, at: int) -> _Header | None:
    """Return the header at ``at``; its end may lie behind the block."""
    name_end = at + 1 + block[at]
    start = name_end + 1
    if start > len(block):
        return None
    kind = block[name_end]
    length = _FIXED.get(kind)
    if kind in _COUNTED and start + _U16.size <= len(block):
        length = int(_U16.unpack_from(block, start)[0])
        start += _U16.size
    return None if length is None else _Header(block[at + 1 : name_end], kind, start, start + length)


def _renamed(block: bytes, event: str) -> bytes:
    """Return the header bytes with another ``:event-type``, which comes last when there was none."""
    value = event.encode()
    counted = _U16.pack(len(value)) + value
    for header in _headers(block) or ():
        if header.name == _EVENT_TYPE and header.type == _STRING:
            return block[: header.start - _U16.size] + counted + block[header.end :]
    return block + bytes((len(_EVENT_TYPE),)) + _EVENT_TYPE + bytes((_STRING,)) + counted


def _message(headers: bytes, payload: bytes) -> bytes:
    length = _SMALLEST + len(headers) + len(payload)
    if length >= _TOO_LONG:
        raise InputTooLarge("aws-eventstream: a message cannot be longer than its length field can say")
    lengths = _LENGTHS.pack(length, len(headers))
    message = lengths + _U32.pack(crc32(lengths)) + headers + payload
    return message + _U32.pack(crc32(message))


def make_message(event: str, payload: bytes, *, content_type: str = "application/json") -> bytes:
    """Return one event message with ``payload``, as a service sends it: for tests and vectors."""
    names = {b":event-type": event, b":content-type": content_type, b":message-type": "event"}
    headers = b"".join(
        bytes((len(name),)) + name + bytes((_STRING,)) + _U16.pack(len(value.encode())) + value.encode()
        for name, value in names.items()
    )
    return _message(headers, payload)
