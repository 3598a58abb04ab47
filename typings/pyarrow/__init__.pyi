from collections.abc import Sequence
from typing import Any

class ArrowException(Exception): ...

class DataType:
    value_type: DataType
    num_fields: int
    def field(self, at: int) -> Field: ...

class Field:
    name: str
    type: DataType
    nullable: bool

class Schema:
    def __iter__(self) -> Any: ...
    def field(self, name: str) -> Field: ...
    def get_field_index(self, name: str) -> int: ...

class Buffer:
    def to_pybytes(self) -> bytes: ...

class Array:
    def buffers(self) -> list[Buffer | None]: ...

class RecordBatch:
    num_rows: int
    columns: list[Array]
    def to_pylist(self) -> list[dict[str, Any]]: ...

class Table:
    schema: Schema
    column_names: list[str]
    def column(self, name: str) -> Any: ...
    def set_column(self, at: int, field: Field, column: Any) -> Table: ...

def table(values: Any, schema: Schema | None = None) -> Table: ...
def array(values: Sequence[Any], *, type: DataType) -> Any: ...  # noqa: A002
