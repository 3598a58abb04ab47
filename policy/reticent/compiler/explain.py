"""Why a surface passes or strips, hop by hop, who is kept out by what, and the one change that would flip it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from reticent.compiler.decision import READERS, REASONS, Condition, Decision, Reader
from reticent.compiler.what_if import Change, Outcome, WhatIf, leaks, losses, repairs
from reticent.evidence.file import moment_text

if TYPE_CHECKING:
    from reticent.compiler.engine import Engine
    from reticent.compiler.plan import Plan


@dataclass(frozen=True, slots=True)
class Hop:
    """One arrow of the path: from ``source`` to ``target``, which is a ``kind`` of node (see ``Plan.kind_of``)."""

    source: str
    target: str
    kind: str


@dataclass(frozen=True, slots=True)
class Flip:
    """Changes that would flip the verdict, as the engine confirmed: to ``verdict``, along ``path`` if it strips then.

    More than one change means that no single one is enough.
    """

    changes: tuple[Change, ...]
    verdict: str
    path: tuple[str, ...]
    reader: Reader | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything ``reticent explain`` shows; ``reticent.compiler.explain_render`` shows it."""

    plan_digest: str
    decision: Decision
    hops: tuple[Hop, ...]
    reached: tuple[tuple[Reader, tuple[str, ...]], ...]
    blocking: tuple[Condition, ...]
    asked: tuple[Condition, ...]
    """Conditions on its way that ask for evidence, held or lost."""
    owners: Mapping[str, str]
    """Who answers for the row of each of those."""
    flips: tuple[Flip, ...]
    kinds: Mapping[str, str]
    cut: tuple[tuple[str, str, str], ...]
    """Arrows from what can be reached that a condition cuts: source, target, name of the condition."""

    @property
    def flip(self) -> Flip | None:
        """The change that would flip the verdict: the first of ``flips``."""
        return self.flips[0] if self.flips else None

    @property
    def answer(self) -> str:
        """The verdict and its grounds, in a sentence."""
        verb = "passes" if self.decision.verdict == "pass" else "is stripped"
        return f"{self.decision.surface} {verb}: {'; '.join(REASONS[reason] for reason in self.decision.reasons)}."


def explain(plan: Plan, surface: str, *, engine: Engine | None = None, today: date | None = None) -> Explanation:
    """The explanation for one surface of ``plan``; the engine (default: embedded) is asked about each change.

    Raises:
        UnknownSurface: the plan has no such surface.
        EngineError: the engine gave no usable answer.
    """
    decision = plan.decision(surface)
    question = WhatIf(plan, engine or _embedded(), surface, today or plan.compiled)
    cut = _cut_arrows(plan, decision)
    asked = tuple(condition for condition in decision.conditions if condition.evidence)
    return Explanation(
        plan_digest=plan.digest,
        decision=decision,
        hops=tuple(
            Hop(source, target, plan.kind_of(target))
            for source, target in zip(decision.path, decision.path[1:], strict=False)
        ),
        reached=tuple((reader, _path_to(decision, reader)) for reader in decision.readers),
        blocking=tuple(condition for condition in decision.conditions if condition.keeps_out),
        asked=asked,
        owners={condition.surface: plan.decision(condition.surface).owner for condition in asked},
        flips=_flips(plan, decision, question),
        kinds={node: plan.kind_of(node) for node in sorted(_nodes(decision, cut))},
        cut=cut,
    )


def _flips(plan: Plan, decision: Decision, question: WhatIf) -> tuple[Flip, ...]:
    if "exception-in-force" in decision.reasons:
        return _ends(decision)
    if decision.verdict == "pass":
        found = (
            list(question.flips(losses(decision), "strip"))
            or list(question.flips(leaks(plan, decision.surface), "strip"))[:1]
        )
        return tuple(_flip(outcome) for outcome in found)
    if not decision.readers:
        return ()
    candidates = list(repairs(plan, decision))
    found = list(question.flips(iter(candidates), "pass"))
    return tuple(_flip(outcome) for outcome in found) or _all_together(decision, question, candidates)


def _all_together(decision: Decision, question: WhatIf, candidates: list[Change]) -> tuple[Flip, ...]:
    """What the surface's own row would need when no single change is enough; the fewest of its arrows that do."""
    needed = [change for change in candidates if change.surface == decision.surface]
    if question.ask(*needed, signed="pass").decision.verdict != "pass":
        return ()
    for change in list(needed):
        fewer = [other for other in needed if other is not change]
        if question.ask(*fewer, signed="pass").decision.verdict == "pass":
            needed = fewer
    return (_flip(question.ask(*needed, signed="pass")),)


def _ends(decision: Decision) -> tuple[Flip, ...]:
    """What the rules already said will hold once an exception has ended."""
    return tuple(
        Flip(
            (
                Change(
                    "end-exception",
                    decision.surface,
                    lapse.starts.isoformat(),
                    f"on {lapse.starts.isoformat()}, when its exception ends",
                ),
            ),
            lapse.verdict,
            decision.path,
            decision.reader,
        )
        for lapse in decision.lapses
        if lapse.moment == 0
    )


def _flip(outcome: Outcome) -> Flip:
    told = outcome.decision
    return Flip(outcome.changes, told.verdict, told.path, told.reader)


def _path_to(decision: Decision, reader: Reader) -> tuple[str, ...]:
    from reticent.compiler.paths import shortest_paths

    return shortest_paths(decision.surface, decision.arrows)[reader.place]


def _cut_arrows(plan: Plan, decision: Decision) -> tuple[tuple[str, str, str], ...]:
    reached = {decision.surface, *(target for _, target in decision.arrows)}
    rows = plan.table["surfaces"]
    lost = {(condition.surface, condition.name) for condition in plan.lost}
    found = (
        (node, target, name)
        for node in sorted(reached & set(rows))
        for name, condition in rows[node].get("conditions", {}).items()
        if (node, name) not in lost
        for target in condition.get("cuts", ())
    )
    return tuple(sorted(found))


def _nodes(decision: Decision, cut: tuple[tuple[str, str, str], ...]) -> set[str]:
    arrows = [*decision.arrows, *((source, target) for source, target, _ in cut)]
    return {decision.surface, *(node for arrow in arrows for node in arrow)}


def evidence_text(condition: Condition) -> str:
    """How a condition that asks for evidence stands: ``failed since 2026-11-29T12:00:00Z: published (…)``."""
    evidence = condition.evidence
    if evidence is None:
        return "taken as said"
    said = f": {evidence.code}{f' ({evidence.detail})' if evidence.detail else ''}" if evidence.code else ""
    since = f" since {moment_text(evidence.since)}" if evidence.since is not None else ""
    until = f", until {moment_text(evidence.until)}" if evidence.held and evidence.until is not None else ""
    return f"{evidence.status}{since}{until}{'' if evidence.held else said} (probe {evidence.probe})"


def reader_text(reader: Reader) -> str:
    """``on_call (person)``."""
    return f"{reader.place} ({READERS[reader.kind]})"


def path_text(path: tuple[str, ...], reader: Reader) -> str:
    """``logs → log_aggregator → on_call (person)``."""
    return f"{' → '.join(path)} ({READERS[reader.kind]})"


def _embedded() -> Engine:
    from reticent.compiler.embedded import default_engine

    return default_engine()
