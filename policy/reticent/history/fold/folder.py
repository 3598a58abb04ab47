"""The fold over the life of a task: one at most per iteration, none twice on one range, and one worker at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reticent.errors import FoldConflict
from reticent.history.fold.automatic import not_due
from reticent.history.fold.finishing import complete
from reticent.history.fold.ledger import Held, Ledger, MemoryLedger
from reticent.history.fold.outcome import FoldOutcome, FoldReport
from reticent.history.fold.preparing import prepare
from reticent.history.fold.request import CHARS_PER_TOKEN, Request
from reticent.history.knobs import Knobs
from reticent.history.progress import Progress, Step, silent

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from reticent.history.fold.preparing import FoldOptions
    from reticent.history.keeping import Keeping


class Folder:
    """Folds the requests of one task. One owner; several owners of one task meet in the ledger.

    ``window`` is the model's context window in tokens; None or 0 means that nobody knows it, and then nothing folds by
    itself. In an ``evaluation`` the ledger is read and never written: what is in memory is a part of what it holds.
    """

    def __init__(  # noqa: PLR0913 - keyword arguments of a constructor users call
        self,
        keeping: Keeping,
        *,
        task_id: str = "",
        window: int | None = None,
        chars_per_token: float = CHARS_PER_TOKEN,
        knobs: Knobs | None = None,
        ledger: Ledger | None = None,
        evaluation: bool = False,
        **options: Unpack[FoldOptions],
    ) -> None:
        self.keeping = keeping
        self.task_id = task_id
        self.window = window
        self.chars_per_token = chars_per_token
        self.knobs = knobs or Knobs()
        self.ledger: Ledger = MemoryLedger() if ledger is None else ledger
        self.evaluation = evaluation
        self.counts: Counter[str] = Counter()
        """Folds and refusals by their word, for metrics."""
        self._options = options
        self._last: int | None = None
        self._rejected: set[str] = set()

    @property
    def held(self) -> Held:
        """The scratchpad, and the revision it is at."""
        return self.ledger.read(self.keeping.scope.tenant, self.task_id)

    async def before_send(self, request: Request, *, iteration: int, progress: Progress = silent) -> FoldOutcome:
        """Fold ``request``, which is complete, if its size asks for it. Call it last, right before sending."""
        reason = not_due(request, self.window, self.knobs, chars_per_token=self.chars_per_token)
        if reason:
            return self._refused(request, reason, iteration, status="not-due")
        return await self.fold(request, iteration=iteration, progress=progress)

    async def fold(
        self, request: Request, *, iteration: int, keep: int | None = None, progress: Progress = silent
    ) -> FoldOutcome:
        """Fold ``request``, as the agent asked for by the tool; ``iteration`` counts the steps of its loop.

        Raises:
            ConfigurationError: ``keep`` is no whole number of at least 1.
            TenantMismatch: the ledger's scratchpad belongs to another tenant.
        """
        if self._last == iteration:
            return self._refused(request, "one-fold-per-iteration", iteration)
        held = self.held
        prepared = prepare(
            request, held.pad, self.keeping, keep=keep, knobs=self.knobs, progress=progress, **self._options
        )
        if isinstance(prepared, FoldOutcome):
            return self._told(prepared, iteration)
        if prepared.found.handle in self._rejected:
            return self._told(prepared.refused("rejected-before"), iteration)
        self._last = iteration
        outcome = await complete(prepared, progress=progress)
        if outcome.folded:
            outcome = self._committed(request, outcome, held, progress)
        else:
            self._rejected.add(prepared.found.handle)
        return self._told(outcome, iteration)

    def adopt(self, history: Sequence[Any]) -> list[Any]:
        """``history`` with the last committed fold carried out, where it holds the entries that were folded.

        For a worker that lost the race, or one that takes over from another that died before it used its result.
        """
        swap = self.held.swap
        done = None if swap is None else swap.applied(history)
        return list(history) if done is None else done

    def _committed(self, request: Request, outcome: FoldOutcome, held: Held, progress: Progress) -> FoldOutcome:
        if self.evaluation:
            return outcome
        new = Held(revision=held.revision, pad=outcome.pad, swap=outcome.swap)
        try:
            self.ledger.commit(self.keeping.scope.tenant, self.task_id, new)
        except FoldConflict as error:
            return self._lost(request, outcome, held, "conflict", str(error))
        except Exception as error:  # noqa: BLE001 - the ledger is the caller's; whatever it raises, nothing was swapped
            return self._lost(request, outcome, held, "commit-failed", type(error).__name__)
        progress(Step.COMMITTED)
        return replace(outcome, report=replace(outcome.report, persisted=True))

    def _lost(self, request: Request, outcome: FoldOutcome, held: Held, reason: str, detail: str) -> FoldOutcome:
        size = outcome.report.size_before
        report = replace(outcome.report, status="refused", reason=reason, detail=detail, size_after=size)
        return FoldOutcome(request=request, pad=held.pad, report=report)

    def _refused(self, request: Request, reason: str, iteration: int, *, status: str = "refused") -> FoldOutcome:
        report = FoldReport(status=status, reason=reason, size_before=request.size, size_after=request.size)
        return self._told(FoldOutcome(request=request, pad=self.held.pad, report=report), iteration)

    def _told(self, outcome: FoldOutcome, iteration: int) -> FoldOutcome:
        self.counts[outcome.report.reason or outcome.report.status] += 1
        return replace(outcome, report=replace(outcome.report, step=iteration))
