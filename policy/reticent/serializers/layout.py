"""The layouts that need no walk: messages, their content, and typed blocks that nothing answers for.

Most payloads are a response with a list of content or a history of messages that have one. For these, looking at the
types of the blocks is enough to know that every closed list holds known types only, and to find the blocks that go as a
whole. Whatever looks otherwise is left to the walk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from reticent.dialects._positions import KEYS, TELLING, TYPES, Position, told
from reticent.edits import DROP, Children
from reticent.serializers.report import measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reticent.dialects._rules import BlockRule
    from reticent.serializers.program import Program
    from reticent.serializers.report import Report

LISTS: Final = ("content", "parts", "output")
"""Members whose elements have a closed vocabulary in an assistant's message."""

_NESTING: Final = frozenset({"message", *(kind for kind, position in TYPES.items() if position == Position.RESULT)})
"""Types of blocks that have lists of their own; lists anywhere else show when all of them are counted."""
_OWN: Final = "reticent.dialects."


Gone: TypeAlias = "tuple[BlockRule, dict[str, Any], bool]"
"""A block that goes as a whole, by which rule, and whether a block that stays comes after it in its list."""


class Found:
    """What goes from a value, what stays, and how many closed lists are in that."""

    __slots__ = ("edit", "gone", "lists", "rest", "written")

    def __init__(self, value: Any) -> None:
        """Nothing yet."""
        self.lists = 0
        self.edit: Children | None = None
        self.gone: list[Gone] = []
        self.rest = value
        self.written = b""
        """``rest`` as compact JSON, once it was written."""

    def count(self, report: Report) -> None:
        """Put what goes into ``report``."""
        for rule, block, _ in self.gone:
            report.add(rule.name, measure(block))

    def elements(self) -> Iterator[tuple[Any, bool]]:
        """The blocks that go, as they follow one another, and whether one that stays comes after it in its list."""
        return ((block, followed) for _, block, followed in self.gone)


class _Unlike(Exception):
    """The payload has another layout."""


class Layout:
    """What a program says about the types of blocks."""

    __slots__ = ("hooked", "known", "lone", "rooted", "untyped")

    def __init__(self, program: Program) -> None:
        """Read the tables of ``program``."""
        self.lone = _lone(program)
        self.known = {name: program.known(name) - self.lone.keys() for name in LISTS}
        self.untyped = program.untyped
        self.hooked = frozenset(program.hooks)
        self.rooted = self.hooked | TELLING | {"type", "role"}

    def read(self, value: Any) -> Found | None:
        """What goes from a whole payload, or None when it has another layout."""
        if value.__class__ is not dict:
            return None
        found = Found(value)
        try:
            edit = self._message(value, found)
            if edit is not None:
                found.edit, found.rest = edit
            for name, child in value.items():
                if child.__class__ is list and name not in LISTS:
                    if name == "messages":
                        self._messages(value, child, found)
                    else:
                        for item in child:
                            found.lists += self._lists(item)
                elif child.__class__ is dict and name not in LISTS and name != "message":
                    self._member(value, name, child, found)
        except (_Unlike, RecursionError, TypeError):  # a type that is no string, and cannot be looked up
            return None
        return found

    def lists(self, value: Any) -> int | None:
        """How many closed lists a value has, when all of them hold known types only."""
        try:
            return self._lists(value)
        except (_Unlike, RecursionError, TypeError):  # a type that is no string, and cannot be looked up
            return None

    def _member(self, root: dict[str, Any], name: str, message: dict[str, Any], found: Found) -> None:
        """Look through a member, which may be a message: a log record holds one so."""
        edit = self._message(message, found)
        if edit is None:
            return
        if name in KEYS or name == "input" or not self._leaves_alone(root):
            raise _Unlike
        found.edit = {**(found.edit or {}), name: edit[0]}
        found.rest = {**found.rest, name: edit[1]}

    def _leaves_alone(self, root: dict[str, Any]) -> bool:
        """Whether nothing about ``root`` changes what becomes of the messages in it."""
        if self.rooted.isdisjoint(root):
            return True
        if "type" in root or "role" in root or not self.hooked.isdisjoint(root):
            return False
        return told(root, Position.OPEN) == Position.OPEN  # ``event``, say, under which loggers write what happened

    def _messages(self, root: dict[str, Any], messages: list[Any], found: Found) -> None:
        """Look through the messages of a history; what goes from one of them goes into ``found``."""
        edits: Children = {}
        kept = messages
        for at, message in enumerate(messages):
            if message.__class__ is dict:
                edit = self._message(message, found)
                if edit is not None:
                    if kept is messages:
                        kept = messages.copy()
                    edits[at], kept[at] = edit
        if edits:
            if found.edit is not None or not self.rooted.isdisjoint(root):
                raise _Unlike
            found.edit = {"messages": edits}
            found.rest = {**root, "messages": kept}

    def _message(self, message: dict[str, Any], found: Found) -> tuple[Children, dict[str, Any]] | None:
        """What goes from a message, and the message without it."""
        content: Any = message.get("content")
        if content.__class__ is not list or message.get("role") != "assistant":
            found.lists += self._lists(message)
            return None
        gone: dict[int, BlockRule] = {}
        kept: list[Any] = []
        last = -1
        found.lists += 1
        known, lone = self.known["content"], self.lone
        for at, block in enumerate(content):
            kind = block.get("type") if block.__class__ is dict else None
            if kind in known:
                kept.append(block)
                last = at
                if kind in _NESTING:
                    found.lists += self._lists(block)
            elif kind in lone:
                gone[at] = _rule(lone[kind], block)
            else:
                raise _Unlike
        if "parts" in message or "output" in message:
            raise _Unlike
        if not gone:
            return None
        if not kept or not self.hooked.isdisjoint(message):
            raise _Unlike
        found.gone += [(rule, content[at], at < last) for at, rule in gone.items()]
        return {"content": dict.fromkeys(gone, DROP)}, {**message, "content": kept}

    def _lists(self, value: Any) -> int:
        """How many closed lists stand in ``value`` where one is looked for."""
        if value.__class__ is not dict:
            return 0
        count = 0
        if "content" in value:
            inner = value["content"]
            if inner.__class__ is list:
                count = 1 + self._blocks("content", inner)
            elif inner.__class__ is dict:
                count = self._lists(inner)
        if "parts" in value or "output" in value:
            for name in ("parts", "output"):
                inner = value.get(name)
                if inner.__class__ is list:
                    count += 1 + self._blocks(name, inner)
                elif inner.__class__ is dict:
                    count += self._lists(inner)
        if "message" in value:
            count += self._lists(value["message"])
        return count

    def _blocks(self, name: str, items: list[Any]) -> int:
        """How many closed lists stand inside the blocks of one, all of which are of known types."""
        count = 0
        known = self.known[name]
        for item in items:
            if item.__class__ is dict:
                kind = item.get("type")
                if kind in known:
                    if kind in _NESTING:
                        count += self._lists(item)
                elif kind.__class__ is str or (item and self.untyped.isdisjoint(item)):
                    raise _Unlike
                else:
                    count += self._lists(item)
        return count


def _rule(rules: tuple[tuple[BlockRule, frozenset[str]], ...], block: Mapping[str, Any]) -> BlockRule:
    """The rule that withholds ``block``."""
    for rule, allowed in rules:
        if not rule.needs or any(name in block for name in rule.needs):
            if not allowed.issuperset(block):
                break
            return rule
    raise _Unlike


def _lone(program: Program) -> dict[str, tuple[tuple[BlockRule, frozenset[str]], ...]]:
    """Rules of the types that may go without anything else changing, with the members that such a block may have."""
    if program.options.on_strip != "drop" or not all(hook.__module__.startswith(_OWN) for hook in program.lists):
        return {}
    found = {}
    for kind in program.lone:
        rules = program.types.get(kind, ())
        if all(_goes_whole(rule, program) for rule in rules):
            found[kind] = tuple((rule, frozenset({"type", *rule.fields})) for rule in rules)
    return found


def _goes_whole(rule: BlockRule, program: Program) -> bool:
    classes = {rule.reasoning_class, *rule.fields.values()}
    return rule.where == "any" and classes <= program.options.withhold
