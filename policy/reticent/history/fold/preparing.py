"""The first half of a fold: everything up to the model's call, and nothing that is paid for.

Each precondition is looked at before a summariser is asked: that something lies behind the latest results, that it has
settled, that the provider permits it, that its identifiers are in the scratchpad, and that its originals can be had.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypedDict

from reticent.errors import ConfigurationError
from reticent.history.boundary import analyse
from reticent.history.entries import Role
from reticent.history.fold.cut import NAME, Cut, find_cut
from reticent.history.fold.outcome import FoldOutcome, FoldReport
from reticent.history.fold.stand_in import Mode, mode_of
from reticent.history.keeping import flushed_or_refused
from reticent.history.knobs import Knobs
from reticent.history.legality import Refusal, refused_by_profile
from reticent.history.options import CompactOptions, Store, options_for
from reticent.history.progress import Progress, Step, silent
from reticent.history.run import Run
from reticent.history.scope import authorised, same_tenant
from reticent.history.scratchpad.block import render
from reticent.history.shapes._shape import listed, plain
from reticent.history.summaries.ranges import Range, Writing, range_of
from reticent.history.summaries.templates import FOLD

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Unpack

    from reticent.history.boundary import Analysis
    from reticent.history.entries import Context
    from reticent.history.facts import Profile
    from reticent.history.fold.request import Request
    from reticent.history.keeping import Keeping
    from reticent.history.scratchpad.flush import Flushed
    from reticent.history.scratchpad.records import Scratchpad
    from reticent.history.settled import Guard
    from reticent.history.summaries.asking import Summary
    from reticent.history.tokens import Counter
    from reticent.history.turns import Confidence


class FoldOptions(TypedDict, total=False):
    """Those keyword arguments of :func:`reticent.history.compact` that a fold takes as well."""

    profile: Profile | str | None
    model: str | None
    dialect: str | None
    context: Context | None
    guard: Guard | None
    least: Mapping[str, Confidence] | None
    counter: Counter
    store: Store | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A fold that waits for its summary. ``prompt`` is what to send to the model, without tools."""

    request: Request = field(repr=False)
    pad: Scratchpad = field(repr=False)
    prompt: str = field(repr=False)
    report: FoldReport
    keep: int
    mode: Mode
    found: Range = field(repr=False)
    flushed: Flushed = field(repr=False)
    run: Run = field(repr=False)
    writing: Writing = field(repr=False)
    knobs: Knobs

    def refused(self, reason: str, detail: str = "", *, calls: int = 0) -> FoldOutcome:
        """The request and the scratchpad as they came, and why."""
        report = replace(self.report, status="refused", reason=reason, detail=detail, calls=calls, facts=0, attempts=0)
        return FoldOutcome(request=self.request, pad=self.pad, report=report)


def prepare(  # noqa: PLR0913 - keyword arguments of a call users make
    request: Request,
    pad: Scratchpad,
    keeping: Keeping,
    *,
    keep: int | None = None,
    knobs: Knobs | None = None,
    mode: Mode | None = None,
    progress: Progress = silent,
    **options: Unpack[FoldOptions],
) -> Prepared | FoldOutcome:
    """What to send to the model; an outcome when there is nothing to fold or something forbids it.

    ``keep`` counts the latest tool results that stay, at least 1; the default is the knob's. ``mode`` is found from the
    request. ``options`` are those of :func:`reticent.history.compact` that :class:`FoldOptions` lists.

    Raises:
        ConfigurationError: ``keep`` is no whole number of at least 1, or an option is wrong.
        TenantMismatch: scratchpad or summariser belong to another tenant than the task.
    """
    known = knobs or Knobs()
    count = counted(keep, known)
    same_tenant(keeping.scope, pad, "scratchpad")
    run = _run(request, keeping, options)
    progress(Step.ANALYSED)
    size = request.size
    base = FoldReport(status="refused", size_before=size, size_after=size, compaction=run.nothing().report)
    cut = find_cut(run.settled, count)
    base = replace(base, results=cut.results, kept=cut.kept, end=cut.units[-1].end if cut.units else 0)
    refusal = _forbidden(run, cut, request, mode)
    if refusal is not None:
        return _as_they_came(request, pad, base, refusal)
    flushed = flushed_or_refused(run.analysis, pad, keeping, progress, end=cut.units[-1].end)
    if isinstance(flushed, Refusal):
        return _as_they_came(request, pad, base, flushed)
    run.settled = replace(run.settled, guard=flushed.with_guard(run.options.guard))
    writing = writing_for(request, run.analysis, keeping, render(flushed.pad))
    found = range_of(run.settled, cut.units, writing, op=NAME)
    if isinstance(found, Refusal):
        return _as_they_came(request, pad, base, found)
    chosen = mode or mode_of(request, run.settled)
    report = replace(
        base,
        status="summary-wanted",
        start=found.start,
        end=found.end,
        handle=found.handle,
        mode=chosen.value,
        generation=found.originals.generation,
        facts=flushed.facts,
        attempts=flushed.attempts,
    )
    return Prepared(
        request=request,
        pad=pad,
        prompt=found.prompt(writing),
        report=report,
        keep=count,
        mode=chosen,
        found=found,
        flushed=flushed,
        run=run,
        writing=writing,
        knobs=known,
    )


def counted(keep: int | None, knobs: Knobs) -> int:
    """How many results stay.

    Raises:
        ConfigurationError: ``keep`` is no whole number of at least 1.
    """
    if keep is None:
        return knobs.compact_history_default_keep
    if isinstance(keep, bool) or not isinstance(keep, int) or keep < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigurationError(f"keep must be a whole number of at least 1, not {keep!r}")
    return keep


def _run(request: Request, keeping: Keeping, options: FoldOptions) -> Run:
    analysis = analyse(request.messages, dialect=options.get("dialect"), context=options.get("context"))
    chosen: CompactOptions = {**options}  # type: ignore[typeddict-item]  # each key of it is one of the other
    given = options_for(analysis.report.dialect, chosen)
    given = replace(given, pins=keeping.pins, tenant=keeping.scope.tenant)
    return Run(request.messages, analysis, given)


def _forbidden(run: Run, cut: Cut, request: Request, mode: Mode | None) -> Refusal | None:
    report = run.analysis.report
    if cut.reason == "nothing-to-fold":
        return Refusal(op=NAME, reason=cut.reason, detail="no result lies behind those that are kept")
    if cut.reason:
        detail = "a running task is not folded; its own budget bounds it"
        return Refusal(op=NAME, reason=cut.reason, detail=detail, start=report.boundary, end=cut.wanted)
    if mode is Mode.NATIVE and request.tools is not None and not request.tools:
        return Refusal(op=NAME, reason="mode-needs-tools", detail="a request without tools takes no tool roles")
    return refused_by_profile(NAME, run.options.profile, report)


def writing_for(request: Request, analysis: Analysis, keeping: Keeping, block: str) -> Writing:
    """How the summary of a request is written: by whom, and what it must not repeat.

    Raises:
        TenantMismatch: the summariser belongs to another tenant than the task.
    """
    standing = [keeping.instructions, *_texts(request.system)]
    for entry in analysis.entries:
        standing += analysis.shape.texts(entry.raw) if entry.role is Role.SYSTEM else []
    model = _unasked if keeping.summariser is None else authorised(keeping.summariser, keeping.scope)
    return Writing(
        model=model,
        template=FOLD,
        instructions="\n".join(standing),
        block=block,
        pins=keeping.pins,
        tenant=keeping.scope.tenant,
        timeout=keeping.timeout,
        room=keeping.room,
    )


async def _unasked(prompt: str) -> str | Summary:
    """Stands for the model where the caller makes the call."""
    del prompt
    raise ConfigurationError("this fold has no summariser of its own")


def _texts(system: Any) -> list[str]:
    """System text as the API takes it beside the messages: a string, or blocks of text."""
    if isinstance(system, str):
        return [system]
    fields = plain(system)
    blocks = listed(fields.get("parts")) if fields is not None else listed(system)
    found = (plain(block) for block in blocks)
    return [block["text"] for block in found if block is not None and isinstance(block.get("text"), str)]


def _as_they_came(request: Request, pad: Scratchpad, base: FoldReport, refusal: Refusal) -> FoldOutcome:
    end = max(base.end, refusal.end)
    report = replace(base, reason=refusal.reason, detail=refusal.detail, start=refusal.start, end=end)
    return FoldOutcome(request=request, pad=pad, report=report)
