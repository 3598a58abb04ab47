"""OpenAI Responses and Conversations.

Three things are code. A history that loses a reasoning item must also lose the ids that pair it with the items after
it, or a replay is refused ("provided without its required 'reasoning' item"); the ids of a finished response stay. A
reference to a reasoning item goes like the item. In a stream, ``output_index`` closes up and ``sequence_number`` counts
on without a gap (openai 3.3 indexes a list with the former).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reticent.dialects._channels import Numbers
from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._marks import item_mark
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.dialects._stream import (
    GONE,
    BlockEvents,
    BlockStream,
    Event,
    Outcome,
    Positions,
    StreamContext,
    put,
)
from reticent.edits import DROP, Children, Edit, Put, apply

_REPLAYED = frozenset(
    {
        "input",
        "items",
        "history",
        "messages",
        "replacement_history",
        "new_items",
        "generated_items",
        None,
    }
)
_REASONING = frozenset({"reasoning", "reasoning_item", "item_reference"})
_RESPONSES = frozenset({"response", "response.compaction"})
_PAIRED = frozenset({"function_call", "message", "assistant", "custom_tool_call", "web_search_call", "computer_call"})
_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return value.get("object") in (*_RESPONSES, "conversation.item") or _claims(value)


def _claims(event: Event) -> bool:
    kind = event.get("type")
    return isinstance(kind, str) and kind.startswith("response.")


def _partial(event: Event) -> bool:
    return str(event.get("type")).endswith(".delta")


def drop_pairing_ids(_walker: Walker, items: Sequence[Any], edits: Children, key: Any) -> None:
    """Take the ids off items that follow a withheld reasoning item of a history that can be replayed."""
    if key not in _REPLAYED:
        return
    paired = False
    for at, item in enumerate(items):
        if not isinstance(item, dict):
            return
        gone = edits.get(at) is DROP
        if gone and str(item.get("type")) in _REASONING:
            paired = True
        elif paired and not gone:
            _drop_id(item, at, edits)
        if item.get("role") == "user":
            paired = False


def _drop_id(item: Mapping[str, Any], at: int, edits: Children) -> None:
    """Drop the id of an item, or of the one that a run item of the Agents SDK holds."""
    raw = item.get("raw_item")
    inner = raw if isinstance(raw, dict) else item
    if "id" not in inner or str(inner.get("type", inner.get("role"))) not in _PAIRED:
        return
    found = _dict(edits.get(at))
    edits[at] = (
        {**found, "id": DROP} if inner is item else {**found, "raw_item": {**_dict(found.get("raw_item")), "id": DROP}}
    )


def drop_references(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """Drop references to reasoning items that leave out their type, which a request may."""
    items = node["input"]
    if not isinstance(items, list) or position == Position.DATA or not walker.withholds("opaque"):
        return None
    for at, item in enumerate(items):
        if isinstance(item, dict) and item.keys() == {"id"} and str(item["id"]).startswith("rs_"):
            walker.withhold("openai-responses/item_reference", item)
            edits["input"] = {**_dict(edits.get("input")), at: DROP}
    return None


def check_output(walker: Walker, node: Mapping[str, Any], edits: Children, _position: int) -> Edit | None:
    """Withhold items of unknown type from a response, as from its stream; name those that lost their handle."""
    items = node["output"]
    if str(node.get("object")) not in _RESPONSES or not isinstance(items, list):
        return None
    walker.check_list("output", items, edits)
    found: Children = dict(_dict(edits.get("output")))
    gone = 0
    for at, item in enumerate(items):
        gone += found.get(at) is DROP
        edit = found.get(at)
        if _lost_handle(item, edit):
            found[at] = put(edit, ("id",), _alias(at - gone))
        elif isinstance(edit, Put):
            found[at] = Put(item_mark(edit.value, at - gone))
    if found:
        edits["output"] = found
    return None


def _lost_handle(item: Any, edit: Edit | None) -> bool:
    """Whether a reasoning item stays, since its summary may be shown, and its id does not."""
    return isinstance(item, dict) and item.get("type") == "reasoning" and _dict(edit).get("id") is DROP


def _alias(position: Any) -> str:
    """An id for such an item that no API exchanges for anything; readers require one."""
    return f"reasoning_{position}"


def drop_handles(walker: Walker, node: Mapping[str, Any], edits: Children, _position: int) -> Edit | None:
    """A request that lost reasoning from its input may not fetch it back through the response it continues."""
    if "input" in edits and isinstance(node.get("previous_response_id"), str) and walker.withholds("opaque"):
        walker.withhold("openai-responses/previous_response_id", node["previous_response_id"])
        edits["previous_response_id"] = DROP
    return None


def _dict(edit: Edit | None) -> Children:
    return edit if isinstance(edit, dict) else {}


def _text(event: Event) -> tuple[tuple[str, ...], str] | None:
    if event.get("type") == "response.output_text.delta" and isinstance(event.get("delta"), str):
        return ("delta",), event["delta"]
    return None


def _make_text(position: Any, text: str) -> Event:
    return {"type": "response.output_text.delta", "output_index": position, "content_index": 0, "delta": text}


_CALL_DELTAS = frozenset({"response.function_call_arguments.delta", "response.mcp_call_arguments.delta"})
_CALL_ENDS = frozenset({"response.function_call_arguments.done", "response.mcp_call_arguments.done"})


def _make_mark(position: Any, mark: Event) -> Sequence[Event]:
    item = item_mark(mark, position)
    return tuple(
        {"type": f"response.output_item.{name}", "output_index": position, "item": item} for name in ("added", "done")
    )


_NAMES = BlockEvents(
    start=frozenset({"response.output_item.added"}),
    delta=frozenset(),
    stop=frozenset({"response.output_item.done"}),
    position="output_index",
    block="item",
    at="output",
    text=_text,
    make_text=_make_text,
    make_mark=_make_mark,
)


class Stream(BlockStream):
    """One stream of Responses events."""

    def __init__(self, context: StreamContext) -> None:
        """Start before ``response.created``."""
        super().__init__(_NAMES, context)
        self._numbers = Numbers()
        self._places: dict[Any, Event] = {}
        self._contents: dict[str, Positions] = {}
        self._aliases: dict[str, str] = {}

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """As for any numbered blocks, and sequence numbers close up behind what went."""
        outcome = self._named(event, self._judge(event, edit))
        number = event.get("sequence_number")
        if type(number) is not int:
            return outcome
        numbers = self._numbers
        self.context.numbered(numbers)
        if number <= numbers.last:  # another response, which counts anew
            numbers.shift = 0
        numbers.last = number
        before = [{**made, "sequence_number": number + numbers.shift + at} for at, made in enumerate(outcome.before)]
        numbers.shift += len(before) - (outcome.edit is DROP)
        if outcome.edit is DROP or not numbers.shift:
            return Outcome(outcome.edit, before)
        return Outcome(put(outcome.edit, ("sequence_number",), number + numbers.shift), before)

    def _named(self, event: Event, outcome: Outcome) -> Outcome:
        """Put the alias of an item that lost its handle into the events that name it."""
        place = str(event.get("output_index"))
        edit = outcome.edit
        if isinstance(edit, dict) and _lost_handle(event.get("item"), edit.get("item")):
            self._aliases[place] = _alias(self.positions.moved(event.get("output_index")))
            return Outcome(put(edit, ("item", "id"), self._aliases[place]), outcome.before)
        if edit is not DROP and place in self._aliases and "item_id" in event:
            return Outcome(put(edit, ("item_id",), self._aliases[place]), outcome.before)
        return outcome

    def _judge(self, event: Event, edit: Edit | None) -> Outcome:
        kind = event.get("type")
        if kind == "response.created":
            self.restart()
            self._contents.clear()
            self._aliases.clear()
        if kind in self.names.start or kind in self.names.stop:
            self._contents.pop(str(event.get("output_index")), None)
            return super().event(event, edit)
        if kind in _ENDS:
            return Outcome(edit, self.close())
        if self.positions.is_hidden(event.get("output_index")) or self._is_withheld_part(event, kind, edit):
            return GONE
        return GONE if edit is DROP else self._inside(event, kind, edit)

    def _is_withheld_part(self, event: Event, kind: Any, edit: Edit | None) -> bool:
        """Whether an event belongs to a part of reasoning inside an item that stays."""
        output, index = str(event.get("output_index")), event.get("content_index")
        if kind == "response.content_part.added" and edit is DROP and type(index) is int:
            self._contents.setdefault(output, Positions()).hide(index)
        return output in self._contents and self._contents[output].is_hidden(index)

    def _inside(self, event: Event, kind: Any, edit: Edit | None) -> Outcome:
        channel = tuple(str(event.get(name)) for name in ("item_id", "output_index", "content_index"))
        edits = self._renumbered(event, edit)
        if kind == "response.output_text.delta" and isinstance(event.get("delta"), str):
            shown = self.text.feed(channel, event["delta"])
            edits = edits if shown == event["delta"] else put(edits, ("delta",), shown)
            if event.get("logprobs") and self.text.withheld(channel):
                edits = put(edits, ("logprobs",), [])
            self._places[channel] = apply(event, edits)
            return GONE if self._is_held(event, edits) else Outcome(edits)
        call = ("call", *channel)
        if kind in _CALL_DELTAS and isinstance(event.get("delta"), str):
            shown = self.text.feed_arguments(call, event["delta"])
            edits = edits if shown == event["delta"] else put(edits, ("delta",), shown)
            self._places[call] = apply(event, edits)
            return Outcome(edits)
        if kind in _CALL_ENDS:
            return Outcome(edits, self._flush(call))
        return Outcome(edits, self._flush(channel) if kind == "response.output_text.done" else ())

    def _renumbered(self, event: Event, edit: Edit | None) -> Edit | None:
        edits = super()._renumbered(event, edit)
        contents = self._contents.get(str(event.get("output_index")))
        if contents is None:
            return edits
        mine: Children = dict(edits) if isinstance(edits, dict) else {}
        contents.renumber(event, "content_index", mine)
        return mine or None

    def _flush(self, channel: Any) -> list[Event]:
        rest = self.text.end(channel)
        template = self._places.pop(channel, None)
        if not rest or template is None:
            return []
        return [{**template, **({"logprobs": []} if "logprobs" in template else {}), "delta": rest}]

    def _held_text(self) -> list[Event]:
        return [event for channel in self.text.open() for event in self._flush(channel)]


DIALECT = Dialect(
    "openai-responses",
    kinds("openai-responses"),
    recognise=_recognise,
    hooks={"input": (drop_references,), "previous_response_id": (drop_handles,), "output": (check_output,)},
    signs={"input": ('"id":"rs_',), "previous_response_id": (), "output": ()},
    lists=(drop_pairing_ids,),
    claims=_claims,
    partial=_partial,
    stream=Stream,
)
