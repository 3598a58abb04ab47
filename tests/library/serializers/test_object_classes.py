"""Corners of the classes that objects are of: caches, aliases, extras, defaults, required fields, serializers."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Any

import orjson
import pydantic
import pytest

import reticent

_CANARY = "CANARY-b81d02"
_LOGS = reticent.load_plan().serializer("logs")


def _holds_canary(value: Any) -> bool:
    seen = repr(value) + repr(getattr(value, "__dict__", "")) + repr(getattr(value, "__pydantic_private__", ""))
    return _CANARY in seen


class _Cached(pydantic.BaseModel):
    role: str = "assistant"
    content: list[dict[str, str]]
    hidden: dict[str, str] = pydantic.Field(default_factory=dict, exclude=True)
    _raw: dict[str, str] = pydantic.PrivateAttr(default_factory=dict)

    @cached_property
    def joined(self) -> str:
        """All there is, put together once."""
        return repr(self.content)


def test_what_a_model_cached_does_not_come_along() -> None:
    """A copy brings neither a cached property nor a private attribute nor an excluded field with reasoning."""
    made = _Cached(content=[{"type": "thinking", "thinking": _CANARY}], hidden={"reasoning_content": _CANARY})
    made._raw["body"] = _CANARY
    assert _CANARY in made.joined

    shown = _LOGS.value(made)

    assert type(shown) is _Cached
    assert not _holds_canary(shown)
    assert shown.hidden == {}
    assert shown._raw == {}
    assert "[]" == shown.joined


def test_excluded_field_is_looked_into() -> None:
    """A field that a dump leaves out is part of the object that is handed on."""
    made = _Cached(content=[], hidden={"reasoning_content": _CANARY, "kept": "yes"})

    assert {"kept": "yes"} == _LOGS.value(made).hidden


class _Aliased(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow", frozen=True)
    reasoning: str | None = pydantic.Field(default=None, alias="reasoningContent")
    role: str = "assistant"


def test_aliases_extras_and_frozen_models_are_copied() -> None:
    """A field is found by its name on the wire, an extra by its own, and a frozen model is copied all the same."""
    made = _Aliased.model_validate({"reasoningContent": _CANARY, "reasoning_content": _CANARY, "other": 1})

    shown = _LOGS.value(made)

    assert shown.reasoning is None
    assert {"other": 1} == shown.model_extra
    assert {"other": 1} == shown.model_dump(exclude_unset=True)


class _Needed(pydantic.BaseModel):
    role: str
    reasoning_content: str
    content: str


@dataclasses.dataclass
class _NeededToo:
    role: str
    reasoning_content: str
    content: str


@pytest.mark.parametrize("kind", [_Needed, _NeededToo])
def test_class_that_needs_its_reasoning_becomes_json(kind: Any) -> None:
    """Where a class cannot be without what went, the answer is the JSON values, and the report counts once."""
    made = kind(role="assistant", reasoning_content=_CANARY, content="Done.")

    assert {"role": "assistant", "content": "Done."} == _LOGS.value(made)
    assert 1 == _LOGS.report.total


class _Boxed(pydantic.RootModel[list[dict[str, str]]]):
    pass


def test_root_model_keeps_its_class() -> None:
    """A model around a list stands for the list, and is copied with it."""
    made = _Boxed([{"type": "thinking", "thinking": _CANARY}, {"type": "text", "text": "Done."}])

    shown = _LOGS.value(made)

    assert type(shown) is _Boxed
    assert [{"type": "text", "text": "Done."}] == shown.root
    assert b'[{"type":"text","text":"Done."}]' == _LOGS(made)


def test_default_that_tells_the_type_counts() -> None:
    """A LangChain message says that a model wrote it by a default, so its inline tags are found."""
    messages = pytest.importorskip("langchain_core.messages", reason="langchain-core is not installed")

    shown = _LOGS.value(messages.AIMessage(f"<think>{_CANARY}</think>Done."))

    assert "Done." == shown.content
    assert b"CANARY" not in _LOGS(messages.AIMessage(f"<think>{_CANARY}</think>Done."))


def test_default_that_was_filled_later_counts() -> None:
    """A dict that was never set as a field, and was written into afterwards, is looked into and written."""
    messages = pytest.importorskip("langchain_core.messages", reason="langchain-core is not installed")
    made = messages.AIMessage("Done.")
    made.additional_kwargs.update(reasoning_content=_CANARY, kept="yes")

    assert {"kept": "yes"} == _LOGS.value(made).additional_kwargs
    assert {"kept": "yes"} == orjson.loads(_LOGS(made))["additional_kwargs"]


def test_object_without_reasoning_is_written() -> None:
    """An object that loses nothing still has its JSON form, and is itself as a value."""
    made = _Aliased.model_validate({"other": 1})

    assert b'{"role":"assistant","other":1}' == _LOGS(made)
    assert _LOGS.value(made) is made


def test_own_serializers_are_heard() -> None:
    """Members that a class leaves out or spells by itself stay so in JSON."""

    class Spelled(pydantic.BaseModel):
        role: str = "assistant"
        seconds: int
        content: list[dict[str, str]]

        @pydantic.field_serializer("seconds")
        def _spelled(self, value: int) -> str:
            return f"{value}s"

    made = Spelled(seconds=3, content=[{"type": "thinking", "thinking": _CANARY}, {"type": "text", "text": "x"}])

    assert {"role": "assistant", "seconds": "3s", "content": [{"type": "text", "text": "x"}]} == orjson.loads(
        _LOGS(made)
    )
    assert type(_LOGS.value(made)) is Spelled
    assert 3 == _LOGS.value(made).seconds
