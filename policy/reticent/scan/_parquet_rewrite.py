"""Parquet files without their reasoning: the same schema, row groups, metadata and compression, other cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import parquet

from reticent.scan._parquet import ParquetLook
from reticent.scan._rewrite import Kept
from reticent.scan._rows import JudgedRow, Nested

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reticent.scan.judge import Judge


def rewrite_parquet(source: str, judge: Judge) -> Callable[[Path, Path], None]:
    """What writes a Parquet file again; columns in which nothing goes are compared with the old ones."""

    def make(old: Path, new: Path) -> None:
        look = ParquetLook(source, old, judge)
        compression = _compression(look.file.metadata)
        writer = parquet.ParquetWriter(new, look.file.schema_arrow, compression=compression)
        try:
            for group in range(look.file.num_row_groups):
                table = _without(source, look, group)
                writer.write_table(table, row_group_size=max(1, look.file.metadata.row_group(group).num_rows))
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise Kept(source, "not-writable", f"a value has no place in its column ({type(error).__name__})") from None
        finally:
            writer.close()

    return make


def _without(source: str, look: ParquetLook, group: int) -> Any:
    """One row group without what was found in it."""
    table = look.file.read_row_group(group)
    changed: dict[str, dict[int, Any]] = {}
    for row, judged in look.judged(group):
        if not isinstance(judged, JudgedRow) or judged.whole:
            raise Kept(source, "whole-row", "a row as a whole is reasoning, or cannot be judged; filter it out")
        for name, cell in judged.changes.items():
            changed.setdefault(name, {})[row] = cell
    for name, cells in changed.items():
        at = table.schema.get_field_index(name)
        field = table.schema.field(name)
        values = table.column(name).to_pylist()
        for row, cell in cells.items():
            values[row] = _cell(cell, values[row], nullable=field.nullable)
        table = table.set_column(at, field, pa.array(values, type=field.type))
    return table


def _cell(cell: Any, old: Any, *, nullable: bool) -> Any:
    if isinstance(cell, Nested):
        return cell.applied(old)
    if cell is None and not nullable:
        return b"" if isinstance(old, bytes) else ""
    return cell


def _compression(metadata: Any) -> dict[str, str]:
    """The compression of each column, as the writer names it."""
    if not metadata.num_row_groups:
        return {}
    group = metadata.row_group(0)
    columns = [group.column(at) for at in range(metadata.num_columns)]
    names = {column.path_in_schema: str(column.compression) for column in columns}
    return {path: "none" if name == "UNCOMPRESSED" else name for path, name in names.items()}
