"""Attributes of spans: messages that were flattened into names with dots, and lists of key and value.

``llm.output_messages.0.message.contents.1.message_content.text`` is one string of one block of one message. No rule
could look at it alone, so the names are put together to the message they came from, that is judged as any message is,
and what it loses goes from the attributes. Positions of content close up behind what went.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from reticent.dialects._positions import Position
from reticent.edits import DROP, Children, Edit, Put, Rename

if TYPE_CHECKING:
    from reticent.dialects._dialect import Walker

_MESSAGE: Final = re.compile(
    r"(llm\.(?:(?:input|output)_messages|prompts|completions)|gen_ai\.(?:prompt|completion))\.(\d{1,6})\.(.+)"
)
_CONTENT: Final = re.compile(r"(.*\.contents\.)(\d{1,6})(\..+)")
_ANSWERS: Final = frozenset({"gen_ai.completion", "gen_ai.response.text", "ai.response.text"})
_COMPLETIONS: Final = ("gen_ai.completion", "llm.completions")
_MODEL_SPANS: Final = frozenset({"LLM", "CHAIN", "AGENT"})
_DEEPEST: Final = 16
_TYPED: Final = ("stringValue", "string_value", "Value")


def triggers() -> Iterable[str]:
    """Names of attributes by which an object is known to hold flattened messages."""
    yield from ("openinference.span.kind", "llm.model_name", "gen_ai.system", "gen_ai.operation.name", "output.value")
    yield from ("gen_ai.provider.name", "gen_ai.request.model", "traceloop.span.kind", "llm.request.type", *_ANSWERS)
    yield from ("llm.prompts.*", "llm.completions.*")
    yield from ("llm.input_messages.*", "llm.output_messages.*", "gen_ai.prompt.*", "gen_ai.completion.*")


def read_attributes(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """Attributes that are members of an object, each under its whole name."""
    if position == Position.OPEN:
        judge(walker, node, edits)
    return None


def read_list(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """Attributes that are a list of ``{key, value: {stringValue}}``, as OTLP writes them."""
    items = node.get("attributes")
    if position != Position.OPEN or not isinstance(items, list):
        return None
    places = {item["key"]: at for at, item in enumerate(items) if _is_attribute(item)}
    flat = {name: _text(items[at]) for name, at in places.items()}
    found = walker.value(
        {name: text for name, text in flat.items() if text is not None}, Position.OPEN, "attributes", 1
    )
    if not isinstance(found, dict):
        return None
    inner = edits.get("attributes")
    mine: Children = dict(inner) if isinstance(inner, dict) else {}
    for name, edit in found.items():
        mine[places[name]] = _element(items[places[name]], edit)
    edits["attributes"] = mine
    return None


def _is_attribute(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("key"), str) and "value" in item


def _text(item: Mapping[str, Any]) -> str | None:
    value = item["value"]
    if isinstance(value, dict):
        value = next((value[name] for name in _TYPED if name in value), None)
    return value if isinstance(value, str) else None


def _element(item: Mapping[str, Any], edit: Edit) -> Edit:
    """The edit of one element of the list, from the edit of the attribute it holds."""
    if edit is DROP:
        return DROP
    edits: Children = {}
    if isinstance(edit, Rename):
        edits["key"] = Put(edit.key)
    inner = edit.edit if isinstance(edit, Rename) else edit
    if inner is not None:
        value = item["value"]
        name = next((name for name in _TYPED if name in value), None) if isinstance(value, dict) else None
        edits["value"] = inner if name is None else {name: inner}
    return edits


def judge(walker: Walker, flat: Mapping[str, Any], edits: Children) -> None:
    """Put what the attributes in ``flat`` lose into ``edits``, by name."""
    _judge_answers(walker, flat, edits)
    messages: dict[tuple[str, str], dict[str, str]] = {}
    for name in flat:
        found = _MESSAGE.fullmatch(name) if name.startswith(("llm.", "gen_ai.")) else None
        if found is not None and found[3].count(".") < _DEEPEST:
            messages.setdefault((found[1], found[2]), {})[found[3]] = name
    for (head, _), names in messages.items():
        _judge_message(walker, head, {path: (name, flat[name]) for path, name in names.items()}, edits)
    if messages:
        _close_up(flat, edits)


def _judge_answers(walker: Walker, flat: Mapping[str, Any], edits: Children) -> None:
    """Attributes that are the whole plain text of an answer."""
    names = [name for name in _ANSWERS if name in flat]
    if str(flat.get("openinference.span.kind")) in _MODEL_SPANS and "output.value" in flat:
        names.append("output.value")
    for name in names:
        text = flat[name]
        if isinstance(text, str) and name not in edits and text.lstrip()[:1] not in ("{", "[", '"'):
            edit = walker.value(text, Position.ASSISTANT, "output_text", 1)
            if edit is not None:
                edits[name] = edit


def _judge_message(walker: Walker, head: str, names: Mapping[str, tuple[str, Any]], edits: Children) -> None:
    """Put one flattened message together, judge it, and give its edits to the attributes."""
    message: dict[str, Any] = {}
    open_names = {path: found for path, found in names.items() if found[0] not in edits}
    for path, (_, value) in open_names.items():
        _set(message, path.split("."), value)
    position = Position.ASSISTANT if head in _COMPLETIONS and "role" not in message else Position.OPEN
    found = walker.value(message, position, None if head.endswith("_messages") else "message", 1)
    for path, (name, value) in open_names.items():
        edit = _at(found, path.split("."))
        if edit is not None and (edit is DROP or isinstance(value, str)):
            edits[name] = edit


def _set(node: dict[str, Any], keys: list[str], value: Any) -> None:
    """Put ``value`` at ``keys``; a name that runs through a text stands for itself."""
    for at, key in enumerate(keys[:-1]):
        below = node.setdefault(key, {})
        if not isinstance(below, dict):
            node[".".join(keys[at:])] = value
            return
        node = below
    node[keys[-1]] = value


def _at(edit: Edit | None, keys: list[str]) -> Edit | None:
    """The edit of what stands at ``keys``; below anything that goes or is replaced, everything goes."""
    for key in keys:
        if edit is None:
            return None
        if not isinstance(edit, dict):
            return DROP
        edit = edit.get(key)
    return edit


def _close_up(flat: Mapping[str, Any], edits: Children) -> None:
    """Rename the attributes of content that stands behind content which is gone as a whole."""
    groups: dict[str, dict[int, list[tuple[str, str]]]] = {}
    for name in flat:
        found = _CONTENT.fullmatch(name) if ".contents." in name else None
        if found is not None:
            groups.setdefault(found[1], {}).setdefault(int(found[2]), []).append((name, found[3]))
    for head, blocks in groups.items():
        gone = 0
        for number in sorted(blocks):
            if all(edits.get(name) is DROP for name, _ in blocks[number]):
                gone += 1
            elif gone:
                for name, rest in blocks[number]:
                    if edits.get(name) is not DROP:
                        edits[name] = Rename(f"{head}{number - gone}{rest}", edits.get(name))
