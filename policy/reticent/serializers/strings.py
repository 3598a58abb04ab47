"""Strings inside a payload: inline tags in a model's text, JSON in a string, reprs in a log field.

What is looked for depends on the position. A model's own text is searched for inline tags, a tool's result for
another agent's transcript, arguments only for a block that opens a value. What a person wrote is theirs: there only
JSON that carries typed blocks, and the one wrapper that frameworks put a foreign model's thoughts into, is cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import orjson

from reticent.dialects._positions import Position
from reticent.edits import DROP, Cut, Edit
from reticent.errors import InputTooDeep
from reticent.serializers import columns, csvfields, fieldlines, jsonbytes, labels, literals, panels, percent, sqltext
from reticent.streams.arguments import leading_block
from reticent.streams.tags import Span, may_hold_marker, may_hold_reasoning, reasoning_spans, replayed_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reticent.serializers.walk import Walk

SHORTEST: Final = 7
"""The shortest inline tag, ``<think>``: strings below it cannot hold reasoning that any rule could tell."""
PLACEHOLDER: Final = literals.PLACEHOLDER
"""What stands where a string was nothing but a carrier."""
MAX_NESTING: Final = 8
"""Levels of JSON inside a string inside JSON that are opened; deeper ones are refused."""

_SHORTEST_JSON = 20
_PARTS: Final = re.compile(r'\s*+\[\s*+\{\s*+"type"\s*+:\s*+"(?:reasoning|thinking|text)"')
"""How a list of content blocks begins."""
_COLOURS: Final = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
"""Control sequences of ECMA-48, which terminals take colours from."""
_FIELDS: Final[tuple[tuple[Callable[[str], bool], Callable[[str], Iterable[Span]]], ...]] = (
    (sqltext.may_hold, sqltext.spans),
    (panels.may_hold, panels.spans),
    (fieldlines.names_one, lambda text: [*columns.spans(text), *fieldlines.spans(text)]),
)
_TEXT_KEYS = frozenset(
    {
        "text",
        "content",
        "output_text",
        "response",
        "completion",
        "message",
        "parts",
        "generated_text",
        "refusal",
        None,
    }
)


def edit(walk: Walk, text: str, position: int, key: Any, depth: int) -> Edit | None:
    """The edit of one string that stands under ``key``, or None."""
    if position == Position.SYSTEM:
        return None
    if (len(text) >= _SHORTEST_JSON and text[0] in '{["') or text[0].isspace():
        judged = nested(walk, text, _inner_position(text, position), depth)
        if judged is not None:
            return _and_more(walk, text, judged[0], key, depth) if position == Position.OPEN else judged[0]
    if position == Position.ASSISTANT:
        return tags(walk, text) if key in _TEXT_KEYS and walk.inline_tags else None
    if position == Position.DATA:
        return _leading_block(walk, text)
    if position == Position.USER:
        return _foreign_thoughts(walk, text)
    return _unsigned(walk, text, key, depth) if position == Position.OPEN else literals.edit(walk, text, depth)


def _and_more(walk: Walk, text: str, edit: Edit | None, key: Any, depth: int) -> Edit | None:
    """``edit`` of a text that opens like JSON, and what else there is to find in it when it is none."""
    if not isinstance(edit, Cut) or _is_json(text):
        return edit
    left = edit.apply(text)
    found = _unsigned(walk, left, key, depth)
    return found if found is DROP else _whole(text, found.apply(left) if isinstance(found, Cut) else left)


def _is_json(text: str) -> bool:
    try:
        orjson.loads(text)
    except ValueError:
        return False
    return True


def _whole(text: str, shown: str) -> Cut:
    return Cut(((0, len(text), shown),))


def _unsigned(walk: Walk, text: str, key: Any, depth: int) -> Edit | None:
    """The edit of a text of a record that does not say who wrote it: fields, what a model wrote into it, literals."""
    if "\x1b[" in text:  # colours of a terminal come between a name and its value
        plain = _COLOURS.sub("", text)
        found = _colourless(walk, plain, key, depth)
        return _whole(text, found.apply(plain)) if isinstance(found, Cut) else found
    return _colourless(walk, text, key, depth)


def _colourless(walk: Walk, text: str, key: Any, depth: int) -> Edit | None:
    left = _without_fields(walk, text) if key in labels.LOG_KEYS else text
    if percent.may_hold(left):
        left = percent.cut(walk, left, depth, nested)
    if csvfields.may_hold(left):
        left = csvfields.cut(walk, left, depth, nested)
    found = _unlabelled(walk, left, key, depth)
    if left == text or found is DROP:
        return found
    return Cut(((0, len(text), found.apply(left) if isinstance(found, Cut) else left),))


def _without_fields(walk: Walk, text: str) -> str:
    """``text`` without values that stand apart from their names, and without what nothing quotes."""
    for may_hold, spans in _FIELDS:
        cut = _cut(walk, list(spans(text))) if may_hold(text) else None
        text = cut.apply(text) if isinstance(cut, Cut) else text
    return text


def _unlabelled(walk: Walk, text: str, key: Any, depth: int) -> Edit | None:
    may_hold = may_hold_reasoning if key in labels.ANSWER_KEYS else may_hold_marker
    if not walk.inline_tags or not may_hold(text):
        return literals.edit(walk, text, depth)
    left = text
    for spans in _searches(key):
        cut = _cut(walk, spans(left))
        left = cut.apply(left) if isinstance(cut, Cut) else left
    found = literals.edit(walk, left, depth)
    if left == text or found is DROP:
        return found
    return Cut(((0, len(text), found.apply(left) if isinstance(found, Cut) else left),))


def _searches(key: Any) -> Iterator[Callable[[str], Sequence[Span]]]:
    name = key if isinstance(key, str) else None
    if name in labels.LOG_KEYS:
        yield labels.quoted_spans
    if name in labels.ANSWER_KEYS or name in labels.OPENING_KEYS or name in labels.TITLE_KEYS:
        yield partial(labels.answer_spans, key=name)


def _inner_position(text: str, position: int) -> int:
    """A structured answer and a call's arguments are the application's data; a record's JSON is another record.

    A column may hold the parts of a message as JSON.
    """
    if position == Position.ASSISTANT and _PARTS.match(text):
        return position
    return Position.DATA if position in (Position.ASSISTANT, Position.DATA, Position.USER) else Position.OPEN


def nested(walk: Walk, text: str, position: int, depth: int) -> tuple[Edit | None] | None:
    """The edit of a string that is JSON as a whole, or was before it was cut short, in a tuple.

    None when it is neither, so that it has to be read as text.

    Raises:
        InputTooDeep: more than ``MAX_NESTING`` strings inside one another.
    """
    stripped = text.lstrip()
    if len(stripped) < _SHORTEST_JSON or stripped[0] not in '{["':
        return None
    try:
        value = orjson.loads(text)
    except ValueError:
        if stripped[0] == '"' or walk.fragments:
            return None
        cut = literals.truncated(walk, text, position, depth)
        return None if cut is None else (cut,)
    if value.__class__ not in (dict, list, str):
        return None
    if walk.nesting >= MAX_NESTING:
        raise InputTooDeep(f"JSON inside more than {MAX_NESTING} strings")
    walk.nesting += 1
    try:
        return (_inside(walk, text, value, position, depth),)
    finally:
        walk.nesting -= 1


def _inside(walk: Walk, text: str, value: Any, position: int, depth: int) -> Edit | None:
    raw = text.encode()
    value, raw, superseded = jsonbytes.without_superseded(raw, value)
    inner = walk.value(value, position, None, depth + 1)
    if superseded:
        walk.report.add("json/duplicate-key", superseded)
        return Cut(((0, len(text), _spliced(raw, inner)),))
    if inner is None:
        return None
    if inner is DROP:
        return Cut(((0, len(text), PLACEHOLDER),))
    return Cut(tuple(jsonbytes.text_spans(raw, jsonbytes.cuts(raw, inner))))


def _spliced(raw: bytes, inner: Edit | None) -> str:
    if inner is DROP:
        return PLACEHOLDER
    return raw.decode() if inner is None else jsonbytes.splice(raw, inner).decode()


def tags(walk: Walk, text: str) -> Edit | None:
    """The edit of text that a model wrote: inline tags and channels, or None."""
    if not may_hold_reasoning(text):
        return None
    return _cut(walk, reasoning_spans(text))


def _leading_block(walk: Walk, text: str) -> Edit | None:
    """A block that opens an argument and is closed inside it: the model thought while it filled in the value."""
    span = leading_block(text) if walk.inline_tags else None
    return None if span is None else _cut(walk, (span,))


def _foreign_thoughts(walk: Walk, text: str) -> Edit | None:
    """What a framework replayed of another model's thoughts inside a person's text, in exactly its wrapper."""
    return _cut(walk, replayed_spans(text)) if "<assistant_thinking>" in text else None


def _cut(walk: Walk, spans: Sequence[Span]) -> Edit | None:
    spans = [span for span in spans if walk.withholds(span.reasoning_class)]
    if not spans:
        return None
    for span in spans:
        walk.report.add(span.rule, span.end - span.start)
    return Cut(tuple((span.start, span.end, _mark(walk, span)) for span in spans))


def _mark(walk: Walk, span: Span) -> str:
    if walk.program.options.on_strip == "drop":
        return ""
    return f"[reasoning withheld: {span.end - span.start} characters]"
