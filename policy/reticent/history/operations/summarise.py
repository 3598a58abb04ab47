"""Summarise: contiguous settled units become one user entry that a model wrote and nobody signed.

The dearest rung and the one that loses most, so it is never a default. The model is any async callable. It gets the
range as delimited data without reasoning, and its answer is taken only when it holds up (see
:mod:`reticent.history.summaries.asking`). The user's words are quoted beside it as they were. A summary is never the
source of another: the originals are pinned, and a later summary is written from them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reticent.history.changes import Action, Change, size_of
from reticent.history.legality import Refusal
from reticent.history.operations import marks
from reticent.history.settled import Proposal, Settled
from reticent.history.summaries.asking import ask
from reticent.history.summaries.ranges import Range, Writing, head, labelled, range_of
from reticent.history.summaries.source import user_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reticent.history.units import Unit

NAME = "summarise"
RUNG = "summarise"
ADDRESSES = frozenset({"text", "call", "result", "reasoning"})
RULE = "settled-range-summarised"


async def propose(settled: Settled, units: Sequence[Unit], writing: Writing) -> Proposal:
    """One summary for all of ``units``, which follow one another.

    A summariser that raises, hangs, is cut off, refuses, calls a tool or answers badly changes nothing: the refusal
    says how, by type.
    """
    found = range_of(settled, units, writing, op=NAME)
    if isinstance(found, Refusal):
        return Proposal(refused=(found,))
    answer = await ask(writing.model, found.prompt(writing), found.demands(writing), timeout=writing.timeout)
    if answer.reason:
        return Proposal(refused=(found.no(answer.reason, answer.detail, op=NAME),))
    return _swap(found, answer.text, writing)


def _swap(found: Range, text: str, writing: Writing) -> Proposal:
    settled = found.settled
    drops = [settled.dropped(entry, op=NAME, rule=RULE, kind="unit") for entry in found.entries]
    mark = marks.summary(len(found.entries), found.originals.generation, found.handle)
    shape = settled.shape
    words = user_words(found.originals, shape, settled.analysis.context)
    tail = [shape.text_part(writing.block)] if writing.block else []
    new = [head(shape.user_entry([f"{mark}\n{text}"]), settled, [*words, *tail])]
    if shape.facts.alternates:
        new.append(shape.assistant_entry(marks.NOTED))
    if sum(size_of(entry) for entry in new) >= sum(change.size for change in drops):
        return Proposal(refused=(found.no("summary-not-shorter", op=NAME),))
    inserts = [
        Change(position=found.start, action=Action.INSERT, op=NAME, rule=RULE, kind="summary", value=value)
        for value in labelled(new, found.entries)
    ]
    pins = ((found.handle, found.data),) if writing.pins is not None else ()
    return Proposal(changes=(*inserts, *drops), pins=pins)
