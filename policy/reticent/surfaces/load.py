"""YAML in, a :class:`SurfaceTable` out, or every fault of its shape at once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from reticent.errors import ConfigurationError, Fault, TableError
from reticent.surfaces.document import Document, Positions, read_document
from reticent.surfaces.shape import shape_faults
from reticent.surfaces.table import SurfaceTable

MAX_BYTES = 4_000_000
"""A table file longer than this is refused before it is read."""

DEFAULT_TABLE = Path(__file__).with_name("default.yaml")


@dataclass(frozen=True, slots=True)
class TableReading:
    """What came of reading a table: ``table`` is None when ``faults`` is not empty; ``data`` is what the file says."""

    data: Any
    positions: Positions
    faults: tuple[Fault, ...]
    table: SurfaceTable | None


def read_table(source: str | Path | None = None) -> TableReading:
    """Read the table at ``source`` (default: the one that ships) and keep faults as values.

    Raises:
        ConfigurationError: the file cannot be opened, is not UTF-8, or is longer than :data:`MAX_BYTES`.
    """
    path = Path(source) if source is not None else DEFAULT_TABLE
    return read_text(_text_of(path), path.name if source is None else str(source))


def read_text(text: str, file: str = "table") -> TableReading:
    """Like :func:`read_table`, for YAML or JSON text that is already in memory; ``file`` is used in messages."""
    return _validated(read_document(text, file))


def load_table(source: str | Path | None = None) -> SurfaceTable:
    """The table at ``source``, or the one that ships.

    Only shape is checked here; ``reticent.compiler`` proves what it says.

    Raises:
        TableError: with every fault of shape.
        ConfigurationError: the file cannot be read at all.
    """
    reading = read_table(source)
    if reading.table is None:
        raise TableError(reading.faults)
    return reading.table


def _validated(document: Document) -> TableReading:
    data, positions = document.data, document.positions
    try:
        table = SurfaceTable.model_validate(data)
    except ValidationError as error:
        faults = (*document.faults, *(() if data is None and document.faults else shape_faults(error, positions)))
        return TableReading(data, positions, tuple(sorted(faults)), None)
    if document.faults:
        return TableReading(data, positions, tuple(sorted(document.faults)), None)
    return TableReading(data, positions, (), table.read_at(positions))


def _text_of(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            msg = f"{path}: longer than {MAX_BYTES} bytes; this is not a table"
            raise ConfigurationError(msg)
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror}"
        raise ConfigurationError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{path}: not UTF-8 at byte {error.start}"
        raise ConfigurationError(msg) from None
