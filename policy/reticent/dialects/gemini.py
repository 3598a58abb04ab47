"""Gemini and Vertex ``generateContent``: parts without a type, flagged as thought or signed.

``thought: true`` decides, not the text: a thought can be an image. A part of empty text with a signature is nothing
but the signature. The signature on a function call goes and the call stays. Keys come in the spelling of the wire and
in that of the Python SDK. A stream is a run of small complete responses; the Live API sends turns of parts instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._gathering import Gathering
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.dialects._stream import Event, Outcome, StreamContext, TextChannels, placed, put
from reticent.dialects._text_stream import found_at
from reticent.edits import DROP, Children, Edit, Put

if TYPE_CHECKING:
    from reticent.dialects._marks import Counted, Mark

_KINDS = kinds("gemini")
_SIGNATURES = ("thoughtSignature", "thought_signature")
_LOGPROBS = ("logprobsResult", "logprobs_result")
_PART = frozenset(_KINDS.untyped) - {"thought"} | set(_SIGNATURES)
_LIVE = ("serverContent", "server_content")
_TURN = ("modelTurn", "model_turn")
_ENDS = ("turnComplete", "turn_complete", "generationComplete", "generation_complete", "interrupted")
_FINISH = ("finishReason", "finish_reason")

_TOLD = frozenset({"type", "kind", "part_kind", "metadata"})
"""Members of the parts of other protocols."""

Path = tuple[Any, ...]


def _recognise(value: Any) -> bool:
    return isinstance(value, dict) and (_claims(value) or _holds_contents(value))


def _holds_contents(value: Mapping[str, Any]) -> bool:
    contents = value.get("contents")
    return isinstance(contents, list) and bool(contents) and isinstance(contents[0], dict) and "parts" in contents[0]


def _claims(event: Event) -> bool:
    if any(isinstance(event.get(name), dict) for name in _LIVE):
        return True
    candidates = event.get("candidates")
    return isinstance(candidates, list) and all(isinstance(item, dict) for item in candidates)


def drop_thought(walker: Walker, node: Mapping[str, Any], _edits: Children, position: int) -> Edit | None:
    """A part that says it is a thought, whatever it holds."""
    if node.get("thought") is not True or position == Position.DATA or not walker.withholds("summary"):
        return None
    if _PART.isdisjoint(node):
        return None
    walker.withhold("gemini/thought", node)
    return DROP


def drop_bare_signature(_walker: Walker, node: Mapping[str, Any], edits: Children, _position: int) -> Edit | None:
    """A part that held a signature and no text is gone when the signature is, and so is any object around one."""
    gone = [name for name in _SIGNATURES if edits.get(name) is DROP]
    rest = [name for name in node if name not in (*_SIGNATURES, "thought") and node[name] not in ("", None)]
    return DROP if gone and not rest else None


def drop_token_copies(walker: Walker, node: Mapping[str, Any], edits: Children, _position: int) -> Edit | None:
    """Where a thought went, the tokens that may spell it go too."""
    if _lost_thought(node, edits):
        for name in _LOGPROBS:
            if node.get(name):
                walker.withhold(f"gemini/{name}", node[name])
                edits[name] = DROP
    return None


def _lost_thought(node: Mapping[str, Any], edits: Children) -> bool:
    content, gone = node.get("content"), edits.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    lost = gone.get("parts") if isinstance(gone, dict) else None
    if not isinstance(parts, list) or not isinstance(lost, dict):
        return False
    taken = [lost.get(at) is DROP or isinstance(lost.get(at), Put) for at in range(len(parts))]  # Put: by a mark
    return any(is_gone and part.get("thought") is True for is_gone, part in zip(taken, parts, strict=True) if part)


class Stream:
    """One stream of small complete responses, or of Live turns; each candidate is a channel of text."""

    def __init__(self, context: StreamContext) -> None:
        """Start before the first chunk."""
        self._text = TextChannels(context)
        self._lost = Gathering(
            context,
            _mark,
            name=frozenset,
            goes_on=lambda names: names <= {"text", "thought"},
            is_shown=lambda part: part != {"text": ""},
        )

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """Filter text for inline tags; a candidate that finishes, or goes on with a call, gives up what it held."""
        ended = tuple(_ended(event))
        before: list[Event] = []
        for channel, at, turn in _turns(event):
            edit, held = self._parts(channel, (*at, "parts"), turn, edit, ends=channel in ended)
            before += held
            edit = self._marked(channel, (*at, "parts"), turn.get("parts"), edit, ends=channel in ended)
        return Outcome(edit, [*before, *(made for channel in ended for made in self._rest(channel))])

    def close(self) -> Sequence[Event]:
        """One chunk for each candidate that still held text, and one for a mark it ended with."""
        channels = dict.fromkeys([*self._text.open(), *self._lost.open()])
        return [event for channel in channels for event in self._rest(channel)]

    def _rest(self, channel: Any) -> list[Event]:
        return [*self._held(channel), *(_chunk(channel, mark) for mark in self._lost.take(channel))]

    def _marked(self, channel: Any, at: Path, parts: Any, edit: Edit | None, *, ends: bool) -> Edit | None:
        found = found_at(edit, at)
        if not isinstance(parts, list) or not (found is None or isinstance(found, dict)):
            return edit
        marked = self._lost.gathered(channel, parts, found, ends=ends)
        return edit if marked is None or marked == found else placed(edit, at, marked)

    def _parts(
        self, channel: Any, at: Path, turn: Mapping[str, Any], edit: Edit | None, *, ends: bool
    ) -> tuple[Edit | None, list[Event]]:
        """The edit of the parts at ``at``, and chunks to send before them.

        The last text before a call, or before the end of the turn, also shows what was held back.
        """
        before: list[Event] = []
        shown: dict[int, str] = {}
        parts = turn.get("parts")
        listed: list[Any] = parts if isinstance(parts, list) else []
        for number, part in enumerate(listed):
            if _is_dropped(edit, (*at, number)) or not isinstance(part, dict):
                continue
            if _is_shown_text(part):
                shown[number] = self._text.feed(channel, part["text"])
            elif shown:
                shown[max(shown)] += self._text.end(channel)
            else:
                before += self._held(channel)
        if ends and shown:
            shown[max(shown)] += self._text.end(channel)
        for number, text in shown.items():
            if text != turn["parts"][number]["text"]:
                edit = put(edit, (*at, number, "text"), text)
        return edit, before

    def _held(self, channel: Any) -> list[Event]:
        rest = self._text.end(channel)
        return [_chunk(channel, {"text": rest})] if rest else []


def _chunk(channel: Any, part: Event) -> Event:
    """A chunk of one part."""
    content = {"role": "model", "parts": [part]}
    if channel in _LIVE:
        return {channel: {"modelTurn" if channel == "serverContent" else "model_turn": content}}
    return {"candidates": [{"index": channel, "content": content}]}


def _mark(counted: Counted) -> Mark:
    """A part of empty text: the SDK refuses one with a member that it does not know."""
    told = "thought" if counted.label == "unnamed" else counted.label
    return {"text": "", "partMetadata": {"withheld": {**counted.told, "type": told}}}


def _make_own(block: Mapping[str, Any], key: Any, counted: Counted) -> Mark | None:
    is_part = key == "parts" and _TOLD.isdisjoint(block)
    return _mark(counted) if is_part else None


def _candidates(event: Event) -> Sequence[Event]:
    return event.get("candidates") or []


def _turns(event: Event) -> Iterator[tuple[Any, Path, Mapping[str, Any]]]:
    """Channel, path and content of everything in ``event`` that a model wrote."""
    for at, candidate in enumerate(_candidates(event)):
        if isinstance(candidate.get("content"), dict):
            yield candidate.get("index", at), ("candidates", at, "content"), candidate["content"]
    for name in _LIVE:
        for turn in _TURN:
            if isinstance(event.get(name), dict) and isinstance(event[name].get(turn), dict):
                yield name, (name, turn), event[name][turn]


def _ended(event: Event) -> Iterator[Any]:
    """Channels that end with ``event``."""
    for at, candidate in enumerate(_candidates(event)):
        if any(candidate.get(name) is not None for name in _FINISH):
            yield candidate.get("index", at)
    for name in _LIVE:
        if isinstance(event.get(name), dict) and any(event[name].get(end) for end in _ENDS):
            yield name


def _is_shown_text(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str) and part.get("thought") is not True


def _is_dropped(edit: Edit | None, path: Path) -> bool:
    for key in path:
        if not isinstance(edit, dict):
            break
        edit = edit.get(key)
    return edit is DROP


DIALECT = Dialect(
    "gemini",
    _KINDS,
    recognise=_recognise,
    hooks={
        "thought": (drop_thought,),
        **dict.fromkeys(_SIGNATURES, (drop_bare_signature,)),
        **dict.fromkeys(_LOGPROBS, (drop_token_copies,)),
    },
    signs=dict.fromkeys(_LOGPROBS, ()),
    claims=_claims,
    partial=lambda _event: True,
    stream=Stream,
    mark=_make_own,
    gathers=lambda _event: ("parts",),
)
