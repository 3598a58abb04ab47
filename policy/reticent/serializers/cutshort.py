"""Literals that nobody can judge: objects without their end, and values whose middle was left out.

What was cut short is judged harder than what is whole: an object without its end may have lost the very member that
says what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from reticent.serializers.walk import Walk
    from reticent.streams.reprs import Item, Node

PLACEHOLDER: Final = "[reasoning removed]"
"""What stands where something was nothing but a carrier."""
WORDS: Final = ("hink", "eason", "hought", "ncrypted", "ignature", "edacted", "ationale", "ompaction")
MARKERS: Final = re.compile("|".join([*WORDS, r"\\u00[4-7]"]), re.IGNORECASE)
QUOTES: Final = "\"'\\"
"""How a key begins that is written as a string, escaped ones included."""
_SUSPECT_FIELDS: Final = frozenset(
    {
        "thinking",
        "signature",
        "reasoning",
        "thought",
        "thoughts",
        "encrypted_content",
        "summary",
        "thinkingSignature",
        "redacted",
        "signature_delta",
        "content_delta",
    }
)
"""Members that a carrier may have; in an object that was cut short one of them is enough."""
_ORDINARY_FIELDS: Final = frozenset({"signature", "summary", "redacted"})
"""Those that other things have as well."""
_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_CONTAINERS: Final = ("dict", "list", "call")
_CLOSING: Final = {"{": "}", "[": "]", "(": ")"}


def replacements(walk: Walk, text: str, node: Node) -> Iterator[tuple[Node | Item, str]]:
    """Pieces that nobody can judge: objects without their end, and containers of values whose middle was left out.

    Where an object does not end, nobody can say where it would have: the rest of the text goes with it.
    """
    reached = 0
    for inner in _incomplete(node):
        if inner.start < reached:
            continue  # it goes with what is around it
        if inner.kind in _CONTAINERS and any(item.node.kind == "elided" for item in inner.items):
            gone = inner
        elif isinstance(inner.value, dict) and _is_suspect(text, inner):
            gone = inner if _is_closed(text, inner) else replace(inner, end=len(text))
        else:
            continue
        reached = gone.end
        walk.withhold("log-text/cut-short", text[gone.start : gone.end])
        yield gone, f"{gone.name}({PLACEHOLDER})" if gone.name else PLACEHOLDER


def _is_suspect(text: str, node: Node) -> bool:
    """Whether a cut-off object may be a carrier: by a member, or by the name of its class.

    In a block of source code variables have these names too, and a function that is named so is no object.
    """
    fields: frozenset[Any] = _SUSPECT_FIELDS.intersection(node.value) if isinstance(node.value, dict) else frozenset()
    if node.kind == "dict" and _is_closed(text, node):
        fields = frozenset(item.key for item in node.items if item.key in fields and not is_name(text, item))
    if node.kind in {"dict", "run"} and fields <= _ORDINARY_FIELDS:
        fields = frozenset(item.key for item in node.items if item.key in fields and _is_suspect_field(text, item))
    is_class = node.name.rpartition(".")[2][:1].isupper()
    return bool(fields) or (is_class and MARKERS.search(node.name) is not None)


def _is_suspect_field(text: str, item: Item) -> bool:
    """Whether a field that other things have, too, is a carrier's: as JSON writes it, and a summary as a list."""
    return text[item.start] in QUOTES and (item.key != "summary" or item.node.kind == "list")


def is_name(text: str, item: Item) -> bool:
    """Whether the value of a field is a name of a program, which says nothing: ``"thinking": self.thinking,``."""
    return _NAME.fullmatch(text, item.node.start, item.node.end) is not None and text[item.node.end] in ",}"


def _is_closed(text: str, node: Node) -> bool:
    """Whether an object has its own bracket at its end, so that only what is inside it is in doubt."""
    return text[node.end - 1] == _CLOSING.get(text[node.start + len(node.name)])


def _incomplete(node: Node) -> Iterator[Node]:
    """``node`` and the nodes inside it that were cut off or shortened, outermost first."""
    pending = [node]
    while pending:
        inner = pending.pop()
        if not inner.complete or inner.kind == "elided":
            yield inner
        pending += [item.node for item in reversed(inner.items)]
