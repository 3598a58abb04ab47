"""Python objects as the JSON values their SDK would send: dicts, lists, strings, numbers.

SDK objects are accepted wherever JSON is: Pydantic models (anthropic, openai, google-genai, mistralai, langchain),
dataclasses (pydantic-ai, claude-agent-sdk), attrs classes, TypedDicts, named tuples, protobuf messages. Of a Pydantic
model come the fields that were set, because that is what was on the wire, and those that hold something all the same.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import decimal
import enum
import uuid
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from reticent.errors import CyclicInput, InputTooDeep, UnsupportedType
from reticent.serializers import _models

_TEXTUAL = (dt.datetime, dt.date, dt.time)


def plain(value: Any, *, max_depth: int = 200, hidden: bool = False) -> Any:
    """``value`` as JSON values; parts that are JSON already may be shared with the input.

    ``hidden`` adds fields that a model would leave out of a dump, for a caller who hands on the object itself.

    Raises:
        CyclicInput: ``value`` contains itself.
        InputTooDeep: ``value`` nests deeper than ``max_depth``.
        UnsupportedType: some part of ``value`` has no JSON form; the message names its class.
    """
    return _Converter(max_depth, hidden=hidden).convert(value, 0)


class _Converter:
    def __init__(self, max_depth: int, *, hidden: bool = False) -> None:
        self._max_depth = max_depth
        self._hidden = hidden
        self._path: set[int] = set()

    def convert(self, value: Any, depth: int) -> Any:
        kind = value.__class__
        if kind in (str, int, float, bool, type(None)):
            return value
        scalar = _scalar(value)
        if scalar is not None:
            return scalar
        if id(value) in self._path:
            raise CyclicInput(f"a {kind.__name__} contains itself")
        if depth > self._max_depth:
            raise InputTooDeep(f"nested deeper than {self._max_depth} levels")
        self._path.add(id(value))
        try:
            return self._container(value, depth + 1)
        finally:
            self._path.discard(id(value))

    def _container(self, value: Any, depth: int) -> Any:
        if _models.is_root(value):
            return self.convert(value.root, depth)
        if isinstance(value, Mapping):
            return {member_name(key): self.convert(item, depth) for key, item in value.items()}
        fields = _fields(value, hidden=self._hidden)
        if fields is not None:
            return {name: self.convert(item, depth) for name, item in fields.items()}
        if isinstance(value, (Sequence, AbstractSet)):
            return [self.convert(item, depth) for item in value]
        return _spelled(value)


def _scalar(value: Any) -> Any:
    """The JSON scalar of a value that is one, else None."""
    if isinstance(value, enum.Enum):
        return _scalar(value.value) if not isinstance(value.value, (str, int, float)) else value.value
    for base in (str, bool, int, float):
        if isinstance(value, base):
            return base(value)
    if isinstance(value, _TEXTUAL):
        return value.isoformat()
    if isinstance(value, (uuid.UUID, decimal.Decimal)):
        return str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode()
    return None


def _spelled(value: Any) -> str | int | float:
    """The JSON scalar that Pydantic writes for a value of the standard library (a path, a URL, a duration)."""
    import pydantic_core

    if not isinstance(value, Iterator):
        try:
            told = pydantic_core.to_jsonable_python(value)
        except ValueError:
            told = None
        if isinstance(told, (str, int, float)):
            return told
    raise UnsupportedType(f"{type(value).__module__}.{type(value).__qualname__} has no JSON form")


def member_name(key: Any) -> str:
    """The name that a key of a Python mapping has in JSON."""
    if isinstance(key, str):
        return str(key)
    if isinstance(key, (int, float, bool)) or key is None:
        return (
            {True: "true", False: "false", None: "null"}.get(key, str(key))
            if not isinstance(key, (int, float)) or isinstance(key, bool)
            else str(key)
        )
    raise UnsupportedType(f"a key of class {type(key).__qualname__} has no JSON form")


def _fields(value: Any, *, hidden: bool) -> Mapping[str, Any] | None:
    """The members of an object that has some, else None."""
    if _models.is_model(value):
        return _model_members(value, hidden=hidden)
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return _dumped(dump)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value)}
    attributes = getattr(type(value), "__attrs_attrs__", None)
    if attributes is not None:
        return {attribute.name: getattr(value, attribute.name, None) for attribute in attributes}
    if hasattr(type(value), "DESCRIPTOR"):
        return _protobuf_fields(value)
    return None


def _model_members(value: Any, *, hidden: bool) -> Mapping[str, Any]:
    try:
        return _models.members(value, hidden=hidden)
    except ValueError as error:  # pydantic's own errors quote the value
        kind = type(error).__name__
    raise UnsupportedType(f"{type(value).__qualname__} does not serialise: {kind}")


def _dumped(dump: Any) -> Mapping[str, Any]:
    """The fields of an object that only looks like a Pydantic model."""
    fields: Mapping[str, Any] = dump()
    return fields


def _protobuf_fields(value: Any) -> Mapping[str, Any]:
    from google.protobuf.json_format import MessageToDict

    fields: Mapping[str, Any] = MessageToDict(value)
    return fields
