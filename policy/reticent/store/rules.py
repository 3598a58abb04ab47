"""Replay rules as data: ``replay_rules.yaml`` as values, and which of them holds for a turn."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from reticent.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

_FILE: Final = Path(__file__).parent / "replay_rules.yaml"
_PREFIX: Final = re.compile(r"^(?:models/|.*/)?(?:(?:us|eu|apac|global|jp|au)\.)?(?:(?:anthropic|openai|google)[./])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRule:
    """What one provider, or one family of its models, wants back; the file explains each word."""

    name: str
    dialects: tuple[str, ...]
    models: tuple[str, ...]
    back: Literal["always", "never"]
    bound: Literal["turn", "prefix"]
    needed: Literal["yes", "in-tool-loops", "optional", "no"]
    refuses: str
    url: str
    read: str
    empty: tuple[str, ...] = ()


@cache
def replay_rules() -> Mapping[str, ReplayRule]:
    """Every rule by name, in the order in which they are tried.

    Raises:
        ConfigurationError: the file is missing from this installation.
    """
    from ruamel.yaml import YAML

    reader: Any = YAML(typ="safe", pure=True)
    try:
        loaded = reader.load(_FILE.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{_FILE.name} is missing from this installation") from error
    return {name: _rule(name, row) for name, row in loaded["rules"].items()}


def _rule(name: str, row: dict[str, Any]) -> ReplayRule:
    told: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return ReplayRule(name=name, **told)


def rule_for(dialect: str, model: str | None) -> ReplayRule:
    """The first rule for a dialect and a model id as an API names it; the last one when no dialect matches."""
    word = (model or "").strip().lower()
    names = (word, _PREFIX.sub("", word))
    rules = tuple(replay_rules().values())
    fitting = (
        rule
        for rule in rules
        if dialect in rule.dialects
        and (not rule.models or any(fnmatchcase(name, glob) for name in names for glob in rule.models))
    )
    return next(fitting, rules[-1])


def rule_named(name: str) -> ReplayRule:
    """The rule a turn was held under; one that a later release dropped counts as the last."""
    rules = replay_rules()
    return rules[name] if name in rules else list(rules.values())[-1]
