r"""A team's own Pydantic model as the schema of its facts: each field says which tool it comes from.

.. code-block:: python

    class OrderFacts(BaseModel):
        total: Annotated[Decimal | None, From("get_order", "/total")] = None
        policy: Annotated[str | None, From("search_policies", pattern=r"POL-\d+ v\d+")] = None

The scratchpad keeps the literal; the model gives the typed value of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from reticent.errors import ConfigurationError
from reticent.history.exchanges import Spelled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import BaseModel, TypeAdapter

    from reticent.history.exchanges import Exchange
    from reticent.history.scratchpad.records import Fact, Scratchpad

Model = TypeVar("Model", bound="BaseModel")


@dataclass(frozen=True, slots=True)
class From:
    """Where a field's value stands: the tool, and a JSON Pointer into its result or a pattern over its text.

    With a pattern the first group counts, or all of the match when there is none.
    """

    tool: str
    pointer: str | None = None
    pattern: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Refuse a source that points nowhere.

        Raises:
            ConfigurationError: neither or both of pointer and pattern, or one that is none.
        """
        if (self.pointer is None) == (self.pattern is None):
            raise ConfigurationError("a field comes From(tool, pointer) or From(tool, pattern=...)")
        if self.pointer is not None and self.pointer and not self.pointer.startswith("/"):
            raise ConfigurationError(f"{self.pointer!r} is no JSON Pointer; it begins with '/'")
        if self.pattern is not None:
            try:
                re.compile(self.pattern)
            except re.error:
                raise ConfigurationError(
                    f"the pattern of a field from {self.tool!r} is no regular expression"
                ) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One field of a schema: its key, its source, and what checks its type."""

    key: str
    source: From
    adapter: TypeAdapter[Any]


@cache
def columns_of(schema: type[BaseModel]) -> tuple[Column, ...]:
    """The fields of ``schema``.

    Raises:
        ConfigurationError: a field names no source, or has no default (nothing is known before a tool has answered).
    """
    from pydantic import TypeAdapter

    # A schema that names a class defined behind it is whole only now.
    schema.model_rebuild()
    columns: list[Column] = []
    for name, info in schema.model_fields.items():
        sources = [found for found in info.metadata if isinstance(found, From)]
        if len(sources) != 1:
            raise ConfigurationError(f"field {name!r} of {schema.__name__} names no source: Annotated[..., From(...)]")
        if info.is_required():
            raise ConfigurationError(
                f"field {name!r} of {schema.__name__} needs a default, for it may not be known yet"
            )
        whole: Any = Annotated[info.annotation, *info.metadata]
        columns.append(Column(key=name, source=sources[0], adapter=TypeAdapter(whole)))
    return tuple(columns)


def taken(exchange: Exchange, schema: type[BaseModel]) -> Iterator[tuple[Column, str]]:
    """What ``schema`` finds in one result: columns with the literals of their values, untested."""
    for column in columns_of(schema):
        if column.source.tool != exchange.tool:
            continue
        literal = literal_at(exchange, column.source)
        if literal is not None:
            yield column, literal


def literal_at(exchange: Exchange, source: From) -> str | None:
    """The scalar that ``source`` points at, as it was spelt; None when there is none."""
    if source.pattern is not None:
        match = re.search(source.pattern, exchange.body)
        return None if match is None else (match.group(1) if match.re.groups else match.group())
    try:
        value = pointed(exchange.value(), source.pointer or "")
    except (KeyError, IndexError, ValueError, TypeError):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | Spelled) else None


def pointed(value: Any, pointer: str) -> Any:
    """What stands at a JSON Pointer (RFC 6901)."""
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def fits(column: Column, literal: str) -> bool:
    """Whether the literal is a value of the field's type."""
    from pydantic import ValidationError

    try:
        column.adapter.validate_python(literal)
    except ValidationError:
        return False
    return True


def view(pad: Scratchpad, schema: type[Model]) -> Model:
    """The newest facts of ``pad`` as the team's model; what is not known has its default."""
    current: Mapping[str, Fact] = pad.current
    return schema.model_validate({c.key: current[c.key].literal for c in columns_of(schema) if c.key in current})
