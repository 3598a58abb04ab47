"""What a changed table would have done to calls that a decision log tells of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from reticent.dialects import all_dialects
from reticent.errors import MalformedInput

if TYPE_CHECKING:
    from reticent.compiler import Plan

VERSION = 1


@dataclass(slots=True)
class Change:
    """What would have been different for one surface: calls, and what of it by rule.

    ``opens`` counts removals that would not have been made; ``closes`` are the classes that went out then and would
    not have. How much of those a call held is not known: what passes is not looked at.
    """

    surface: str
    calls: int = 0
    bytes_in: int = 0
    opens: dict[str, int] = field(default_factory=dict[str, int])
    closes: list[str] = field(default_factory=list[str])
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Replay:
    """The whole answer."""

    calls: int
    skipped: int
    changes: tuple[Change, ...]

    @property
    def opens(self) -> bool:
        """Whether anything would have left that did not."""
        return any(change.opens for change in self.changes)


def replay(lines: Iterable[bytes], old: Plan, new: Plan) -> Replay:
    """Go through a decision log; calls that were made under another plan than ``old`` are judged by their removals.

    Raises:
        MalformedInput: a line is no JSON, or of a version that this release does not read.
    """
    calls = skipped = 0
    found: dict[str, Change] = {}
    for number, line in enumerate(lines, start=1):
        told = _record(line, number)
        surface = told.get("surface") if told is not None else None
        if told is None or not isinstance(surface, str) or told.get("outcome") != "filtered":
            skipped += 1
            continue
        calls += 1
        _judge(found.setdefault(surface, Change(surface)), told, old, new)
    changed = tuple(change for change in found.values() if change.opens or change.closes or change.gone)
    return Replay(calls, skipped, changed)


def to_text(told: Replay) -> str:
    """Plain lines."""
    lines = [f"{told.calls} calls replayed, {told.skipped} lines without a decision on content"]
    for change in told.changes:
        lines.append(f"{change.surface}: {change.calls} calls, {change.bytes_in} bytes")
        lines += [f"  opens   {rule}: {count} would have gone out" for rule, count in sorted(change.opens.items())]
        lines += [f"  closes  {name}: would be withheld now" for name in change.closes]
        lines += ["  closes  the surface is gone: every call would be refused"] if change.gone else []
    if not told.changes:
        lines.append("Nothing opens, nothing closes.")
    return "\n".join(lines) + "\n"


def to_json(told: Replay) -> str:
    """The same for programs."""
    content = {
        "calls": told.calls,
        "skipped": told.skipped,
        "opens": told.opens,
        "changes": [asdict(change) for change in told.changes],
    }
    return json.dumps(content, indent=2) + "\n"


def _judge(change: Change, told: Mapping[str, Any], old: Plan, new: Plan) -> None:
    change.calls += 1
    change.bytes_in += int(told.get("bytes_in", 0))
    after = new.decisions.get(change.surface)
    if after is None:
        change.gone = True
        return
    for rule, (count, _) in told.get("removed", {}).items():
        # A rule that nobody knows any more is taken to open as soon as anything passes.
        classes = _classes_by_rule().get(rule, _REASONING)
        if any(verdict == "pass" and name in classes for name, verdict in after.classes.items()):
            change.opens[rule] = change.opens.get(rule, 0) + int(count)
    before = old.decisions.get(change.surface)
    if before is not None:
        change.closes = [name for name in after.classes if (before.classes[name], after.classes[name]) == _CLOSED]


_CLOSED = ("pass", "strip")
_REASONING = frozenset({"text", "summary", "opaque"})


@cache
def _classes_by_rule() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for dialect in all_dialects():
        kinds = dialect.kinds
        told = [(rule.name, rule.reasoning_class) for rule in kinds.blocks]
        told += [(rule.name, rule.reasoning_class) for rule in kinds.members]
        for name, reasoning_class in told:
            found.setdefault(name, set()).add(reasoning_class)
    return {name: frozenset(classes) for name, classes in found.items()}


def _record(line: bytes, number: int) -> Mapping[str, Any] | None:
    """The record in one line; None for an empty line and for what is no decision."""
    if not line.strip():
        return None
    try:
        told = json.loads(line)
    except ValueError:
        raise MalformedInput(f"line {number} of the log is not JSON") from None
    if not isinstance(told, dict) or told.get("event") != "decision":
        return None
    if told.get("version") != VERSION:
        raise MalformedInput(f"line {number} of the log is of a version that this release does not read")
    return told
