"""A scratchpad in a file: read once, and replaced whole, unless another worker replaced it in between."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from reticent.errors import ConfigurationError, FoldConflict

if TYPE_CHECKING:
    from collections.abc import Generator

    from reticent.history.scratchpad import Scratchpad, Sources
    from reticent.history.sealing import Sealing

_WHAT: Final = "scratchpad file"
"""What it is sealed as. The names of tenant and task stand in the file, so that they cannot be what opens it."""


@dataclass(frozen=True, slots=True)
class PadFile:
    """One scratchpad file. A file that is not there holds an empty scratchpad."""

    path: Path | None
    sealing: Sealing | None = None

    def read(self) -> tuple[Scratchpad, bytes]:
        """The scratchpad, and the bytes it was read from.

        Raises:
            ConfigurationError: it cannot be read, or is no scratchpad.
            StoreError: it is not encrypted, or with another key.
        """
        from reticent.history.scratchpad import Scratchpad, from_json

        data = self._bytes()
        told = data if self.sealing is None or not data else self.sealing.unseal("", "", _WHAT, data)
        return (from_json(parsed(told, str(self.path))) if told else Scratchpad()), data

    @contextlib.contextmanager
    def replacing(self, pad: Scratchpad, before: bytes) -> Generator[None]:
        """Put ``pad`` in the place of ``before`` when the block has gone well.

        Raises:
            FoldConflict: another worker is at it, or was.
        """
        if self.path is None:
            yield
            return
        from reticent.history.scratchpad import to_json

        new = self.path.with_name(f"{self.path.name}.new")
        try:
            handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise FoldConflict(
                f"{new}: another worker is writing this scratchpad; remove the file if none is"
            ) from None
        try:
            with os.fdopen(handle, "wb") as file:
                told = json.dumps(to_json(pad), ensure_ascii=True, indent=1).encode()
                file.write(told if self.sealing is None else self.sealing.seal("", "", _WHAT, told))
                file.flush()
                os.fsync(file.fileno())
            if self._bytes() != before:
                raise FoldConflict(f"{self.path}: another worker has written this scratchpad since it was read")
            yield
            new.replace(self.path)
        finally:
            new.unlink(missing_ok=True)

    def _bytes(self) -> bytes:
        if self.path is None or not self.path.exists():
            return b""
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise ConfigurationError(f"{self.path}: cannot be read ({type(error).__name__})") from None


def parsed(data: bytes, name: str) -> Any:
    """JSON of a file called ``name``.

    Raises:
        ConfigurationError: it is none.
    """
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise ConfigurationError(f"{name}: not JSON") from None


def sealing(keys: Path | None) -> Sealing | None:
    """What encrypts with the keyset file ``keys``; None without one.

    Raises:
        ConfigurationError: it is no keyset.
    """
    if keys is None:
        return None
    from reticent.store import Keyset, Sealer

    return Sealer(Keyset.load(keys))


def sources(file: Path | None) -> Sources:
    """The declared tools in a file; none without one.

    Raises:
        ConfigurationError: it cannot be read, or declares nothing that is known.
    """
    from reticent.history.scratchpad import Sources, read_sources

    if file is None:
        return Sources()
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{file}: cannot be read ({type(error).__name__})") from None
    return read_sources(parsed(data, str(file)))
