"""Starting a running task again in a fresh window: the last resort where nothing has settled and the window is full.

It is no fold. A provider checks the running chain of calls and reasoning, so that chain is not edited: it is left
behind as a whole. The new request holds the standing text, the user's words, a summary and the scratchpad as user text,
and the next instruction; no call, no result and no reasoning is replayed. It is a restart of the task, it says so in
its report, and nobody is given it without asking.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reticent.history.boundary import analyse
from reticent.history.entries import Role
from reticent.history.fold.notes import noted, staged
from reticent.history.fold.outcome import FoldOutcome, FoldReport
from reticent.history.fold.preparing import writing_for
from reticent.history.keeping import flushed_or_refused
from reticent.history.knobs import Knobs
from reticent.history.legality import Refusal
from reticent.history.operations import marks
from reticent.history.progress import silent
from reticent.history.scope import same_tenant
from reticent.history.scratchpad.block import render
from reticent.history.summaries.asking import Demands, ask
from reticent.history.summaries.pins import pinned
from reticent.history.summaries.source import originals_of, user_words
from reticent.history.summaries.templates import FOLD

NAME = "restart"

if TYPE_CHECKING:
    from reticent.history.boundary import Analysis
    from reticent.history.entries import Context
    from reticent.history.fold.request import Request
    from reticent.history.keeping import Keeping
    from reticent.history.scratchpad.flush import Flushed
    from reticent.history.scratchpad.records import Scratchpad
    from reticent.history.summaries.source import Originals


async def start_again(  # noqa: PLR0913 - keyword arguments of a call users make
    request: Request,
    pad: Scratchpad,
    keeping: Keeping,
    *,
    instruction: str,
    knobs: Knobs | None = None,
    dialect: str | None = None,
    context: Context | None = None,
) -> FoldOutcome:
    """A request that takes up the running task in a fresh window; the one that came in where that is not possible.

    ``instruction`` is what the model is to do next. Refused while a call is open, while an identifier is in no fact,
    for every answer that is no summary, and unless the request gets smaller.

    Raises:
        ConfigurationError: ``keeping`` names no summariser.
        TenantMismatch: scratchpad or summariser belong to another tenant than the task.
    """
    same_tenant(keeping.scope, pad, "scratchpad")
    analysis = analyse(request.messages, dialect=dialect, context=context)
    size, length = request.size, len(analysis.entries)
    base = FoldReport(status="refused", end=length, size_before=size, size_after=size)
    flushed = _flushed(analysis, pad, keeping)
    if isinstance(flushed, Refusal):
        report = replace(base, reason=flushed.reason, detail=flushed.detail)
        return FoldOutcome(request=request, pad=pad, report=report)
    originals: Originals = originals_of(analysis.entries, analysis.shape, keeping.pins, keeping.scope.tenant)
    writing = writing_for(request, analysis, keeping, render(flushed.pad))
    if originals.generation > writing.generations:
        return FoldOutcome(request=request, pad=pad, report=replace(base, reason="earlier-summary"))
    demands = Demands(template=FOLD, material=originals.material(), instructions=writing.instructions)
    answer = await ask(writing.model, FOLD.prompt(demands.material), demands, timeout=writing.timeout)
    handle, data = pinned(originals.entries)
    base = replace(base, calls=1, handle=handle, generation=originals.generation)
    if answer.reason:
        report = replace(base, reason=answer.reason, detail=answer.detail)
        return FoldOutcome(request=request, pad=pad, report=report)
    mark = marks.summary(length, originals.generation, handle)
    held = [f"{marks.HELD}\n{answer.text}", *([writing.block] if writing.block else []), instruction]
    new = request.with_messages(_opened(analysis, originals, mark, held))
    note = noted(answer.text, handle, originals.generation)
    stage = await staged(flushed.pad, note, knobs or Knobs(), writing)
    reason = "request-not-smaller" if new.size >= size else "" if stage.pad is not None else "scratchpad-full"
    reason = reason or _pinned(keeping, handle, data)
    if reason or stage.pad is None:
        return FoldOutcome(request=request, pad=pad, report=replace(base, reason=reason))
    told = replace(base, status="restarted", size_after=new.size, facts=flushed.facts, attempts=flushed.attempts)
    return FoldOutcome(request=new, pad=stage.pad, report=told, flushed=flushed)


def _flushed(analysis: Analysis, pad: Scratchpad, keeping: Keeping) -> Flushed | Refusal:
    """What the whole request leaves in the scratchpad, or what forbids to leave it behind."""
    end = len(analysis.entries)
    if analysis.report.open:
        return Refusal(op=NAME, reason="open-call", detail="a call has no result yet", end=end)
    flushed = flushed_or_refused(analysis, pad, keeping, silent, end=end)
    if isinstance(flushed, Refusal):
        return flushed
    reason = flushed.guard(NAME, 0, end)
    return flushed if reason is None else Refusal(op=NAME, reason=reason, end=end)


def _opened(analysis: Analysis, originals: Originals, mark: str, held: list[str]) -> list[Any]:
    """Standing text, then one user entry: the mark, the user's words, the summary, the facts and the instruction."""
    shape = analysis.shape
    standing = [entry.raw for entry in analysis.entries if entry.role is Role.SYSTEM]
    words = user_words(originals, shape, analysis.context)
    entry = shape.user_entry([mark])
    parts = [*words, *(shape.text_part(text) for text in held)]
    return [*standing, {**entry, shape.content: shape.extended(entry, parts)}]


def _pinned(keeping: Keeping, handle: str, data: bytes) -> str:
    """Keep the originals; why not, as a word."""
    try:
        if keeping.pins is not None:
            keeping.pins.put(keeping.scope.tenant, handle, data)
    except Exception:  # noqa: BLE001 - the pins are the caller's; whatever they raise, nothing is started
        return "pins-failed"
    return ""
