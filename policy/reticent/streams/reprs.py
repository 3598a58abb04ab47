"""Python reprs, dictionaries and JSON inside text: log lines, tracebacks, error messages.

A tokenizer that knows quotes and brackets, with a stack of its own; no regular expression guesses where an object
ends. It is tolerant: what it does not understand it keeps as raw text in its place, and what was cut off it marks as
incomplete. It knows no vendor: `Node.value` is what the recogniser of reasoning looks at, and `cut` takes the pieces
it names out of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from reticent.streams._literal_nodes import Item, Kind, Node
from reticent.streams._literal_parser import MAX_DEPTH, Parser, opens_pair
from reticent.streams._literal_strings import read_string
from reticent.streams._literal_strings import requote as _requote

__all__ = ["MAX_DEPTH", "Item", "Kind", "Node", "cut", "find_literals", "item_at", "parse_literal", "requote"]

# Where a literal may begin in running text. Each name is looked at once: the look-behind keeps the search from
# starting again inside it.
_BEGINNING = re.compile(
    r"""(?<![\w.\-])[^\W\d][\w.\-]*+(?:(?:#\d{1,9})?\(|[ \t]{0,2}=)|[\[{]|(?<![\w\\])[bBuUrR]{0,2}\\*+["']"""
)
_WORTH_READING = re.compile(r"""\s*+(?:[{\[]|[^\W\d][\w.]*+[(=]|\\*+["'])""")


def parse_literal(text: str, start: int) -> Node | None:
    """The literal, repr, JSON value or run of ``key=value`` pairs that begins at ``start``.

    ``None`` when there is none. A value that is cut off is returned with ``complete=False``. Raises `InputTooDeep`
    past `MAX_DEPTH` brackets. Time is linear in the length of what is read.
    """
    parser = Parser(text)
    return parser.run(start) if opens_pair(text, start) else parser.value(start)


def find_literals(text: str) -> Iterator[Node]:
    """The outermost literals of ``text``, in order: objects, reprs, JSON behind a prefix, runs of pairs.

    A quoted string is given only when it holds one of these in turn, or is a bytes literal. Raises `InputTooDeep`
    while iterating. Time is linear in the length of the text.
    """
    at = 0
    parser = Parser(text)
    while (found := _BEGINNING.search(text, at)) is not None:
        at = found.start()
        node = _literal(parser, text, at, found[0])
        if node is None:
            at = found.end()
            continue
        yield node
        at = max(node.end, found.end())


def _literal(parser: Parser, text: str, at: int, beginning: str) -> Node | None:
    if opens_pair(text, at):
        return parser.run(at)
    if beginning[-1] in "\"'":
        literal = read_string(text, at)
        if literal is None:
            return None
        binary = "b" in literal.prefix.lower()
        return parser.value(at) if binary or _WORTH_READING.match(text, literal.body) else None
    return parser.value(at) if beginning[-1] in "([{" else None


def item_at(node: Node, path: Sequence[str | int]) -> Item | None:
    """The item of ``node`` that holds ``node.value[path[0]][path[1]]…``; ``None`` when there is no such place."""
    item: Item | None = None
    for key in path:
        if item is not None and item.bare and key == item.key:
            continue  # a pair in a list: one step for the index, one for its key
        item = _step(node, key)
        if item is None:
            return None
        node = item.node
    return item


def _step(node: Node, key: str | int) -> Item | None:
    while node.kind == "group" and node.items:
        node = node.items[0].node
    if isinstance(key, int):
        # Positions count all items of a sequence, but only the unnamed ones of a call.
        items = node.items if isinstance(node.value, list) else [item for item in node.items if item.key is None]
        return items[key] if -len(items) <= key < len(items) else None
    if key in {"__args__", "__items__"}:
        return Item(key, node.start, node.end, node, node.start, node.end, 0, node.start, last=True)
    found = [item for item in node.items if item.key == key]
    return found[-1] if found else None


def requote(text: str, node: Node, value: str) -> str:
    """A literal for ``value`` in the quotes and escapes that the string ``node`` has in ``text``."""
    literal = read_string(text, node.start)
    return value if literal is None else _requote(literal, value)


def cut(text: str, edits: Iterable[tuple[Node | Item, str]]) -> str:
    """``text`` with each node or item replaced.

    An item replaced by an empty string goes with one separator, so that what is left reads as a literal again; an
    item replaced by anything else goes with its key. What lies inside another edit goes with that one.
    """
    spans = [(edit.start, edit.end, new) for edit, new in edits if isinstance(edit, Node) or new]
    removed = [edit for edit, new in edits if isinstance(edit, Item) and not new]
    spans.extend((start, end, "") for start, end in _joined(removed))
    pieces: list[str] = []
    at = 0
    for start, end, new in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start < at or (start == at and end <= at):
            continue
        pieces += (text[at:start], new)
        at = end
    pieces.append(text[at:])
    return "".join(pieces)


def _joined(removed: Sequence[Item]) -> Iterator[tuple[int, int]]:
    """The spans to take out, neighbours in one container together, with the separators that would be left over."""
    run: list[Item] = []
    for _, item in sorted({(item.owner, item.index): item for item in removed}.items()):
        if run and (item.owner, item.index) != (run[-1].owner, run[-1].index + 1):
            yield _span(run)
            run = []
        run.append(item)
    if run:
        yield _span(run)


def _span(run: Sequence[Item]) -> tuple[int, int]:
    first, last = run[0], run[-1]
    return (first.before if last.last else first.start), last.after
