"""Pydantic models as members: the key that is on the wire, and the attribute that holds the value.

A model is read field by field and not dumped, so that what is found in it can be carried back into a copy of the same
class. Fields that were never set are left out, as on the wire, unless they hold something: a list or dict that was
filled later, or the word that tells what the object is (``type: "ai"`` of a LangChain message is a default).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

_SCALARS: Final = (str, int, float, bool, bytes, type(None))


def is_model(value: Any) -> bool:
    """Whether ``value`` is an instance of a Pydantic 2 model."""
    kind = type(value)
    return hasattr(kind, "model_fields") and hasattr(kind, "__pydantic_decorators__") and callable(kind.model_dump)


def is_root(value: Any) -> bool:
    """Whether ``value`` is a model around one value that is no object of its own on the wire."""
    return bool(getattr(type(value), "__pydantic_root_model__", False))


def members(model: Any, *, hidden: bool = False) -> dict[str, Any]:
    """The members of ``model`` by the key they have on the wire; values as the model holds them.

    ``hidden`` adds fields that a dump leaves out (``Field(exclude=True)``).
    """
    found: dict[str, Any] = {}
    for key, name, excluded in _fields(type(model)):
        if name not in model.__dict__ or (excluded and not hidden):
            continue
        value = model.__dict__[name]
        if name in model.model_fields_set or _holds_something(value):
            found[key] = value
    found.update(model.__pydantic_extra__ or {})
    return _as_serialized(model, found) if _serializers(type(model)) else found


def attribute(kind: type[Any], key: str) -> str | None:
    """The field that is ``key`` on the wire, None when the class declares none (an extra)."""
    return next((name for wire, name, _ in _fields(kind) if wire == key), None)


def _fields(kind: Any) -> Iterator[tuple[str, str, bool]]:
    for name, field in kind.model_fields.items():
        yield field.serialization_alias or field.alias or name, name, field.exclude is True


def _holds_something(value: Any) -> bool:
    return bool(value) and not isinstance(value, (bool, int, float))


def _serializers(kind: Any) -> bool:
    decorators = kind.__pydantic_decorators__
    return bool(decorators.model_serializers or decorators.field_serializers)


def _as_serialized(model: Any, found: Mapping[str, Any]) -> dict[str, Any]:
    """``found`` as the class's own serializers want it: members they leave out, add, or spell differently."""
    dumped = model.model_dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
    if not isinstance(dumped, dict):
        return dict(found)
    kept = {key: value for key, value in found.items() if key in dumped or not _is_sentinel(value)}
    for key, value in dumped.items():
        if key not in kept or isinstance(kept[key], _SCALARS):
            kept[key] = value
    return kept


def _is_sentinel(value: Any) -> bool:
    """Whether ``value`` only says that nothing was set (``UNSET`` of generated SDKs)."""
    return is_model(value) and not members(value)
