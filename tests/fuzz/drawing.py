"""Decisions out of fuzzer bytes: every prefix of the same bytes decides alike, and bytes that run out decide zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


class Draw:
    """Takes numbers, choices and values from bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def number(self, limit: int) -> int:
        """A number from 0 to ``limit - 1``."""
        width = 1 if limit <= 256 else 2
        taken = self._data[self._at : self._at + width]
        self._at += width
        return int.from_bytes(taken, "little") % limit

    def choice(self, options: Sequence[Any]) -> Any:
        """One of ``options``."""
        return options[self.number(len(options))]

    def rest(self) -> bytes:
        """All bytes that are left."""
        taken, self._at = self._data[self._at :], len(self._data)
        return taken

    def take(self, length: int) -> bytes:
        """The next bytes, at most ``length``."""
        taken = self._data[self._at : self._at + length]
        self._at += length
        return taken

    def key(self) -> str:
        """A key that no rule knows."""
        return "k" + self.take(self.number(4)).hex()

    def text(self) -> str:
        """A short text."""
        return self.take(self.number(24)).decode("utf-8", "replace")

    def value(self, depth: int = 3) -> Any:
        """A JSON value without reasoning: no key of it means anything."""
        kind = self.number(8 if depth else 5)
        if kind < 5:
            return (None, True, self.number(65536) - 1000, self.number(256) / 8, self.text())[kind]
        count = self.number(4)
        if kind == 5:
            return [self.value(depth - 1) for _ in range(count)]
        return {self.key(): self.value(depth - 1) for _ in range(count)}

    def pieces(self, data: bytes) -> list[bytes]:
        """``data`` cut at places that the bytes decide."""
        cuts = sorted(self.number(len(data) + 1) for _ in range(self.number(12)))
        return [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]
