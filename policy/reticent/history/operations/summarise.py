"""Summarise: contiguous settled units become one user entry that a model wrote and nobody signed.

The dearest rung and the one that loses most, so it is never a default. The model is any async callable. It gets the
range as delimited data without reasoning, and its answer is taken only when it holds up: whole, shorter than its
source, with every literal it has to keep, and no copy of the standing instructions. The user's words are quoted beside
it as they were. A summary is never the source of another.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reticent.history.changes import Action, Change, encode, handle_of, size_of
from reticent.history.entries import Entry, PartKind, Role
from reticent.history.legality import Refusal
from reticent.history.operations import marks
from reticent.history.operations.reduce import refuses as refuses_reduce
from reticent.history.settled import Proposal, Settled, without_reasoning
from reticent.history.shapes import value_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reticent.history.units import Unit

NAME = "summarise"
RUNG = "summarise"
ADDRESSES = frozenset({"text", "call", "result", "reasoning"})
RULE = "settled-range-summarised"

_OVERLAP = 12
"""Words in a row that show a standing instruction was copied."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a summariser may return instead of a plain string, to say how its model stopped."""

    text: str
    natural: bool = True


Summariser = Callable[[str], Awaitable["str | Summary"]]
"""Takes the source as one text, gives the summary. It is called without tools and under the caller's own rights."""


async def propose(
    settled: Settled,
    units: Sequence[Unit],
    summariser: Summariser,
    *,
    literals: Iterable[str] = (),
    instructions: str = "",
) -> Proposal:
    """One summary for all of ``units``, which follow one another. ``literals`` must come back as they are.

    A summariser that raises, is cut off, refuses or answers badly changes nothing: the refusal says how, by type.
    """
    refusal = _refuses(settled, units)
    if refusal is not None:
        return Proposal(refused=(refusal,))
    source = source_text(settled, units)
    try:
        answer = await summariser(source)
    except Exception as error:  # noqa: BLE001 - whatever a model's client raises, the history stays
        return _no(units, "summariser-failed", type(error).__name__)
    fault = _fault(answer, source, literals, instructions)
    if fault is not None:
        return _no(units, fault)
    text = answer.text if isinstance(answer, Summary) else str(answer)
    return _swap(settled, units, text)


def source_text(settled: Settled, units: Sequence[Unit]) -> str:
    """The range as a summariser sees it: each entry between marks, calls and results as JSON, no reasoning."""
    rows = [_row(entry) for unit in units for entry in settled.of(unit)]
    return "\n".join(row for row in rows if row)


def _row(entry: Entry) -> str:
    kept = without_reasoning(entry)
    if kept is None:
        return ""
    return f"<<entry {entry.pos} {entry.role.value}>>\n{encode(kept).decode('utf-8', 'replace')}\n<<end>>"


def _refuses(settled: Settled, units: Sequence[Unit]) -> Refusal | None:
    for unit in units:
        blocked = refuses_reduce(settled, unit)
        if blocked is not None and blocked.reason in {"checkpoint-in-unit", "control-in-unit"}:
            return blocked
        refusal = settled.refuses(NAME, unit)
        if refusal is not None:
            return refusal
        if any(marks.SUMMARY in settled.shape.user_text(entry.raw) for entry in settled.of(unit)):
            detail = "the range holds a summary; summarise from the originals"
            return Refusal(op=NAME, reason="earlier-summary", detail=detail, start=unit.start, end=unit.end)
    return None


def _no(units: Sequence[Unit], reason: str, detail: str = "") -> Proposal:
    return Proposal(refused=(Refusal(op=NAME, reason=reason, detail=detail, start=units[0].start, end=units[-1].end),))


def _fault(answer: Any, source: str, literals: Iterable[str], instructions: str) -> str | None:
    if isinstance(answer, Summary) and not answer.natural:
        return "summary-cut-off"
    text = answer.text if isinstance(answer, Summary) else answer
    if not isinstance(text, str):
        return "summary-not-text"
    if not text.strip():
        return "summary-blank"
    if len(text) >= len(source):
        return "summary-not-shorter"
    if any(literal not in text for literal in literals):
        return "literal-lost"
    return "instructions-restated" if _restates(text, instructions) else None


def _restates(text: str, instructions: str) -> bool:
    words = instructions.split()
    runs = {tuple(words[i : i + _OVERLAP]) for i in range(len(words) - _OVERLAP + 1)}
    said = text.split()
    return any(tuple(said[i : i + _OVERLAP]) in runs for i in range(len(said) - _OVERLAP + 1))


def _swap(settled: Settled, units: Sequence[Unit], text: str) -> Proposal:
    entries = [entry for unit in units for entry in settled.of(unit)]
    drops = [settled.dropped(entry, op=NAME, rule=RULE, kind="unit") for entry in entries]
    handle = handle_of([change.handle for change in drops])
    quotes = [quote for entry in entries for quote in _quotes(entry)]
    head = f"{marks.summary(len(entries), 1, handle)}\n{text}"
    new = [settled.shape.user_entry([head, *quotes])]
    if settled.shape.facts.alternates:
        new.append(settled.shape.assistant_entry(marks.NOTED))
    if sum(size_of(entry) for entry in new) >= sum(change.size for change in drops):
        return _no(units, "summary-not-shorter")
    start = units[0].start
    inserts = [
        Change(position=start, action=Action.INSERT, op=NAME, rule=RULE, kind="summary", value=value) for value in new
    ]
    return Proposal(changes=(*inserts, *drops))


def _quotes(entry: Entry) -> list[str]:
    """What a person said in an entry, verbatim."""
    if entry.role is not Role.USER or entry.nudge or entry.text_output:
        return []
    parts = [part for part in entry.parts if part.kind is PartKind.TEXT and not part.blank]
    values = [value_at(entry.raw, part.path) for part in parts]
    return [value if isinstance(value, str) else _text(value) for value in values]


def _text(value: Any) -> str:
    text = value.get("text") if isinstance(value, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return text if isinstance(text, str) else json.dumps(value, ensure_ascii=False, default=str)
