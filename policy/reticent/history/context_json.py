"""A :class:`Context` from JSON, for the command line and for requests over HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, cast

from reticent.errors import ConfigurationError, did_you_mean
from reticent.history.entries import Context

_SETS = frozenset({"abandoned", "terminal_tools", "checkpoints"})
_TYPES: dict[str, tuple[type, ...]] = {
    "tasks": (Mapping,),
    "nudges": (bool,),
    "text_tools": (bool, str),
    "stop_strings": (bool,),
    "concurrency": (int,),
    "ordered": (bool,),
    "server_state": (bool,),
}


def read_context(values: Any) -> Context:
    """The context that a JSON object describes; its members are those of :class:`Context`, sets given as lists.

    Raises:
        ConfigurationError: not an object, an unknown member, or a value of the wrong type. No value is quoted.
    """
    if not isinstance(values, Mapping):
        raise ConfigurationError("the context is a JSON object")
    given = cast("Mapping[str, Any]", values)
    known = [item.name for item in fields(Context)]
    for name in given:
        if name not in known:
            raise ConfigurationError(f"unknown context member {name!r}.{did_you_mean(name, known)}")
    return Context(**{name: _value(name, value) for name, value in given.items()})


def _value(name: str, value: Any) -> Any:
    if name in _SETS:
        return frozenset(_strings(name, value))
    wanted = _TYPES[name]
    if not isinstance(value, wanted) or (wanted == (int,) and isinstance(value, bool)):
        raise ConfigurationError(f"context member {name!r} is of the wrong type")
    if name == "tasks" and not all(isinstance(state, str) for state in cast("Mapping[str, Any]", value).values()):
        raise ConfigurationError("context member 'tasks' maps task ids to states")
    given: Any = value
    return given


def _strings(name: str, value: Any) -> Sequence[str]:
    found: Sequence[Any] = cast("Sequence[Any]", value) if isinstance(value, list) else (None,)
    if not all(isinstance(item, str) for item in found):
        raise ConfigurationError(f"context member {name!r} is a list of strings")
    return found
