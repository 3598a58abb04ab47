"""Gemini Interactions: steps with a type, and a stream of numbered steps.

A ``thought`` step goes as a whole; the ``signature`` on the step of a call or a result goes and the step stays. The
first release of the protocol called steps ``outputs`` and their events ``content.*``; both are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._marks import Counted, block_label, block_length, typed_mark
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.dialects._stream import (
    GONE,
    BlockEvents,
    BlockStream,
    Event,
    Outcome,
    StreamContext,
)
from reticent.edits import DROP, Children, Edit, Put

_KINDS = kinds("gemini-interactions")
_SIGNED = frozenset(_KINDS.data["signed"])
_TELLING = frozenset({"model_output", "thought", "user_input"})


def _recognise(value: Any) -> bool:
    return isinstance(value, dict) and (value.get("object") == "interaction" or _claims(value))


def _claims(event: Event) -> bool:
    kind = event.get("event_type")
    return isinstance(kind, str) and kind.startswith(("step.", "content.", "interaction."))


def _partial(event: Event) -> bool:
    return event.get("event_type") in _STEPS.delta


def drop_signature(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """The signature on the step of a call or a result."""
    kind = node.get("type")
    if position == Position.DATA or not isinstance(kind, str) or kind not in _SIGNED or not walker.withholds("opaque"):
        return None
    if isinstance(node["signature"], str) and node["signature"]:
        walker.withhold("gemini-interactions/signature", node["signature"])
        edits["signature"] = DROP
    return None


def close_steps(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """Steps of an unknown type, in a list that holds steps of this protocol."""
    for name in ("steps", "outputs"):
        steps = node.get(name)
        if position != Position.DATA and isinstance(steps, list) and any(map(_is_telling, steps)):
            _close(walker, name, steps, edits)
    return None


def _close(walker: Walker, name: str, steps: Sequence[Any], edits: Children) -> None:
    found = edits.get(name)
    inner: Children = dict(found) if isinstance(found, dict) else {}
    for at, step in enumerate(steps):
        if isinstance(step, dict) and inner.get(at) is not DROP and walker.is_unknown("steps", step):
            inner[at] = Put(typed_mark(Counted(block_label(step), 1, block_length(step))))
    if inner:
        edits[name] = inner


def _is_telling(step: Any) -> bool:
    return isinstance(step, dict) and isinstance(step.get("type"), str) and step["type"] in _TELLING


def _text(event: Event) -> tuple[tuple[str, ...], str] | None:
    delta = event.get("delta")
    if isinstance(delta, dict) and delta.get("type") == "text" and isinstance(delta.get("text"), str):
        return ("delta", "text"), delta["text"]
    return None


def _names(family: str, block: str) -> BlockEvents:
    """The names of one release: ``step`` or ``content``, each an event family and a member."""

    def make_text(position: Any, text: str) -> Event:
        return {"index": position, "delta": {"type": "text", "text": text}, "event_type": f"{family}.delta"}

    def mark_events(position: Any, mark: Event) -> Sequence[Event]:
        return (
            {"index": position, block: mark, "event_type": f"{family}.start"},
            {"index": position, "event_type": f"{family}.stop"},
        )

    return BlockEvents(
        start=frozenset({"step.start", "content.start"}),
        delta=frozenset({"step.delta", "content.delta"}),
        stop=frozenset({"step.stop", "content.stop"}),
        position="index",
        block=block,
        at="steps",
        text=_text,
        make_text=make_text,
        make_mark=mark_events,
        kind="event_type",
    )


_STEPS = _names("step", "step")
_CONTENTS = _names("content", "content")


class Stream(BlockStream):
    """One stream of an interaction."""

    always_typed = True
    drops_held = True

    def __init__(self, context: StreamContext) -> None:
        """Start before ``interaction.created``."""
        super().__init__(_STEPS, context)

    def event(self, event: Event, edit: Edit | None) -> Outcome:
        """As for any numbered blocks, under the names of the release that the event is of."""
        kind = str(event.get("event_type"))
        if kind.startswith("interaction.") and kind != "interaction.status_update":
            return Outcome(edit, self.close())
        if not kind.startswith("interaction."):
            self.names = _CONTENTS if kind.startswith("content.") else _STEPS
        if kind in self.names.delta and self._is_unknown_delta(event):
            return GONE
        return super().event(event, edit)

    def _is_unknown_delta(self, event: Event) -> bool:
        delta = event.get("delta")
        hidden = self.positions.is_hidden(event.get("index"))
        return not hidden and isinstance(delta, dict) and self._is_unknown("step_delta", delta)


DIALECT = Dialect(
    "gemini-interactions",
    replace(_KINDS, visible={**_KINDS.visible, "step_delta": _KINDS.visible["step_delta"] | _KINDS.visible["steps"]}),
    recognise=_recognise,
    hooks={"signature": (drop_signature,), "steps": (close_steps,), "outputs": (close_steps,)},
    claims=_claims,
    partial=_partial,
    stream=Stream,
)
