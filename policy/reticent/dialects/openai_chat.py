"""OpenAI Chat Completions and everything that speaks it: the clones put reasoning in members of their own.

The official API returns none, but its SDK keeps unknown members, so that a clone's ``reasoning_content`` sits on the
official message class. What is code here: log probabilities spell the reasoning out token by token, and streams have
no frames around it, only a run of chunks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._gathering import Gathering
from reticent.dialects._marks import Counted, Mark, text_mark, typed_mark
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.dialects._stream import CALL, Event, Outcome, StreamContext, TextChannels, hashable, put
from reticent.dialects._text_stream import found_at
from reticent.edits import DROP, Children, Edit, Insert, Put, apply

_TOKEN_COPIES = ("logprobs", "token_ids", "prompt_logprobs")

_WHOLE = (type(DROP), Put)
"""Edits of a value that none of its parts outlive."""
_HOLDERS = frozenset({"message", "delta", "text", "choices"})


def _recognise(value: Any) -> bool:
    return isinstance(value, dict) and _claims(value)


def _claims(event: Event) -> bool:
    choices = event.get("choices")
    return isinstance(choices, list) and (not choices or isinstance(choices[0], dict))


def _partial(event: Event) -> bool:
    return any(isinstance(choice, dict) and _is_piece(choice) for choice in event.get("choices", ()))


def _is_piece(choice: Event) -> bool:
    return "delta" in choice or (isinstance(choice.get("text"), str) and choice.get("finish_reason") is None)


def drop_token_copies(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """Where reasoning went, the lists of tokens that spell it go too."""
    if position != Position.DATA and not _HOLDERS.isdisjoint(edits):
        _drop_tokens(walker, node, edits)
    return None


def _drop_tokens(context: Walker | StreamContext, node: Mapping[str, Any], edits: Children) -> None:
    for name in _TOKEN_COPIES:
        if node.get(name) and name not in edits:
            context.withhold(f"openai-chat/{name}", node[name])
            edits[name] = _emptied(node[name]) if name == "logprobs" else DROP


def keep_shell(_walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """A choice keeps its message or delta even when that held nothing else: every client reaches into it."""
    for name in ("delta", "message"):
        if edits.get(name) is DROP and isinstance(node[name], dict) and position != Position.DATA:
            edits[name] = Put({})
    return None


def read_text(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """A text beside a finish reason is what a model wrote, also where no choice is around it (DashScope)."""
    text = node.get("text")
    if isinstance(text, str) and position == Position.OPEN and "text" not in edits:
        edit = walker.value(text, int(Position.ASSISTANT), "text", 0)
        if edit is not None:
            edits["text"] = edit
    return None


def _emptied(value: Any) -> Put:
    """Clients look for the member: Responses has a list there, chat an object or null."""
    return Put([] if isinstance(value, list) else None)


def _mark(counted: Counted) -> Mark:
    """The mark for parts of a delta: Mistral sends thinking so, and its SDK refuses a chunk that only says so."""
    return text_mark(counted) if counted.label == "thinking" else typed_mark(counted)


class Stream:
    """One stream of chunks; each choice is a channel of text."""

    def __init__(self, context: StreamContext) -> None:
        """Start before the first chunk."""
        self._context = context
        self._text = TextChannels(context)
        self._template: Event = {}
        self._completes = False
        self._lost: set[Any] = set()
        self._withheld = Gathering(context, _mark, name=lambda part: str(part.get("type")), goes_on=bool)

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """Filter the text of every choice for inline tags; a choice that finishes gives up what was held."""
        if event.get("choices"):
            self._template = {name: event[name] for name in ("id", "object", "created", "model") if name in event}
        before: list[Event] = []
        for at, choice in enumerate(event.get("choices", ())):
            if isinstance(choice, dict):
                before += self._mark(at, choice, edit)
                edit = self._choice(at, choice, edit)
        return Outcome(edit, before)

    def _mark(self, at: int, choice: Event, edit: Edit | None) -> list[Event]:
        """Marks for parts that a choice lost, in chunks in front of the one that shows something else."""
        delta, index = choice.get("delta"), hashable(choice.get("index", at))
        if not self._context.marks or not isinstance(delta, dict):
            return []
        content, marks = delta.get("content"), list[Mark]()
        if isinstance(content, list):
            gone = found_at(edit, ("choices", at, "delta", "content"))
            edits: Children = dict.fromkeys(range(len(content)), DROP) if isinstance(gone, _WHOLE) else _below(gone)
            found = self._withheld.gathered(index, content, edits)
            inserted = found.values() if isinstance(found, dict) else ()
            marks += [mark for one in inserted if isinstance(one, Insert) for mark in one.before]
        elif content or delta.get("tool_calls"):
            marks += self._withheld.take(index)
        if choice.get("finish_reason") is not None:
            marks += self._withheld.take(index)
        return [self._chunk(index, mark) for mark in marks]

    def _chunk(self, index: Any, mark: Mark) -> Event:
        """A chunk that is nothing but a mark."""
        return {**self._template, "choices": [{"index": index, "delta": {"content": [mark]}, "finish_reason": None}]}

    def close(self) -> Sequence[Event]:
        """One chunk for each choice that ended without a finish reason while text was held back."""
        found: list[Event] = []
        for channel in self._text.open():
            rest = self._text.end(channel)
            if rest:
                index, piece = self._piece(channel, rest)
                found.append({**self._template, "choices": [{"index": index, **piece, "finish_reason": None}]})
        return [*found, *(self._chunk(at, mark) for at in self._withheld.open() for mark in self._withheld.take(at))]

    def _piece(self, channel: Any, rest: str) -> tuple[Any, Event]:
        """The number of the choice that a channel belongs to, and what carries the rest of it there."""
        if isinstance(channel, tuple):
            return channel[1], {"delta": {"tool_calls": [{"index": channel[2], "function": {"arguments": rest}}]}}
        return channel, {"text": rest} if self._completes else {"delta": {"content": rest}}

    def _choice(self, at: int, choice: Event, edit: Edit | None) -> Edit | None:
        index = choice.get("index", at)
        index = index if isinstance(index, (int, str)) else at
        edits = _below(edit, "choices", at)
        if not _HOLDERS.isdisjoint(edits):
            self._lost.add(index)
        if isinstance(choice.get("delta"), dict):
            edits = self._delta(index, choice, edits)
        elif isinstance(choice.get("text"), str):
            edits = self._completion(index, choice, edits)
        if index in self._lost:
            _drop_tokens(self._context, choice, edits)
        return _placed(edit, at, edits) if edits else edit

    def _feed(self, index: Any, text: str) -> str:
        shown = self._text.feed(index, text)
        if self._text.withheld(index):
            self._lost.add(index)
        return shown

    def _delta(self, index: Any, choice: Event, edits: Children) -> Children:
        """The edits of a choice with a delta: text filtered, a list that lost every part turned into a string."""
        delta: Event = choice["delta"]
        found = edits.get("delta")
        inner: Children = dict(found) if isinstance(found, dict) else {}
        if found is DROP or isinstance(found, Put):
            delta = {}
        content = delta.get("content")
        if isinstance(content, list):
            self._parts(index, content, inner)
        text = content if isinstance(content, str) else ""
        shown = self._feed(index, text) if text else ""
        if choice.get("finish_reason") is not None or delta.get("tool_calls"):
            shown += self._text.end(index)
        inner = self._calls(index, delta.get("tool_calls"), inner)
        if delta == choice["delta"] and (shown == text or isinstance(content, str)):
            inner = inner if shown == text else {**inner, "content": Put(shown)}
            return {**edits, "delta": inner} if inner else edits
        kept: Event = apply(delta, inner or None)
        if not shown:
            return {**edits, "delta": Put(kept)}
        before = kept.get("content")
        return {
            **edits,
            "delta": Put({**kept, "content": [*before, _part(shown)] if isinstance(before, list) else shown}),
        }

    def _calls(self, index: Any, calls: Any, inner: Children) -> Children:
        """The edits of a delta with those of the arguments in it."""
        found = inner.get("tool_calls")
        mine: Children = dict(found) if isinstance(found, dict) else {}
        entries: list[Any] = calls if isinstance(calls, list) else []
        for at, call in enumerate(entries):
            function: Any = call.get("function") if isinstance(call, dict) else None
            text: Any = function.get("arguments") if isinstance(function, dict) else None
            if isinstance(text, str) and mine.get(at) is not DROP:
                channel = (CALL, hashable(index), hashable(call.get("index", at)))
                shown = self._text.feed_arguments(channel, text)
                if shown != text:
                    mine[at] = put(mine.get(at), ("function", "arguments"), shown)
        return {**inner, "tool_calls": mine} if mine else inner

    def _parts(self, index: Any, parts: Sequence[Any], inner: Children) -> None:
        found = inner.get("content")
        mine: Children = dict(found) if isinstance(found, dict) else {}
        for at, part in enumerate(parts):
            if isinstance(part, dict) and mine.get(at) is None and isinstance(part.get("text"), str):
                shown = self._feed(index, part["text"])
                if shown != part["text"]:
                    mine[at] = {"text": Put(shown)}
        if parts and all(mine.get(at) is DROP for at in range(len(parts))):
            inner["content"] = Put("")
        elif mine:
            inner["content"] = mine

    def _completion(self, index: Any, choice: Event, edits: Children) -> Children:
        """The edits of a choice of the older completions API, whose text is a piece until it finishes."""
        self._completes = True
        text: str = choice["text"]
        ends = choice.get("finish_reason") is not None
        if ends and index not in self._text.open():
            return edits
        shown = self._feed(index, text) + (self._text.end(index) if ends else "")
        return edits if shown == text else {**edits, "text": Put(shown)}


def _part(text: str) -> Event:
    return {"type": "text", "text": text}


def _below(edit: Edit | None, *path: Any) -> Children:
    for key in path:
        edit = edit.get(key) if isinstance(edit, dict) else None
    return dict(edit) if isinstance(edit, dict) else {}


def _placed(edit: Edit | None, at: int, choice: Children) -> Edit:
    edits: Children = dict(edit) if isinstance(edit, dict) else {}
    edits["choices"] = {**_below(edit, "choices"), at: choice}
    return edits


DIALECT = Dialect(
    "openai-chat",
    kinds("openai-chat"),
    recognise=_recognise,
    hooks={**dict.fromkeys(_TOKEN_COPIES, (drop_token_copies,)), "finish_reason": (read_text, keep_shell)},
    signs=dict.fromkeys((*_TOKEN_COPIES, "finish_reason"), ()),
    claims=_claims,
    partial=_partial,
    stream=Stream,
    gathers=lambda event: ("content",) if _partial(event) else (),
)
