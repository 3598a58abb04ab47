"""Events around events: how the inner one reaches the handler of its own protocol.

Agent SDKs, gateways and hosts send another vendor's event inside one of theirs: ``raw_response_event.data`` of the
OpenAI Agents SDK, ``stream_event.event`` of the Claude Agent SDK, ``chunk.bytes`` of Bedrock. A dialect says so with
data alone, in its section of ``kinds.yaml``::

    wraps:
      raw_response_event: {at: data}
      stream_event: {at: event, lanes: [session_id, parent_tool_use_id]}
      bytes: {by: bytes, is: "*", at: bytes, coding: base64}

The session then does the rest. It follows ``at`` to the inner event (wrappers may stand inside one another), asks which
dialect claims it, and gives it to that dialect's handler, one handler for each lane. When the handler drops the inner
event the outer one goes too; when it changes it, the outer one carries the changed one, in the same coding; events
that it makes (text that was held back, marks) travel in a copy of the outer event. An inner event that no dialect
claims leaves the outer event to whoever claims that. What stands beside the inner event is judged by the walk as ever.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import orjson

from reticent.dialects._stream import Event, Outcome
from reticent.edits import DROP, Children, Edit, Put, apply

if TYPE_CHECKING:
    from reticent.dialects._rules import WrapRule

DEEPEST: Final = 4
"""Wrappers inside one another that are followed."""

Lane = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One wrapper: the rule it was told by, the event that wraps, and the event inside."""

    rule: WrapRule
    outer: Event
    inner: Event

    @property
    def visible(self) -> Event:
        """The outer event as the walk is to see it: without an inner one that a coding hides from it."""
        return _without(self.outer, self.rule.at) if self.rule.coding else self.outer

    def found_inside(self, edit: Edit | None) -> Edit | None:
        """What the walk over the outer event found in the inner one."""
        for key in self.rule.at:
            if edit is DROP:
                return DROP
            edit = edit.get(key) if isinstance(edit, dict) else None
        return edit

    def envelope(self, edit: Edit | None) -> Event:
        """The outer event without the inner one and without anything that ``edit`` takes, to carry another."""
        if edit is DROP:
            names = (self.rule.key, *self.rule.lanes)
            shell = {name: self.outer[name] for name in names if name in self.outer}
        else:
            shell = apply(self.outer, _at(edit, self.rule.at, None))
        return _without(shell, self.rule.at)

    def outcome(self, edit: Edit | None, inner: Outcome) -> Outcome:
        """What becomes of the outer event when ``inner`` becomes of the event inside; ``edit`` is the walk's."""
        before = [carried(self.rule, self.envelope(edit), made) for made in inner.before]
        if inner.edit is DROP or edit is DROP:
            return Outcome(DROP, before)
        below = inner.edit
        if self.rule.coding and below is not None:
            below = Put(_written(apply(self.inner, below), self.rule.coding))
        return Outcome(_at(edit, self.rule.at, below), before)


def carried(rule: WrapRule, envelope: Event, made: Event) -> Event:
    """``made`` inside a copy of an envelope."""
    event: Event = _with(envelope, rule.at, _written(made, rule.coding))
    return event


class Wraps:
    """Every wrapper that some dialect named, looked up by discriminator."""

    __slots__ = ("_rules",)

    def __init__(self, rules: Iterable[WrapRule]) -> None:
        """Know ``rules``."""
        self._rules: dict[str, dict[str, WrapRule]] = {}
        for rule in rules:
            self._rules.setdefault(rule.key, {})[rule.value] = rule

    def unwrap(self, event: Event) -> tuple[Step, ...]:
        """The wrappers around the innermost event, outermost first; empty when ``event`` wraps nothing."""
        steps: list[Step] = []
        while len(steps) < DEEPEST:
            step = self._step(event)
            if step is None:
                break
            steps.append(step)
            event = step.inner
        return tuple(steps)

    def _step(self, event: Event) -> Step | None:
        for key, table in self._rules.items():
            if key not in event:
                continue
            told = event[key]
            rule = (table.get(told) if isinstance(told, str) else None) or table.get("*")
            inner = _inner(event, rule) if rule is not None else None
            if rule is not None and inner is not None:
                return Step(rule, event, inner)
        return None


def lane(steps: Sequence[Step]) -> Lane:
    """What tells the inner stream apart from others on the same connection."""
    return tuple((step.rule.name, *(str(step.outer.get(name)) for name in step.rule.lanes)) for step in steps)


def _at(edit: Edit | None, path: Sequence[str], below: Edit | None) -> Edit | None:
    """``edit`` with ``below`` as the edit of what stands at ``path``."""
    if not path:
        return below
    edits: Children = dict(edit) if isinstance(edit, dict) else {}
    inner = _at(edits.pop(path[0], None), path[1:], below)
    if inner is not None:
        edits[path[0]] = inner
    return edits or None


def _inner(event: Event, rule: WrapRule) -> Event | None:
    value: Any = event
    for key in rule.at:
        value = value.get(key) if isinstance(value, dict) else None
    if rule.coding:
        value = _read(value, rule.coding)
    return value if isinstance(value, dict) else None


def _read(value: Any, coding: str) -> Any:
    """The value that a coded one stands for; None when it is not written so."""
    if not isinstance(value, str):
        return None
    try:
        return orjson.loads(base64.b64decode(value, validate=True) if coding == "base64" else value)
    except (ValueError, binascii.Error):
        return None


def _written(value: Any, coding: str) -> Any:
    if not coding:
        return value
    raw = orjson.dumps(value)
    return base64.b64encode(raw).decode() if coding == "base64" else raw.decode()


def _with(node: Mapping[str, Any], path: Sequence[str], value: Any) -> Any:
    if not path:
        return value
    below = node.get(path[0])
    return {**node, path[0]: _with(below if isinstance(below, dict) else {}, path[1:], value)}


def _without(node: Event, path: Sequence[str]) -> Event:
    if not path or path[0] not in node:
        return node
    below = node[path[0]]
    if len(path) > 1 and isinstance(below, dict):
        return {**node, path[0]: _without(below, path[1:])}
    return {name: value for name, value in node.items() if name != path[0]}
