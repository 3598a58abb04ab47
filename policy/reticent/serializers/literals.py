"""Reprs, JSON after a prefix, and JSON that was cut short: text that only looks like a payload.

Log lines, tracebacks and span attributes hold the same blocks as ``ThinkingBlock(thinking='…')``, as
``{'type': 'thinking', …}`` or as half a JSON document. A tokenizer finds such literals, the walk judges their values as
it judges any other, and the text loses exactly what the walk dropped. What was cut short is judged harder: an object
without its end may have lost the very member that says what it is.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from reticent.dialects._positions import TELLERS, Position
from reticent.edits import DROP, Cut, Edit, Insert, Put
from reticent.serializers import cutshort, panels
from reticent.serializers.fieldlines import NAMES, OPAQUE, RULE, names_one
from reticent.streams.reprs import Item, Node, cut, find_literals, item_at, parse_literal, requote
from reticent.streams.tags import may_hold_marker

if TYPE_CHECKING:
    from reticent.serializers.walk import Walk

PLACEHOLDER: Final = cutshort.PLACEHOLDER
"""What stands where something was nothing but a carrier."""

CASELESS: Final = "\u0130\u0131\u017f\u212a"
"""Letters outside ASCII that equal one inside when case is ignored."""
_BARE_NAME: Final = NAMES[0]
"""The one name of a field without an underscore."""
_MEMBER: Final = re.compile(r'"\s*:')
"""How a member goes on after its name, wherever the object around it was broken."""
_CLASS: Final = re.compile(r"([A-Za-z]\w*) ?\Z")
_LANGUAGE_REACH: Final = 64
"""Characters before a value in which its language shows."""
_Replacement = tuple["Node | Item", str]


def holds_members(text: str) -> bool:
    """Whether ``text`` seems to hold members of a carrier that was broken somewhere in front of them."""
    return _MEMBER.search(text) is not None and names_marker(text)


def names_marker(text: str) -> bool:
    """Whether a word of a carrier stands in ``text``; looking for one after the other takes a twentieth of the time."""
    if not text.isascii() and any(letter in text for letter in CASELESS):
        return cutshort.MARKERS.search(text) is not None
    lower = text.lower()
    for word in cutshort.WORDS:  # any() would take longer than the search
        if word in lower:
            return True
    return "\\u00" in lower and cutshort.MARKERS.search(text) is not None


def may_hold(text: str) -> bool:
    """Whether ``text`` may hold an object or a tag, or names what a rule looks for where a literal could be."""
    if "{" in text and ":" in text and ('"' in text or "'" in text):
        return True  # an object: its keys and types are the walk's to judge
    opens = "(" in text or "=" in text or "{" in text or "[" in text
    if (opens or "_" in text or _BARE_NAME in text) and names_marker(text) and (opens or names_one(text)):
        return True  # every name of a field holds one of the words
    return may_hold_marker(text) or (panels.may_hold(text) and names_marker(text))


def is_open(text: str) -> bool:
    """Whether ``text`` ends inside an object, a list or a call that names something a rule looks for."""
    if not (may_hold_marker(text) or names_marker(text)) or not any(char in text for char in "{[("):
        return False
    return any(not node.complete and node.end == len(text) for node in find_literals(text))


def edit(walk: Walk, text: str, depth: int, position: int = Position.OPEN) -> Edit | None:
    """The edit of a text that may hold literals anywhere, or None."""
    if not may_hold(text):
        return None
    found = find_literals(text)
    if walk.fragments:  # what is cut short goes on in the next event
        found = (node for node in found if node.complete)
    return _applied(walk, text, found, position, depth)


def truncated(walk: Walk, text: str, position: int, depth: int) -> Edit | None:
    """The edit of JSON that ends too early, or goes on with something else: carriers go, as far as they reach."""
    if not may_hold(text):
        return None
    start = len(text) - len(text.lstrip())
    node = parse_literal(text, start)
    if node is None or node.complete or node.end < len(text):
        return edit(walk, text, depth, position)
    return _applied(walk, text, (node,), position, depth)


def _applied(walk: Walk, text: str, nodes: Iterable[Node], position: int, depth: int) -> Edit | None:
    replacements: list[_Replacement] = []
    for node in (_bound(text, node) for node in nodes):
        placed = _named(text, node, position)
        found = walk.value(_called(walk, text, node), placed, None, depth + 1)
        if found is not None:
            replacements += _replacements(text, node, found)
        elif node.kind == "run":
            replacements += _fields(walk, node)
        replacements += _superseded(walk, text, node)
        if position != Position.DATA:  # arguments arrive in pieces, and their keys are the application's own
            replacements += cutshort.replacements(walk, text, node)
    if not replacements:
        return None
    return Cut(((0, len(text), cut(text, replacements)),))


def _bound(text: str, node: Node) -> Node:
    """What SQLAlchemy prints behind a statement, ``[parameters: {…}]``, is a row; elsewhere the word is a schema's.

    https://docs.sqlalchemy.org/en/20/core/exceptions.html (read 2026-11-30)
    """
    is_row = text[node.start] == "[" and node.kind == "dict" and [item.key for item in node.items] == ["parameters"]
    return node.items[0].node if is_row else node


def _named(text: str, node: Node, position: int) -> int:
    """The position inside ``node``: that of the class in front of its brace (``AiMessage { text = "…" }``), if any."""
    return int(TELLERS["__class__"].get(_class(text, node), position))


def _class(text: str, node: Node) -> str:
    """The name in front of an object's brace, as Rust and Java write it; empty when there is none."""
    name = _CLASS.search(text[max(0, node.start - _LANGUAGE_REACH) : node.start]) if node.kind == "dict" else None
    return "" if name is None else name[1]


def _called(walk: Walk, text: str, node: Node) -> Any:
    """The value of ``node`` for the walk, with the class in front of its brace where that decides something."""
    value, name = _plain(node.value), _class(text, node)
    if isinstance(value, dict) and name in walk.program.discriminators.get("__class__", {}):
        return {"__class__": name, **value}
    return value


def _fields(walk: Walk, node: Node) -> Iterator[_Replacement]:
    """Pairs of a line whose names are a carrier's, although nothing around them says whose."""
    for item in node.items:
        named = item.key in NAMES or (item.key == "thinking" and _is_prose(item.node.value))
        if named and item.node.value and walk.withholds("opaque" if item.key in OPAQUE else "text"):
            walk.report.add(RULE, item.node.end - item.node.start)
            yield item.node, PLACEHOLDER


def _is_prose(value: object) -> bool:
    return isinstance(value, str) and " " in value.strip()


def _superseded(walk: Walk, text: str, node: Node) -> Iterator[_Replacement]:
    """Items whose key comes again behind them, which the value of their container does not show.

    In an object they go, as they do in JSON. In a line's own ``key=value`` pairs, and where keys have no quotes, each
    is judged by itself: source code in braces writes to a name twice all the time.
    """
    pending = [node]
    while pending:
        inner = pending.pop()
        last = {item.key: item.index for item in inner.items}
        again = [item for item in inner.items if item.key is not None and last[item.key] != item.index]
        pending += [item.node for item in inner.items]
        if not again or inner.kind == "list":
            continue
        hides = inner.kind != "run" and _holds(walk, _first(inner))
        for item in again:
            if inner.kind == "run":
                if _holds(walk, {item.key: item.node.value}):
                    yield item.node, PLACEHOLDER
            elif hides or _is_written(text, item) or _holds(walk, {item.key: item.node.value}):
                walk.report.add("json/duplicate-key", item.end - item.start)
                yield item, ""


def _is_written(text: str, item: Item) -> bool:
    """Whether a member is one of an object that was written out, and not of source code."""
    return text[item.start] in cutshort.QUOTES and not cutshort.is_name(text, item)


def _holds(walk: Walk, value: dict[str | None, Any]) -> bool:
    return walk.value(_plain(value), int(Position.OPEN), None, 1) is not None


def _first(node: Node) -> dict[str | None, Any]:
    """What a reader sees for whom the first of several values counts."""
    named: dict[str | None, Any] = {"__class__": node.name} if node.name else {}
    return {item.key: item.node.value for item in reversed(node.items) if item.key is not None} | named


def _replacements(text: str, node: Node, found: Edit) -> Iterator[_Replacement]:
    """What the walk wants gone, as pieces of the text."""
    if isinstance(found, Insert):
        found = found.edit if found.edit is not None else {}
    while node.kind == "group" and node.items and not isinstance(found, dict):
        node = node.items[0].node
    if isinstance(found, Cut):
        yield node, _requoted(text, node, found)
    elif isinstance(found, Put):
        yield node, _written(text, node, found.value)
    elif isinstance(found, dict):
        for key, inner in found.items():
            item = item_at(node, [key])
            if item is None:
                yield node, PLACEHOLDER
            elif inner is DROP and node.kind == "run" and item.node.name:
                yield item.node, f"{item.node.name}({PLACEHOLDER})"  # x=ThinkingBlock(…): the name x is the log's own
            elif inner is DROP:
                yield item, ""
            else:
                yield from _replacements(text, item.node, inner)
    else:
        yield node, f"{node.name}({PLACEHOLDER})" if node.name else PLACEHOLDER


def _written(text: str, node: Node, value: Any) -> str:
    """A literal for ``value`` in the language of the text around ``node``: Python's or JSON."""
    around = text[max(0, node.start - _LANGUAGE_REACH) : node.start]
    return repr(value) if around.count("'") > around.count('"') or around.endswith("=") else json.dumps(value)


def _requoted(text: str, node: Node, found: Cut) -> str:
    value = node.value.decode("utf-8", "replace") if isinstance(node.value, bytes) else node.value
    return requote(text, node, found.apply(value)) if isinstance(value, str) else PLACEHOLDER


def _plain(value: Any) -> Any:
    """The value as a JSON parser would give it, so that the walk takes it."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
