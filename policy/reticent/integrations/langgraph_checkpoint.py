"""LangGraph: a serde that judges checkpoints on their way into the checkpointer's store.

.. code-block:: python

    from langgraph.checkpoint.sqlite import SqliteSaver
    from reticent.integrations.langgraph_checkpoint import ReticentSerde

    saver = SqliteSaver(connection, serde=ReticentSerde("conversation_db"))

Checkpoints are read again by the graph, so a value that cannot be judged fails the write; ``strict=False`` stores a
placeholder instead. Give task-bound checkpoints a surface of their own when their store is one that may hold reasoning.
https://docs.langchain.com/oss/python/langgraph/persistence
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final

from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from reticent.errors import EgressRefused, InputTooDeep, UnsupportedType
from reticent.integrations._guard import Guard, PlanSource

__all__ = ["ReticentSerde"]

_DEEPEST: Final = 64


class ReticentSerde(SerializerProtocol):
    """Writes through ``inner`` what of a checkpoint may rest on ``surface``; reads what is there."""

    def __init__(
        self, surface: str, *, inner: SerializerProtocol | None = None, plan: PlanSource = None, strict: bool = True
    ) -> None:
        """Guard checkpoints on their way to ``surface``; ``inner`` defaults to LangGraph's own serde.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        self.guard = Guard(surface, plan=plan, strict=strict)
        self.inner = inner or JsonPlusSerializer()

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """The kind and the bytes to store.

        Raises:
            EgressRefused: the guard is strict, and a part of the state can neither be judged nor is known to be inert.
        """
        try:
            kept = obj if self.guard.passes else self._judged(obj, 0)
        except EgressRefused as error:
            kept = self.guard.withheld(error, None)
            if self.guard.strict:
                raise
        return self.inner.dumps_typed(kept)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """The object that was stored."""
        return self.inner.loads_typed(data)

    def _judged(self, value: Any, depth: int) -> Any:
        """``value`` without reasoning, part by part where the whole holds an object that has no JSON form."""
        try:
            return self.guard.serializer.value(value)
        except UnsupportedType:
            if depth > _DEEPEST:
                raise InputTooDeep(f"a state nests deeper than {_DEEPEST} levels") from None
            return self._parts(value, depth + 1)

    def _parts(self, value: Any, depth: int) -> Any:
        if isinstance(value, Mapping):
            return {key: self._judged(item, depth) for key, item in value.items()}
        if isinstance(value, list):
            return [self._judged(item, depth) for item in value]
        if type(value) in (tuple, set, frozenset):
            return type(value)(self._judged(item, depth) for item in value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = [field.name for field in dataclasses.fields(value) if field.init]
            return dataclasses.replace(value, **{name: self._judged(getattr(value, name), depth) for name in fields})
        return self._object(value, depth)

    def _object(self, value: Any, depth: int) -> Any:
        """An object of another class: it stays when nothing in its attributes is reasoning."""
        names = getattr(type(value), "__slots__", None)
        held = vars(value) if hasattr(value, "__dict__") else None
        if held is None and names:
            held = {name: getattr(value, name) for name in names if hasattr(value, name)}
        if held is None:
            raise UnsupportedType(f"a {type(value).__qualname__} in the state has no JSON form")
        kept = {name: self._judged(item, depth) for name, item in held.items()}
        if any(kept[name] is not held[name] for name in kept):
            raise UnsupportedType(f"a {type(value).__qualname__} in the state holds reasoning that cannot be cut out")
        return value
