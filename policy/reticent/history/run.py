"""One compaction of one history: decide, choose, carry out, check, and only then hand out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reticent.history.boundary import Analysis, Search
from reticent.history.changes import Change, apply, encode, size_of
from reticent.history.checks import failures
from reticent.history.ladder import Draft, Step, climb, couple, gain_of, kept_from, take
from reticent.history.legality import Refusal, refused_by_profile
from reticent.history.operations import DEFAULT, RUNGS, summarise
from reticent.history.outcome import Compaction, CompactionReport
from reticent.history.prices import break_even
from reticent.history.settled import Settled
from reticent.history.threshold import Decision, Verdict, cannot, decide

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reticent.history.options import Options
    from reticent.history.settled import Proposal
    from reticent.history.summaries.ranges import Writing

    Amend = Callable[[Settled, list[Change]], list[Change]]

AT_ONCE = ("strip", "reduce")
"""What a compaction without a budget does: opener and answer where it is sure, no reasoning elsewhere."""


class Run:
    """One compaction of one history."""

    def __init__(self, history: Sequence[Any], analysis: Analysis, options: Options) -> None:
        self.history = history
        self.analysis = analysis
        self.options = options
        boundary = analysis.report.boundary
        self.tokens = sum(options.counter(entry.raw) for entry in analysis.entries[:boundary])
        self.live_tokens = sum(options.counter(entry.raw) for entry in analysis.entries[boundary:])
        self.decision = self._decide()
        self.settled = Settled(
            entries=analysis.entries[:boundary],
            units=analysis.units,
            analysis=analysis,
            profile=options.profile,
            guard=options.guard,
            least=options.least,
        )
        self.need = self._need()

    def _decide(self) -> Decision:
        total, live = self.tokens + self.live_tokens, self.live_tokens
        report, budget = self.analysis.report, self.options.budget
        if budget is not None:
            return decide(report, budget, tokens=total, live_tokens=live, since_last=self.options.since_last)
        blocked = cannot(report)
        verdict, reason = (Verdict.ACT, "asked") if blocked is None else (Verdict.CANNOT, blocked)
        return Decision(verdict=verdict, reason=reason, tokens=total, live_tokens=live, share=0.0)

    def _need(self) -> int | None:
        """Bytes to free; None when everything that can go should."""
        budget = self.options.budget
        if budget is None or not self.decision.tokens:
            return None
        size = sum(size_of(entry.raw) for entry in self.analysis.entries)
        per_token = size / max(1, self.tokens + self.live_tokens)
        return max(1, round((self.decision.tokens - budget.target) * per_token))

    def climb(self) -> Draft:
        """Choose changes."""
        ops = self.options.operations or (AT_ONCE if self.options.budget is None else DEFAULT)
        return climb(self.settled, ops=ops, floor=self.options.floor, need=self.need)

    async def summarise(self, draft: Draft, writing: Writing) -> None:
        """Add the summariser's rung to ``draft``."""
        refusal = refused_by_profile(summarise.NAME, self.options.profile, self.analysis.report)
        start = kept_from(self.settled, self.options.floor)
        units = [unit for unit in self.settled.units if unit.end <= start]
        if refusal is not None or not units:
            draft.refused += [refusal] if refusal is not None else []
            return
        self.swap(draft, await summarise.propose(self.settled, units, writing), op=summarise.NAME)

    def swap(self, draft: Draft, proposal: Proposal, *, op: str) -> None:
        """Add what puts a summary in the place of a range, and what must go along with it."""
        draft.refused += proposal.refused
        draft.steps.append(Step(op=op, rung=RUNGS[op], gain=proposal.gain, used=bool(proposal.changes)))
        if proposal.changes:
            take(draft, proposal)
            couple(draft)

    def nothing(self, *, steps: Sequence[Step] = (), refused: Sequence[Refusal] = ()) -> Compaction:
        """The history as it came, with the reason."""
        return Compaction(
            history=self.history, removed=(), report=self._report(steps=tuple(steps), refused=tuple(refused))
        )

    def finish(self, draft: Draft, *, grows: bool = False, amend: Amend | None = None) -> Compaction:
        """Carry the draft out, check the result, and hand it out only when every check holds.

        ``amend`` may add to the chosen changes what has to stand beside them; the checks see the whole.
        """
        changes = draft.changes()
        if changes and amend is not None:
            changes = amend(self.settled, changes)
        refusal = self._worth(changes) if changes and not grows else None
        if not changes or refusal is not None:
            refused = [*draft.refused, *([refusal] if refusal is not None else [])]
            return self.nothing(steps=draft.steps, refused=refused)
        new = apply(self.history, changes, boundary=self.analysis.report.boundary)
        broken = self._broken(new)
        if broken is None:
            broken = self._stored(changes, draft.pins)
        if broken is not None:
            return self.nothing(steps=draft.steps, refused=[*draft.refused, broken])
        return Compaction(history=new, removed=tuple(changes), report=self._done(draft, changes, new))

    def _worth(self, changes: Sequence[Change]) -> Refusal | None:
        budget = self.options.budget
        gain = gain_of(changes)
        if gain <= 0:
            return Refusal(op="compact", reason="no-gain", detail="the result would not be smaller")
        if budget is None or self.need is None or self.decision.verdict is Verdict.FORCED:
            return None
        per_token = self.need / max(1, self.decision.tokens - budget.target)
        if gain >= min(budget.gain * per_token, self.need):
            return None
        detail = "it would free less than the cache it costs"
        return Refusal(op="compact", reason="gain-too-small", detail=detail)

    def _broken(self, new: list[Any]) -> Refusal | None:
        after = self._again(new)
        found = failures(self.analysis, after, self.history, new, self.options.profile)
        if not found:
            return None
        return Refusal(op="compact", reason="check-failed", detail=", ".join(found))

    def _again(self, new: list[Any]) -> Analysis:
        shape, context = self.analysis.shape, self.analysis.context
        entries = [shape.read(pos, value, context) for pos, value in enumerate(new)]
        return Search(shape, context).run(entries)

    def _stored(self, changes: Sequence[Change], pins: Sequence[tuple[str, bytes]]) -> Refusal | None:
        """Keep what goes before it goes; a store that fails leaves the history as it was."""
        try:
            if self.options.pins is not None:
                for handle, data in pins:
                    self.options.pins.put(self.options.tenant, handle, data)
        except Exception as error:  # noqa: BLE001 - as the store below
            return Refusal(op="externalise", reason="pins-failed", detail=type(error).__name__)
        if self.options.store is None:
            return None
        try:
            for change in changes:
                if change.handle and change.original is not None:
                    self.options.store(change.handle, encode(change.original))
        except Exception as error:  # noqa: BLE001 - the store is the caller's; whatever it raises, nothing was removed
            return Refusal(op="externalise", reason="store-failed", detail=type(error).__name__)
        return None

    def _done(self, draft: Draft, changes: Sequence[Change], new: list[Any]) -> CompactionReport:
        report = self._report(steps=tuple(draft.steps), refused=tuple(draft.refused))
        first = changes[0].position
        boundary = self.analysis.report.boundary
        start = boundary + len(new) - len(self.history)
        settled_after = sum(self.options.counter(entry) for entry in new[:start])
        behind = sum(self.options.counter(entry.raw) for entry in self.analysis.entries[first:])
        goes = self.tokens - settled_after
        return replace(
            report,
            tokens_after=settled_after + self.live_tokens,
            first_changed=first,
            cached_tokens=sum(self.options.counter(entry.raw) for entry in self.analysis.entries[:first]),
            break_even=break_even(max(0, behind - goes), goes, 0),
        )

    def _report(self, *, steps: tuple[Step, ...], refused: tuple[Refusal, ...]) -> CompactionReport:
        total = self.tokens + self.live_tokens
        facts, profile = self.analysis.shape.facts, self.options.profile
        return CompactionReport(
            decision=self.decision,
            boundary=self.analysis.report,
            profile=profile.name,
            versions=(("transcripts", facts.version), ("profiles", profile.version)),
            steps=steps,
            refused=refused,
            tokens_before=total,
            tokens_after=total,
        )
