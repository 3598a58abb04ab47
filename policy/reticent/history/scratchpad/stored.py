"""The scratchpad as JSON, for stores, files and requests; reading it checks every field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any, TypeVar, cast

from reticent.errors import ConfigurationError, UnsourcedValue
from reticent.history.scratchpad.records import Attempt, Fact, Note, Scratchpad

VERSION = 1

Record = TypeVar("Record", Fact, Attempt, Note)


def to_json(pad: Scratchpad) -> dict[str, Any]:
    """All of it. The answer holds content and belongs where the task's content may rest."""
    return {"version": VERSION, **asdict(pad)}


def from_json(values: Any) -> Scratchpad:
    """The scratchpad that a JSON object describes.

    Raises:
        ConfigurationError: it is none, of another version, or a member is of the wrong type; no value is quoted.
        UnsourcedValue: a fact names no tool or no call.
    """
    given = _mapping(values)
    if given.get("version") != VERSION:
        raise ConfigurationError(f"the scratchpad is not of version {VERSION}")
    unknown = set(given) - {item.name for item in fields(Scratchpad)} - {"version"}
    if unknown:
        raise ConfigurationError("the scratchpad has a member that nobody knows")
    task_id, tenant = given.get("task_id", ""), given.get("tenant", "")
    if not isinstance(task_id, str) or not isinstance(tenant, str):
        raise ConfigurationError("task_id and tenant of the scratchpad are text")
    return Scratchpad(
        task_id=task_id,
        tenant=tenant,
        facts=_rows(given, "facts", Fact),
        attempts=_rows(given, "attempts", Attempt),
        notes=_rows(given, "notes", Note, {"covers": _texts}),
    )


def _rows(
    given: Mapping[str, Any], name: str, record: type[Record], read: Mapping[str, Callable[[Any], Any]] | None = None
) -> tuple[Record, ...]:
    rows = given.get(name, [])
    if not isinstance(rows, list | tuple):
        raise ConfigurationError(f"{name!r} of the scratchpad is a list")
    return tuple(_record(name, row, record, read or {}) for row in cast("list[Any]", rows))


def _record(name: str, row: Any, record: type[Record], read: Mapping[str, Callable[[Any], Any]]) -> Record:
    given = _mapping(row)
    types = {item.name: str(item.type) for item in fields(record)}
    values: dict[str, Any] = {}
    for key, value in given.items():
        wanted = {"str": str, "int": int}.get(types.get(key, ""))
        if key not in types or (wanted is not None and (not isinstance(value, wanted) or isinstance(value, bool))):
            raise ConfigurationError(f"a member of {name!r} of the scratchpad is unknown or of the wrong type")
        values[key] = read[key](value) if key in read else value
    try:
        return record(**values)
    except TypeError:
        error: type[ConfigurationError | UnsourcedValue] = UnsourcedValue if record is Fact else ConfigurationError
        raise error(f"a member of a row of {name!r} of the scratchpad is missing") from None


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in cast("list[Any]", value)):
        raise ConfigurationError("'covers' of a note is a list of handles")
    return tuple(cast("list[str]", value))


def _mapping(values: Any) -> Mapping[str, Any]:
    if not isinstance(values, Mapping):
        raise ConfigurationError("the scratchpad is a JSON object")
    return cast("Mapping[str, Any]", values)
