"""Frameworks with a block or an event of their own, most of it data (``kinds.yaml``).

What is code: parts of Genkit and blocks of Zed are told by their only key, so that they go when that key does; parts
and pieces that a flag marks (``{"text": …, "isReasoning": true}``) go with everything in them, and so do messages
that Gradio shows folded under a title such as ``Thinking``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.edits import DROP, Children, Edit

_KINDS: Final = kinds("frameworks")
_FLAGS: Final[tuple[str, ...]] = tuple(_KINDS.data["flags"])
_TEXTS: Final = ("text", "content", "delta", "chunk", "token", "message", "body")
_TITLES: Final[Mapping[str, list[str]]] = _KINDS.data["titles"]
_TITLE: Final = re.compile(
    rf"(?:(?P<mark>{'|'.join(_TITLES['marks'])})\ufe0f?\s?)?(?:{'|'.join(_TITLES['words'])})"
    r"(?:[ -][Pp]rocess)?(?:\.{3}|\u2026)?(?: for \d[\w. ]{0,24}| ?\([^()]{1,24}\))?(?:\Z|(?(mark):.*|(?!)))",
    re.DOTALL,
)
"""A title that says nothing but that the model thought, and for how long; behind a mark it may go on."""
_GENKIT: Final = frozenset({"reasoning", "metadata", "custom"})


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return value.get("kind") in ("ActionEvent", "MessageEvent", "ObservationEvent") or "reasoning_steps" in value


def drop_part(_walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """A part that held reasoning and what belongs to it."""
    if position == Position.ASSISTANT and edits.get("reasoning") is DROP and _GENKIT.issuperset(node):
        return DROP
    return None


def drop_variant(_walker: Walker, node: Mapping[str, Any], edits: Children, _position: int) -> Edit | None:
    """A block whose only key named it (Zed), once that key goes."""
    return DROP if len(node) == 1 and all(edits.get(name) is DROP for name in node) else None


def drop_flagged(walker: Walker, node: Mapping[str, Any], _edits: Children, position: int) -> Edit | None:
    """A piece of text that says of itself that it is reasoning; the state of a whole view says so too, and stays."""
    if position in (Position.DATA, Position.USER, Position.SYSTEM) or not walker.withholds("text"):
        return None
    if not any(node.get(name) is True for name in _FLAGS) or not any(_says(node, name) for name in _TEXTS):
        return None
    walker.withhold("frameworks/flag", node)
    return DROP


def drop_titled(walker: Walker, node: Mapping[str, Any], _edits: Children, position: int) -> Edit | None:
    """A message of its own that is shown folded, under a title that calls it a thought (Gradio)."""
    metadata = node["metadata"]
    title = metadata.get("title") if isinstance(metadata, dict) else None
    if position != Position.ASSISTANT or "content" not in node or not isinstance(title, str):
        return None
    if _TITLE.match(title) is None or not walker.withholds("text"):
        return None
    walker.withhold("frameworks/title", node)
    return DROP


def _says(node: Mapping[str, Any], name: str) -> bool:
    return isinstance(node.get(name), str) and bool(node[name])


DIALECT = Dialect(
    "frameworks",
    _KINDS,
    recognise=_recognise,
    hooks={
        "reasoning": (drop_part,),
        "Thinking": (drop_variant,),
        "RedactedThinking": (drop_variant,),
        "metadata": (drop_titled,),
        **dict.fromkeys(_FLAGS, (drop_flagged,)),
    },
    signs={name: (f'"{name}":true',) for name in _FLAGS}
    | {"metadata": tuple(f'"title":"{first}' for first in (*_TITLES["marks"], *_TITLES["words"]))},
)
