"""Which tools are sources of facts, and what in their results is one.

A tool that looks something up in the world is *external*. One that computes from what the model gave it, or that only
repeats it, says nothing the model did not say. A tool nobody has declared is no source.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, cast

from reticent.errors import ConfigurationError, did_you_mean


class ToolKind(StrEnum):
    """What a tool's result is made from."""

    EXTERNAL = "external"
    COMPUTE = "compute"
    """From the model's own arguments: a calculator."""
    ECHO = "echo"
    """It repeats what it was given: a draft, a note, a plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """What is known of one tool. ``found`` is a JSON Pointer to what is empty when nothing was found; ``""`` is all."""

    name: str
    kind: ToolKind = ToolKind.EXTERNAL
    found: str = ""
    polls: bool = False
    """It is meant to be called again with the same arguments."""
    changes: bool = False
    """It changes what other tools answer, so a repeated call behind it is no repetition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The declared tools, and the patterns by which an identifier is recognised in a result (regular expressions)."""

    tools: Sequence[Tool] = ()
    identifiers: Sequence[str] = ()
    by_name: Mapping[str, Tool] = field(init=False, repr=False)
    patterns: tuple[re.Pattern[str], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Index the tools and compile the patterns.

        Raises:
            ConfigurationError: a tool is declared twice, or a pattern is none or matches nothing at all.
        """
        names = [tool.name for tool in self.tools]
        if len(set(names)) < len(names):
            raise ConfigurationError("a tool is declared twice")
        object.__setattr__(self, "by_name", {tool.name: tool for tool in self.tools})
        object.__setattr__(self, "patterns", tuple(_compiled(pattern) for pattern in self.identifiers))

    def tool(self, name: str) -> Tool | None:
        """What is declared of ``name``."""
        return self.by_name.get(name)

    def identifiers_in(self, text: str) -> list[str]:
        """Everything in ``text`` that looks like an identifier, in order, each once."""
        found = (match.group() for pattern in self.patterns for match in pattern.finditer(text))
        return list(dict.fromkeys(found))


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except re.error:
        raise ConfigurationError("an identifier pattern is no regular expression") from None
    if compiled.match(""):
        raise ConfigurationError("an identifier pattern matches the empty text")
    return compiled


def read_sources(values: Any) -> Sources:
    """Sources from JSON: ``{"tools": {"get_order": {"kind": "external"}}, "identifiers": ["ORD-[0-9]+"]}``.

    Raises:
        ConfigurationError: an unknown member, or a value of the wrong type. No value is quoted.
    """
    given = _mapping(values, "sources")
    _known(given, ("tools", "identifiers"), "sources")
    tools = _mapping(given.get("tools", {}), "tools")
    patterns: Any = given.get("identifiers", [])
    if not isinstance(patterns, list) or not all(isinstance(item, str) for item in patterns):
        raise ConfigurationError("'identifiers' is a list of regular expressions")
    return Sources(tools=[_tool(name, row) for name, row in tools.items()], identifiers=patterns)


def _tool(name: str, row: Any) -> Tool:
    given = _mapping(row, "a tool")
    _known(given, [item.name for item in fields(Tool) if item.name != "name"], "a tool")
    kind = given.get("kind", "external")
    if kind not in set(ToolKind):
        raise ConfigurationError(f"the kind of a tool is one of {', '.join(ToolKind)}")
    found, flags = given.get("found", ""), [given.get("polls", False), given.get("changes", False)]
    if not isinstance(found, str) or not all(isinstance(flag, bool) for flag in flags):
        raise ConfigurationError("a member of a tool is of the wrong type")
    return Tool(name=name, kind=ToolKind(kind), found=found, polls=flags[0], changes=flags[1])


def _mapping(values: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(values, Mapping):
        raise ConfigurationError(f"{what}: a JSON object is wanted")
    return cast("Mapping[str, Any]", values)


def _known(given: Mapping[str, Any], known: Sequence[str], what: str) -> None:
    for name in given:
        if name not in known:
            raise ConfigurationError(f"unknown member {name!r} of {what}.{did_you_mean(name, known)}")
