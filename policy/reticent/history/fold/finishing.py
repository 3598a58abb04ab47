"""The second half of a fold: the answer is judged, the notes are staged, the result is checked, then it counts.

History and notes go together. Until the last line of :func:`finish` both are the ones that came in.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from reticent.history.changes import Action, apply, handle_of
from reticent.history.fold.cut import NAME
from reticent.history.fold.ledger import Swap
from reticent.history.fold.notes import noted, staged
from reticent.history.fold.outcome import FoldOutcome
from reticent.history.fold.preparing import Prepared, prepare
from reticent.history.fold.stand_in import stand_in
from reticent.history.ladder import Draft
from reticent.history.progress import Progress, Step, silent
from reticent.history.scratchpad.reinjection import put_back
from reticent.history.summaries.asking import Answer, Summary, ask, judged

if TYPE_CHECKING:
    from typing import Unpack

    from reticent.history.fold.preparing import FoldOptions
    from reticent.history.fold.request import Request
    from reticent.history.fold.stand_in import Mode
    from reticent.history.keeping import Keeping
    from reticent.history.knobs import Knobs
    from reticent.history.outcome import Compaction
    from reticent.history.scratchpad.records import Scratchpad

_PUT_BACK = partial(put_back, block="")
"""Older blocks go; the new one stands behind the summary already."""


async def fold(  # noqa: PLR0913 - keyword arguments of the one call users make
    request: Request,
    pad: Scratchpad,
    keeping: Keeping,
    *,
    keep: int | None = None,
    knobs: Knobs | None = None,
    mode: Mode | None = None,
    progress: Progress = silent,
    **options: Unpack[FoldOptions],
) -> FoldOutcome:
    """Replace the settled results in front of the latest ``keep`` by a summary, if that makes the request smaller.

    The summariser of ``keeping`` is called once, and once more where the notes have to be squeezed. Whatever it does,
    request and scratchpad are the original ones unless everything held. ``options`` are those of
    :func:`reticent.history.compact`.

    Raises:
        ConfigurationError: a knob or an option is wrong.
        TenantMismatch: scratchpad or summariser belong to another tenant than the task.
    """
    prepared = prepare(request, pad, keeping, keep=keep, knobs=knobs, mode=mode, progress=progress, **options)
    return prepared if isinstance(prepared, FoldOutcome) else await complete(prepared, progress=progress)


async def complete(prepared: Prepared, *, progress: Progress = silent) -> FoldOutcome:
    """The model's call, by the summariser the fold was prepared with, and what comes behind it."""
    progress(Step.ASKED)
    writing = prepared.writing
    answer = await ask(writing.model, prepared.prompt, prepared.found.demands(writing), timeout=writing.timeout)
    progress(Step.ANSWERED)
    return await finish(prepared, answer, progress=progress)


async def finish(prepared: Prepared, answer: str | Summary | Answer, *, progress: Progress = silent) -> FoldOutcome:
    """The fold that ``answer`` makes, or the originals with the reason why it makes none."""
    found = prepared.found
    told = answer if isinstance(answer, Answer) else judged(answer, found.demands(prepared.writing))
    if told.reason:
        return prepared.refused(told.reason, told.detail, calls=1)
    draft = _drafted(prepared, told.text)
    size = _size_with(prepared, draft)
    if size is None or size >= prepared.report.size_before:
        why = "request-not-smaller" if size is not None else draft.refused[-1].reason
        return prepared.refused(why, "" if size is None else str(size), calls=1)
    note = noted(told.text, found.handle, found.originals.generation)
    stage = await staged(prepared.flushed.pad, note, prepared.knobs, prepared.writing)
    if stage.squeezed is not None:
        progress(Step.SQUEEZED)
    if stage.pad is None:
        return prepared.refused("scratchpad-full", stage.reason, calls=1 + stage.calls)
    done = prepared.run.finish(draft, amend=_PUT_BACK)
    if not done.removed:
        last = done.report.refused[-1]
        return prepared.refused(last.reason, last.detail, calls=1 + stage.calls)
    progress(Step.COMPACTED)
    progress(Step.REINJECTED)
    report = replace(
        prepared.report,
        status="folded",
        size_after=size,
        calls=1 + stage.calls,
        squeezed=stage.squeezed,
        squeeze_reason=stage.reason,
        compaction=done.report,
    )
    request = prepared.request.with_messages(done.history)
    return FoldOutcome(
        request=request,
        pad=stage.pad,
        report=report,
        flushed=prepared.flushed,
        swap=_swap(prepared, done),
        changes=done.removed,
    )


def _drafted(prepared: Prepared, text: str) -> Draft:
    block, pinned = prepared.writing.block, prepared.writing.pins is not None
    proposal = stand_in(prepared.found, text, block, mode=prepared.mode, keep=prepared.keep, pinned=pinned)
    draft = Draft(prepared.run.settled)
    prepared.run.swap(draft, proposal, op=NAME)
    return draft


def _size_with(prepared: Prepared, draft: Draft) -> int | None:
    """Characters of the whole request as it would be sent; None when what has to go along may not go."""
    changes = draft.changes()
    if not changes:
        return None
    run = prepared.run
    new = apply(run.history, _PUT_BACK(run.settled, changes), boundary=run.analysis.report.boundary)
    return prepared.request.with_messages(new).size


def _swap(prepared: Prepared, done: Compaction) -> Swap:
    found = prepared.found
    new = [change.value for change in done.removed if change.action is Action.INSERT and change.op == NAME]
    digest = handle_of(list(prepared.request.messages[: found.end]))
    return Swap(start=found.start, end=found.end, digest=digest, entries=tuple(new))
