"""Python objects in, objects of the same classes out: edits carried out on the objects themselves.

A copy is made along the touched path, as for JSON values: Pydantic models by ``model_copy``, dataclasses by
``dataclasses.replace``, attrs classes by ``attrs.evolve``. What a class cannot be without (a required field that goes)
makes the whole answer the JSON values that the object stands for, which is always right and never half an object.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from reticent.edits import DROP, Children, Cut, Edit, Insert, Put, Rename, apply
from reticent.serializers import _models, cutting
from reticent.serializers.plain import member_name

if TYPE_CHECKING:
    from reticent.serializers.cutting import Find
    from reticent.serializers.program import Program
    from reticent.serializers.report import Report

_PLAIN = (str, int, float, bool, type(None))


class Unfaithful(Exception):
    """An edit cannot be carried out on an object of its class; a signal between modules, never seen by a caller."""


def strip(payload: Any, program: Program, report: Report, find: Find = cutting.everything) -> Any:
    """``payload`` without what ``find`` finds: the same object when that is nothing, else a copy of the same class."""
    value, edit = cutting.cut_value(payload, program, report, find, hidden=True)
    if edit is None:
        return payload
    if value is payload:
        return apply(value, edit)
    try:
        return edited(payload, edit)
    except Unfaithful:
        report.clear()
    return apply(*cutting.cut_value(payload, program, report, find))


def edited(value: Any, edit: Edit | None) -> Any:
    """``value`` with ``edit``, which was found in the JSON values it stands for, carried out; never changes ``value``.

    Raises:
        Unfaithful: the class of something in it cannot be without what goes.
    """
    if edit is None or edit is DROP:
        return None if edit is DROP else value
    if _models.is_root(value):
        return value.model_copy(update={"root": edited(value.root, edit)})
    if isinstance(edit, Put):
        return edit.value if _is_json(value) or not isinstance(edit.value, (dict, list)) else made(value, edit.value)
    if isinstance(edit, Cut):
        if type(value) is not str:
            raise Unfaithful
        return edit.apply(value)
    if isinstance(edit, dict):
        return _children(value, edit)
    raise Unfaithful


def made(like: Any, value: Any) -> Any:
    """An object of the class of ``like`` that stands for the JSON values ``value``.

    Raises:
        Unfaithful: the class does not take these values.
    """
    kind: Any = type(like)
    if _is_json(like) or not isinstance(value, dict):
        return value
    try:
        if _models.is_model(like):
            return _constructor(kind)(value)
        if dataclasses.is_dataclass(like):
            return _adapter(kind).validate_python(value)
    except (TypeError, ValueError):
        pass
    raise Unfaithful


def _is_json(value: Any) -> bool:
    return isinstance(value, (*_PLAIN, dict, list))


def _constructor(kind: Any) -> Any:
    """How a model is built from values: generated SDKs have a lenient way of their own, which takes any block type."""
    from pydantic import BaseModel

    own = next((base for base in kind.__mro__ if "construct" in vars(base)), BaseModel)
    return kind.model_validate if own is BaseModel else lambda value: kind.construct(**value)


@lru_cache(maxsize=256)
def _adapter(kind: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _children(value: Any, edits: Children) -> Any:
    if isinstance(value, dict):
        return _dict(value, edits)
    if isinstance(value, list) or type(value) is tuple:
        kept = list(_elements(value, edits))
        return kept if type(value) is list else _same_sequence(value, kept)
    if _models.is_model(value):
        return _model(value, edits)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _dataclass(value, edits)
    if hasattr(type(value), "__attrs_attrs__"):
        return _attrs(value, edits)
    raise Unfaithful


def _dict(value: dict[Any, Any], edits: Children) -> Any:
    """A dict of the same class with the edits of its members; one with a class of its own is copied and changed."""
    out: dict[Any, Any] = {}
    for key, child in value.items():
        edit = edits.get(member_name(key))
        if isinstance(edit, Rename):
            out[edit.key] = edited(child, edit.edit)
        elif edit is not DROP:
            out[key] = edited(child, edit)
    if type(value) is dict:
        return out
    same = copy.copy(value)
    same.clear()
    same.update(out)
    return same


def _elements(value: Any, edits: Children) -> Iterator[Any]:
    for position, child in enumerate(value):
        edit = edits.get(position)
        if isinstance(edit, Insert):
            yield from (made(child, new) for new in edit.before)
            if edit.edit is not DROP:
                yield edited(child, edit.edit)
            yield from (made(child, new) for new in edit.after)
        elif edit is not DROP:
            yield edited(child, edit)


def _same_sequence(value: Any, kept: list[Any]) -> Any:
    if type(value) is tuple:
        return tuple(kept)
    same = copy.copy(value)
    same[:] = kept
    return same


def _model(model: Any, edits: Children) -> Any:
    same = model.model_copy()
    extra = dict(model.__pydantic_extra__ or {})
    known = {name: value for name, value in same.__dict__.items() if name in type(model).model_fields}
    told = set(model.model_fields_set)
    for key, edit in edits.items():
        name = _models.attribute(type(model), key)
        if isinstance(edit, Rename) or (name is None and key not in extra):
            raise Unfaithful
        values, at = (extra, key) if name is None else (known, name)
        if edit is not DROP:
            values[at] = edited(values[at], edit)
        elif name is None:
            del extra[key]
        else:
            known[name] = _default(type(model).model_fields[name])
            told.discard(name)
    # Set behind the model's back: it may be frozen, and what it cached about its old content must not come along.
    object.__setattr__(same, "__dict__", known)
    object.__setattr__(same, "__pydantic_fields_set__", told)
    object.__setattr__(same, "__pydantic_extra__", extra if model.__pydantic_extra__ is not None else None)
    object.__setattr__(same, "__pydantic_private__", _private(model))
    return same


def _default(field: Any) -> Any:
    """What a field is when nobody sets it.

    Raises:
        Unfaithful: somebody has to.
    """
    if field.is_required():
        raise Unfaithful
    try:
        return field.get_default(call_default_factory=True)
    except (TypeError, ValueError):
        raise Unfaithful from None


def _private(model: Any) -> dict[str, Any] | None:
    """Private attributes of a copy: ids and numbers stay, whatever could hold content starts anew."""
    private: Mapping[str, Any] | None = model.__pydantic_private__
    if private is None:
        return None
    kept: dict[str, Any] = {}
    for name, value in private.items():
        if _is_harmless(name, value):
            kept[name] = value
        else:
            kept.update(_first_value(name, type(model).__private_attributes__.get(name)))
    return kept


def _first_value(name: str, told: Any) -> dict[str, Any]:
    """What a private attribute holds in a new object; nothing when its model sets it itself."""
    from pydantic_core import PydanticUndefined

    if told is not None and told.default_factory is not None:
        return {name: told.default_factory()}
    if told is None or told.default is PydanticUndefined:
        return {}
    return {name: copy.deepcopy(told.default)}


def _is_harmless(name: str, value: Any) -> bool:
    return isinstance(value, _PLAIN) and (not isinstance(value, str) or name.endswith("_id"))


def _dataclass(value: Any, edits: Children) -> Any:
    fields = {field.name: field for field in dataclasses.fields(value)}
    changes: dict[str, Any] = {}
    for name, edit in edits.items():
        if isinstance(edit, Rename) or name not in fields:
            raise Unfaithful
        changes[name] = _field_default(fields[name]) if edit is DROP else edited(getattr(value, name), edit)
    try:
        return dataclasses.replace(value, **changes)
    except (TypeError, ValueError):
        raise Unfaithful from None


def _field_default(field: Any) -> Any:
    if field.default is not dataclasses.MISSING:
        return field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    raise Unfaithful


def _attrs(value: Any, edits: Children) -> Any:
    import attr

    fields = {field.name: field for field in attr.fields(type(value))}
    changes: dict[str, Any] = {}
    for name, edit in edits.items():
        if isinstance(edit, Rename) or name not in fields:
            raise Unfaithful
        changes[fields[name].alias] = (
            _attrs_default(fields[name]) if edit is DROP else edited(getattr(value, name), edit)
        )
    try:
        return attr.evolve(value, **changes)
    except (TypeError, ValueError):
        raise Unfaithful from None


def _attrs_default(field: Any) -> Any:
    import attr

    made = getattr(field.default, "factory", None)
    if field.default is attr.NOTHING or getattr(field.default, "takes_self", False):
        raise Unfaithful
    return field.default if made is None else made()
