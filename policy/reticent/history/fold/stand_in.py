"""What stands in the place of a folded range: the user's words, and a synthetic pair of call and result.

The pair holds the summary and is of the mode the request is in. Where tools are declared it is a call of
``compact_history`` with its result under one id; where they are played in plain text it is plain text, for a tool role
in a request without tools is refused. A closing note ends it, so that the range counts as settled. Whoever reads the
history can tell that a summary stands there, of how many entries, by which handle.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from reticent.history.changes import Action, Change
from reticent.history.entries import TEXT_TOOL_PREFIX, PartKind, Role
from reticent.history.operations import marks
from reticent.history.settled import Proposal
from reticent.history.shapes._shape import STOP_KEYS, plain
from reticent.history.summaries.ranges import Range, head, labelled
from reticent.history.summaries.source import user_words

if TYPE_CHECKING:
    from reticent.history.fold.request import Request
    from reticent.history.settled import Settled

NAME = "fold"
RULE = "settled-range-folded"


class Mode(StrEnum):
    """How a request plays its tools."""

    NATIVE = "native"
    TEXT = "text"


def mode_of(request: Request, settled: Settled) -> Mode:
    """The mode of a request.

    Text where the harness says so, where no tools are declared, and where a call of ours would owe its provider
    reasoning.
    """
    played = settled.analysis.context.text_tools is not False
    owed = settled.profile.reasoning == "owed-with-calls"
    declared = bool(request.tools)
    if request.tools is None:
        declared = any(entry.has(PartKind.CALL) for entry in settled.analysis.entries)
    return Mode.TEXT if played or owed or not declared else Mode.NATIVE


def stand_in(found: Range, text: str, block: str, *, mode: Mode, keep: int, pinned: bool) -> Proposal:
    """The changes that put ``text`` in the place of a range, ``block`` behind it."""
    settled = found.settled
    shape = settled.shape
    mark = marks.folded(len(found.entries), found.originals.generation, found.handle)
    words = user_words(found.originals, shape, settled.analysis.context)
    held = f"{marks.HELD}\n{text}" + (f"\n\n{block}" if block else "")
    new = [head(shape.user_entry([mark]), settled, words), *_pair(found, held, mode, keep), _closing(found)]
    drops = [settled.dropped(entry, op=NAME, rule=RULE, kind="unit") for entry in found.entries]
    inserts = [
        Change(position=found.start, action=Action.INSERT, op=NAME, rule=RULE, kind="summary", value=value)
        for value in labelled(new, found.entries)
    ]
    return Proposal(changes=(*inserts, *drops), pins=((found.handle, found.data),) if pinned else ())


def _pair(found: Range, held: str, mode: Mode, keep: int) -> list[dict[str, Any]]:
    shape = found.settled.shape
    if mode is Mode.TEXT:
        prefix = found.settled.analysis.context.text_prefix or TEXT_TOOL_PREFIX
        return [shape.assistant_entry(marks.ASKED), shape.user_entry([f"{prefix}{marks.TOOL}): {held}"])]
    call_id = marks.CALL_ID + found.handle.removeprefix("sha256:")[:24]
    call = shape.call_entry(call_id, marks.TOOL, {"keep_last_n_calls": keep})
    return [call, *shape.result_entries([shape.result_of(call_id, marks.TOOL, held)])]


def _closing(found: Range) -> dict[str, Any]:
    """The note that ends the range, with the stop word that the harness stored on the answer it replaces."""
    last = next((entry for entry in reversed(found.entries) if entry.role is Role.ASSISTANT), None)
    raw = {} if last is None else (plain(last.raw) or {})
    stored = {key: raw[key] for key in (*STOP_KEYS, "phase") if raw.get(key)}
    return {**found.settled.shape.assistant_entry(marks.NOTED), **stored}
