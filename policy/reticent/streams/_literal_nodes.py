"""What the parser of `reticent.streams.reprs` builds: values, the parts that can be cut, and what is still open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

_OPTIONAL = frozenset({"Some", "Just"})
"""What Rust and Haskell write around a value that need not be there."""
Kind = Literal["dict", "list", "call", "group", "run", "mixed", "string", "number", "constant", "raw", "elided"]


@dataclass(frozen=True, slots=True)
class Node:
    """A value in a text, at ``text[start:end]``.

    ``value`` is plain Python: dict, list, str, bytes, int, float, bool, None. A call ``Name(k=v)`` is a dict of its
    keywords with ``__class__``, and with ``__args__`` when it has positional ones; unknown text is a str.
    ``complete`` is false when this value or one inside it was cut off. ``kind`` ``elided`` is a value whose middle the
    writer left out: nobody can say what was in it. ``items`` are the parts that can be cut one by one.
    """

    value: object
    start: int
    end: int
    complete: bool
    name: str = ""
    items: tuple[Item, ...] = ()
    kind: Kind = "raw"


@dataclass(frozen=True, slots=True)
class Item:
    """One element, or one key with its value, at ``text[start:end]``; ``node`` is the value alone.

    ``before`` is where the item before it ends and ``after`` where the next one starts; ``owner`` and ``index`` say
    which container (a number that no other one in the text has) and which place in it. ``bare`` marks a pair that
    stands in a list.
    """

    key: str | None
    start: int
    end: int
    node: Node
    before: int
    after: int
    index: int
    owner: int
    last: bool
    bare: bool = False


@dataclass(slots=True)
class Part:
    """A piece of the item being read: an operator, a bare word, or a finished value."""

    start: int
    end: int
    node: Node | None = None
    operator: bool = False
    word: bool = False


@dataclass(slots=True)
class Draft:
    """An item whose neighbours are not known yet."""

    key: str | None
    start: int
    end: int
    node: Node
    after: int = -1


@dataclass(slots=True)
class Frame:
    """An open bracket: finished items, and the parts of the one being read."""

    bracket: str
    name: str
    start: int
    inside: int
    drafts: list[Draft] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    commas: int = 0


def is_key(part: Part) -> bool:
    """Whether a part may stand before ``:`` or ``=``."""
    if part.node is None:
        return part.word
    return part.node.kind in {"string", "number", "constant"}


def concatenated(parts: Sequence[Part]) -> list[Part]:
    """Adjacent strings are one string, as `pprint` writes long ones."""
    joined: list[list[Part]] = []
    for part in parts:
        if joined and _is_string(part) and _is_string(joined[-1][-1]) and _same_type(part, joined[-1][-1]):
            joined[-1].append(part)
        else:
            joined.append([part])
    return [group[0] if len(group) == 1 else _one_string(group) for group in joined]


def _is_string(part: Part) -> bool:
    return part.node is not None and part.node.kind == "string"


def _same_type(one: Part, other: Part) -> bool:
    return one.node is not None and other.node is not None and type(one.node.value) is type(other.node.value)


def _one_string(group: Sequence[Part]) -> Part:
    values = [part.node.value for part in group if part.node is not None]
    texts = [value for value in values if isinstance(value, str)]
    value: object = "".join(texts) if texts else b"".join(value for value in values if isinstance(value, bytes))
    complete = all(part.node is not None and part.node.complete for part in group)
    node = Node(value, group[0].start, group[-1].end, complete, kind="string")
    return Part(node.start, node.end, node)


def mixed(nodes: Sequence[Node]) -> Node:
    """Several values in a row where one was expected."""
    drafts = [Draft(None, node.start, node.end, node) for node in nodes]
    start, end = nodes[0].start, nodes[-1].end
    complete = all(node.complete for node in nodes)
    values = [node.value for node in nodes]
    return Node(values, start, end, complete, items=numbered(drafts, ~start, start), kind="mixed")


def numbered(drafts: Sequence[Draft], owner: int, inside: int, *, bare: bool = False) -> tuple[Item, ...]:
    """The items of one container, with their neighbours."""
    items: list[Item] = []
    for index, draft in enumerate(drafts):
        last = index == len(drafts) - 1
        before = drafts[index - 1].end if index else draft.start
        after = draft.after if last and draft.after >= draft.end else draft.end
        if not last:
            after = drafts[index + 1].start
        key, pair = draft.key, bare and draft.key is not None
        items.append(
            Item(key, draft.start, draft.end, draft.node, max(before, inside), after, index, owner, last, pair)
        )
    return tuple(items)


def container_node(frame: Frame, end: int, *, complete: bool) -> Node:
    """The value of a bracket that is closed now, or cut off."""
    drafts = frame.drafts
    named = sum(draft.key is not None for draft in drafts)
    whole = complete and all(draft.node.complete for draft in drafts)
    kind, value = _contents(frame, named)
    if isinstance(value, dict):
        distinct = len({draft.key for draft in drafts if draft.key is not None})
        # A dictionary that repeats a key, or has a value without one, is not what somebody serialised.
        whole = whole and distinct == named and (kind == "call" or named == len(drafts))
    bare = isinstance(value, list)
    items = numbered(drafts, frame.start, frame.inside, bare=bare)
    return Node(value, frame.start, end, whole, frame.name, items, kind)


def _contents(frame: Frame, named: int) -> tuple[Kind, object]:
    drafts = frame.drafts
    if frame.name in _OPTIONAL and len(drafts) == 1 and not named:
        return "group", drafts[0].node.value
    if frame.bracket == "(" and frame.name:
        return "call", _fields(drafts, "__args__") | {"__class__": frame.name}
    if frame.bracket == "(" and len(drafts) == 1 and not named and not frame.commas:
        return "group", drafts[0].node.value
    if (named and named == len(drafts)) or (frame.bracket == "{" and (named or not drafts)):
        return "dict", _fields(drafts, "__items__")
    return "list", [draft.node.value if draft.key is None else {draft.key: draft.node.value} for draft in drafts]


def _fields(drafts: Sequence[Draft], rest: str) -> dict[str, object]:
    value: dict[str, object] = {draft.key: draft.node.value for draft in drafts if draft.key is not None}
    unnamed = [draft.node.value for draft in drafts if draft.key is None]
    return value | {rest: unnamed} if unnamed else value
