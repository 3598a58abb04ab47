"""Compaction: a history in, a smaller one that its provider still takes back, and a record of everything that went.

Nothing live is ever touched. "Cannot compact yet" is an answer like any other, with its reason.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reticent.history.boundary import analyse
from reticent.history.ladder import Draft, Floor, couple, take
from reticent.history.legality import refused_by_profile
from reticent.history.operations import repair as repairing
from reticent.history.options import CompactOptions, Options, options_for
from reticent.history.profiles import resolve
from reticent.history.run import Run
from reticent.history.scope import Scope, Scoped, authorised
from reticent.history.summaries.ranges import Writing
from reticent.history.summaries.templates import SURVIVAL, Template
from reticent.history.tokens import Counter, estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Unpack

    from reticent.history.entries import Context
    from reticent.history.facts import Profile
    from reticent.history.options import Store
    from reticent.history.outcome import Compaction
    from reticent.history.settled import Guard
    from reticent.history.summaries.asking import Summariser
    from reticent.history.summaries.pins import Pins
    from reticent.history.threshold import Window
    from reticent.history.turns import Confidence


def compact(  # noqa: PLR0913 - keyword arguments of the one call users make
    history: Sequence[Any],
    *,
    profile: Profile | str | None = None,
    model: str | None = None,
    dialect: str | None = None,
    context: Context | None = None,
    keep_turns: int = 0,
    keep: Floor | None = None,
    budget: Window | None = None,
    operations: Sequence[str] | None = None,
    guard: Guard | None = None,
    least: Mapping[str, Confidence] | None = None,
    counter: Counter = estimate,
    store: Store | None = None,
    since_last: int | None = None,
) -> Compaction:
    """Compact ``history``, a list of messages or items as the provider's API has them.

    ``profile`` names what the provider demands, or ``model`` finds it; without either the strictest holds. Without
    ``budget`` everything settled is compacted at once; with it, only when it is due and only as far as needed.
    ``keep_turns`` (or ``keep``) is a floor on the settled history that stays as it is, in assistant turns, rounded up
    to whole units. ``operations`` limits and orders the rungs. ``guard`` may forbid an operation on a span. ``store``
    keeps what goes. The input is never altered.

    Raises:
        ConfigurationError: an unknown profile or operation, or a negative floor.
        UnsupportedType: an entry is no object.
    """
    given = CompactOptions(
        profile=profile,
        model=model,
        keep_turns=keep_turns,
        keep=keep,
        budget=budget,
        operations=operations,
        guard=guard,
        least=least,
        counter=counter,
        store=store,
        since_last=since_last,
    )
    analysis = analyse(history, dialect=dialect, context=context)
    run = Run(history, analysis, options_for(analysis.report.dialect, given))
    return run.finish(run.climb()) if run.decision.acts else run.nothing()


async def compact_with_summary(  # noqa: PLR0913 - keyword arguments of one call users make
    history: Sequence[Any],
    summariser: Summariser | Scoped,
    *,
    literals: Sequence[str] = (),
    instructions: str = "",
    template: Template | None = SURVIVAL,
    pins: Pins | None = None,
    scope: Scope | None = None,
    timeout: float | None = None,  # noqa: ASYNC109 - it bounds the summariser's call alone
    **options: Unpack[CompactOptions],
) -> Compaction:
    """As :func:`compact`, with one rung more: what the others could not free, ``summariser`` writes a summary of.

    It is called once at most, and only when the cheaper rungs did not reach the target. ``literals`` must stand in the
    summary as they are; ``instructions`` (the system prompt) must not. ``template`` asks for goals, exact values,
    constraints, failed attempts and open obligations; None sends the bare material and takes any text. ``pins`` keeps
    the originals; without it a range that holds a summary stays. ``timeout`` counts seconds. ``options`` are those of
    :func:`compact`.

    Raises:
        TenantMismatch: the summariser runs under other rights than ``scope``.
    """
    rights = scope or Scope()
    writing = Writing(
        model=authorised(summariser, rights),
        template=template,
        literals=tuple(literals),
        instructions=instructions,
        pins=pins,
        tenant=rights.tenant,
        timeout=timeout,
    )
    analysis = analyse(history, dialect=options.get("dialect"), context=options.get("context"))
    given = replace(options_for(analysis.report.dialect, options), pins=pins, tenant=rights.tenant)
    run = Run(history, analysis, given)
    if not run.decision.acts:
        return run.nothing()
    draft = run.climb()
    if run.need is None or draft.gain < run.need:
        await run.summarise(draft, writing)
    return run.finish(draft)


def repair(
    history: Sequence[Any],
    *,
    context: Context,
    profile: Profile | str | None = None,
    model: str | None = None,
    dialect: str | None = None,
    guard: Guard | None = None,
) -> Compaction:
    """Give each call that ``context.abandoned`` names a result that says so, in its settled unit.

    A provider refuses a call without a result; this, :func:`compact` by ``reduce`` or by ``drop`` is due before the
    history is sent again.
    """
    analysis = analyse(history, dialect=dialect, context=context)
    resolved = resolve(profile, model=model, dialect=analysis.report.dialect)
    run = Run(history, analysis, Options(profile=resolved, guard=guard))
    refusal = refused_by_profile(repairing.NAME, resolved, analysis.report)
    draft = Draft(run.settled, refused=[] if refusal is None else [refusal])
    if refusal is None:
        proposal = repairing.propose(run.settled, run.settled.units)
        draft.refused += proposal.refused
        take(draft, proposal)
        couple(draft)
    return run.finish(draft, grows=True)
