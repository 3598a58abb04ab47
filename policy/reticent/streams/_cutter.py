"""What every framing shares: the bytes held back, the limit, and a refusal that sticks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from reticent.errors import EgressRefused, InputTooLarge
from reticent.streams import FRAME_LIMIT

if TYPE_CHECKING:
    from reticent.streams import Frame

_BOM = b"\xef\xbb\xbf"


class Cutter(ABC):
    """Base of the framings; a subclass says where a frame ends.

    ``limit`` is the number of bytes that a frame may have.
    """

    __slots__ = ("_fresh", "_limit", "_parts", "_refusal", "held")

    name: ClassVar[str]
    frame: ClassVar[type[Frame]]
    """What its frames are."""
    text: ClassVar[bool] = True
    """Whether a byte order mark may open the stream."""

    def __init__(self, *, limit: int = FRAME_LIMIT) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._fresh = self.text
        self._refusal: EgressRefused | None = None
        self.held = 0

    def feed(self, chunk: bytes) -> list[Frame]:
        """Take the next bytes; return the frames that are now whole (see ``Framing.feed``)."""
        if self._refusal is not None:
            raise self._refusal.with_traceback(None)
        frames: list[Frame] = []
        total = self.held + len(chunk)
        try:
            if self._fresh:
                chunk = self._take_bom(chunk, frames)
            if chunk:
                self._cut(chunk, frames)
        except EgressRefused as refusal:
            self._refusal = refusal
        if total > self._limit:
            self._check_sizes(frames)
        return frames if self._refusal is None else self._refuse(frames)

    def flush(self) -> list[Frame]:
        """Say that the stream has ended; return what was held (see ``Framing.flush``)."""
        if self._refusal is not None:
            raise self._refusal.with_traceback(None)
        frames: list[Frame] = []
        self._finish(self._take(b""), frames)
        return frames

    def join(self, frame: Frame, body: bytes) -> bytes:  # noqa: ARG002 - only an array looks at the frame
        """Return ``body``: frames of this framing need nothing between them."""
        return body

    @abstractmethod
    def _cut(self, chunk: bytes, frames: list[Frame]) -> None:
        """Append the frames that ``chunk`` ends, and hold the rest."""

    @abstractmethod
    def _finish(self, rest: bytes, frames: list[Frame]) -> None:
        """Append what ``rest``, possibly empty, is at the end of the stream; raises nothing."""

    def _hold(self, rest: bytes) -> None:
        if rest:
            self._parts.append(rest)
            self.held += len(rest)

    def _take(self, chunk: bytes) -> bytes:
        """Return all that was held, with ``chunk`` behind it, and hold nothing."""
        if not self._parts:
            return chunk
        self._parts.append(chunk)
        whole = b"".join(self._parts)
        self._parts.clear()
        self.held = 0
        return whole

    def _take_bom(self, chunk: bytes, frames: list[Frame]) -> bytes:
        """Make a byte order mark a frame of its own; hold it while it may still become one."""
        start = self._take(chunk)
        if len(start) < len(_BOM) and _BOM.startswith(start):
            self._hold(start)
            return b""
        self._fresh = False
        if not start.startswith(_BOM):
            return start
        frames.append(self.frame(_BOM, None, None, "separator"))
        return start[len(_BOM) :]

    def _check_sizes(self, frames: list[Frame]) -> None:
        """Refuse the first frame that is longer than the limit, and all that follow it."""
        long = next((number for number, frame in enumerate(frames) if len(frame.raw) > self._limit), None)
        if long is not None:
            del frames[long:]
        if long is not None or (self.held > self._limit and self._refusal is None):
            self._refusal = InputTooLarge(f"{self.name}: a frame is longer than {self._limit} bytes")

    def _refuse(self, frames: list[Frame]) -> list[Frame]:
        """Forget what was held; raise now, or at the next call when frames came before the fault."""
        self._parts.clear()
        self.held = 0
        if not frames and self._refusal is not None:
            raise self._refusal.with_traceback(None)
        return frames
