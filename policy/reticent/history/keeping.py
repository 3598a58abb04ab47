"""Write before compacting, then compact, then put back: in this order, and all of it or nothing.

Verified facts go to the scratchpad first, failed attempts second; when either fails nothing is compacted. What a range
says and no scratchpad could take keeps that range where it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from reticent.history.boundary import analyse
from reticent.history.legality import Refusal
from reticent.history.options import CompactOptions, options_for
from reticent.history.progress import Progress, Step, silent
from reticent.history.run import Run
from reticent.history.scope import Scope, Scoped, authorised, same_tenant
from reticent.history.scratchpad.block import render
from reticent.history.scratchpad.flush import Flushed, flush
from reticent.history.scratchpad.reinjection import put_back
from reticent.history.summaries.ranges import Writing
from reticent.history.summaries.templates import SURVIVAL, Template

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from pydantic import BaseModel

    from reticent.history.boundary import Analysis
    from reticent.history.ladder import Draft
    from reticent.history.outcome import Compaction
    from reticent.history.scratchpad.records import Scratchpad
    from reticent.history.scratchpad.sources import Sources
    from reticent.history.summaries.asking import Summariser
    from reticent.history.summaries.pins import Pins


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A compaction and the scratchpad to go on with; both are the ones that came in when nothing was done."""

    compaction: Compaction
    pad: Scratchpad = field(repr=False)
    flushed: Flushed | None
    """What was taken, and what could not be; None when nothing was due or flushing failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """How a task's scratchpad is kept: its tools, its schema, and how its summaries are written."""

    sources: Sources
    schema: type[BaseModel] | None = None
    summariser: Summariser | Scoped | None = field(default=None, repr=False)
    template: Template | None = SURVIVAL
    instructions: str = field(default="", repr=False)
    pins: Pins | None = field(default=None, repr=False)
    scope: Scope = field(default_factory=Scope)
    timeout: float | None = None
    """Seconds a summariser may take."""
    room: int | None = None
    """Bytes that a prompt may have, where the summariser's window is known."""


async def compact_with_scratchpad(
    history: Sequence[Any],
    pad: Scratchpad,
    keeping: Keeping,
    *,
    progress: Progress = silent,
    **options: Unpack[CompactOptions],
) -> Kept:
    """Compact ``history`` and keep in ``pad`` what it would lose; ``options`` are those of :func:`compact`.

    The summariser of ``keeping`` is the last rung, as in :func:`compact_with_summary`; without one no model is called.

    Raises:
        TenantMismatch: scratchpad or summariser belong to another tenant than the task.
    """
    same_tenant(keeping.scope, pad, "scratchpad")
    model = None if keeping.summariser is None else authorised(keeping.summariser, keeping.scope)
    analysis = analyse(history, dialect=options.get("dialect"), context=options.get("context"))
    progress(Step.ANALYSED)
    first = Run(history, analysis, options_for(analysis.report.dialect, options))
    if not first.decision.acts:
        return Kept(compaction=first.nothing(), pad=pad, flushed=None)
    flushed = flushed_or_refused(analysis, pad, keeping, progress, end=analysis.report.boundary)
    if isinstance(flushed, Refusal):
        return Kept(compaction=first.nothing(refused=[flushed]), pad=pad, flushed=None)
    given = replace(first.options, guard=flushed.with_guard(first.options.guard), pins=keeping.pins)
    run = Run(history, analysis, replace(given, tenant=keeping.scope.tenant))
    draft = run.climb()
    block = render(flushed.pad)
    if model is not None and (run.need is None or draft.gain < run.need):
        await _summarised(run, draft, _writing(keeping, model, block), progress)
    done = run.finish(draft, amend=partial(put_back, block=block))
    if not done.removed:
        return Kept(compaction=done, pad=pad, flushed=flushed)
    progress(Step.COMPACTED)
    progress(Step.REINJECTED)
    return Kept(compaction=done, pad=flushed.pad, flushed=flushed)


def flushed_or_refused(
    analysis: Analysis, pad: Scratchpad, keeping: Keeping, progress: Progress, *, end: int
) -> Flushed | Refusal:
    """What the entries before ``end`` leave in the scratchpad; a refusal when that failed, by type alone."""
    try:
        flushed = flush(analysis, pad, keeping.sources, keeping.schema, end=end, progress=progress)
    except Exception as error:  # noqa: BLE001 - a schema is the caller's code; whatever it raises, nothing is compacted
        return Refusal(op="flush", reason="flush-failed", detail=type(error).__name__, end=end)
    return flushed


async def _summarised(run: Run, draft: Draft, writing: Writing, progress: Progress) -> None:
    progress(Step.ASKED)
    await run.summarise(draft, writing)
    progress(Step.ANSWERED)


def _writing(keeping: Keeping, model: Summariser, block: str) -> Writing:
    return Writing(
        model=model,
        template=keeping.template,
        instructions=keeping.instructions,
        block=block,
        pins=keeping.pins,
        tenant=keeping.scope.tenant,
        timeout=keeping.timeout,
        room=keeping.room,
    )
