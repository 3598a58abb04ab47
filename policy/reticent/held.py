"""Reasoning in request memory: an object that shows a placeholder to everything that prints, dumps or pickles it.

The table lets reasoning rest in the memory of one request as long as the only way out of it is code we wrote and there
is none. ``Held`` is how that is kept true: to ``repr``, ``str``, ``format``, ``json.dumps``, ``orjson``, ``pickle``,
``copy`` and a Pydantic dump it is a short text, because it *is* that text. What it holds comes out of ``open()`` alone.

>>> from reticent import Held
>>> held = Held({"type": "thinking", "thinking": "the customer is wrong", "signature": "c2ln"})
>>> held
'[reticent holds a dict: 41 characters]'
>>> held.open()["type"]
'thinking'
"""

from __future__ import annotations

from typing import Any, Generic, Self, TypeVar

from reticent.serializers.plain import plain
from reticent.serializers.report import measure

__all__ = ["Held"]

T = TypeVar("T")


class Held(str, Generic[T]):
    """A value that only ``open()`` hands out.

    It is a ``str``, so that no encoder can look behind it: to all of them it is the placeholder, which tells the class
    of the value and the number of characters in it. A pickle holds the placeholder alone, and so does a copy that went
    through one; ``copy.copy`` and ``copy.deepcopy`` give the same object. Two are equal only if they are one.
    """

    __slots__ = ("__value",)
    __value: T

    def __new__(cls, value: T) -> Self:
        """Hold ``value``, which is not copied."""
        held = super().__new__(cls, _placeholder(value))
        object.__setattr__(held, "_Held__value", value)
        return held

    def open(self) -> T:
        """The value itself; from here on it is yours to guard."""
        return self.__value

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a held value cannot be exchanged")

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __hash__(self) -> int:
        return id(self)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __reduce_ex__(self, _protocol: object) -> tuple[Any, ...]:
        return (str, (str(self),))

    def __sizeof__(self) -> int:
        return str.__sizeof__(str(self))

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> Any:
        """Lets models have a field of this class: it is checked by class and dumped as its placeholder."""
        from pydantic_core import core_schema

        return core_schema.is_instance_schema(
            cls,
            serialization=core_schema.plain_serializer_function_ser_schema(str, return_schema=core_schema.str_schema()),
        )


def _placeholder(value: object) -> str:
    kind = type(value).__name__
    try:
        length = measure(plain(value, hidden=True))
    except Exception:  # noqa: BLE001 - whatever a value does when it is looked at, it is held
        return f"[reticent holds a {kind}]"
    return f"[reticent holds a {kind}: {length} characters]"


def opened(value: Any) -> Any:
    """``value`` with what is held in its lists and dictionaries opened, for a body that goes to a producer."""
    if isinstance(value, Held):
        return value.open()
    if isinstance(value, dict):
        return {key: opened(item) for key, item in value.items()}
    if isinstance(value, list):
        return [opened(item) for item in value]
    return value
