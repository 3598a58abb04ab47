"""Signals in a transcript: loops, questions that were answered before, and what the live span weighs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reticent.history.boundary import analyse
from reticent.history.exchanges import exchanges_in
from reticent.history.operations.marks import TOOL
from reticent.history.scratchpad.flush import flush, outcome_of
from reticent.history.scratchpad.records import Scratchpad
from reticent.history.scratchpad.sources import Sources
from reticent.history.signals.loop import LoopAlert, LoopDetector
from reticent.history.signals.symptoms import Symptom, asked_again
from reticent.history.tokens import estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel

    from reticent.history.boundary import Analysis
    from reticent.history.entries import Context
    from reticent.history.report import BoundaryReport


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalsReport:
    """What a transcript shows. Positions, steps, digests and sizes; no content."""

    boundary: BoundaryReport = field(repr=False)
    steps: int
    """Calls of the client's tools."""
    loops: tuple[LoopAlert, ...]
    symptoms: tuple[Symptom, ...]
    live_tokens: int
    tokens: int
    share: float | None
    """The live span's part of the window; None where the window is unknown."""

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not (self.loops or self.symptoms)

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {
            "steps": self.steps,
            "loops": [loop.to_json() for loop in self.loops],
            "symptoms": [symptom.to_json() for symptom in self.symptoms],
            "live": {
                "entries": self.boundary.live,
                "steps": self.boundary.live_steps,
                "tokens": self.live_tokens,
                "share": None if self.share is None else round(self.share, 4),
            },
            "tokens": self.tokens,
            "boundary": self.boundary.to_json(),
        }

    def render(self) -> str:
        """The report for a person."""
        lines = [f"{self.steps} calls, {self.tokens} tokens, {self.live_tokens} of them live"]
        for loop in self.loops:
            ended = f", which had ended {loop.outcome}" if loop.outcome else ""
            lines.append(f"loop: {loop.tool} at step {loop.step} as at step {loop.first}{ended} ({loop.count} times)")
        lines += [f"{symptom.kind}: entry {symptom.position}, {symptom.about}" for symptom in self.symptoms]
        return "\n".join([*lines, *(["nothing found"] if self.clean else [])])


def signals_of(  # noqa: PLR0913 - keyword arguments of a call users make
    history: Sequence[Any],
    *,
    dialect: str | None = None,
    context: Context | None = None,
    sources: Sources | None = None,
    schema: type[BaseModel] | None = None,
    pad: Scratchpad | None = None,
    window: int | None = None,
) -> SignalsReport:
    """Look at a whole transcript. ``sources`` says which tools poll and which change things; ``window`` is in tokens.

    Raises:
        UnsupportedType: an entry is no object.
        UnknownDialect: no such dialect.
    """
    analysis = analyse(history, dialect=dialect, context=context)
    known = sources or Sources()
    detector, steps = _walked(analysis, known)
    whole = flush(analysis, pad or Scratchpad(), known, schema, end=len(analysis.entries)).pad
    weights = [estimate(entry.raw) for entry in analysis.entries]
    live = sum(weights[analysis.report.boundary :])
    return SignalsReport(
        boundary=analysis.report,
        steps=steps,
        loops=tuple(detector.alerts),
        symptoms=tuple(asked_again(analysis, whole)),
        live_tokens=live,
        tokens=sum(weights),
        share=live / window if window is not None and window > 0 else None,
    )


def _walked(analysis: Analysis, sources: Sources) -> tuple[LoopDetector, int]:
    detector = LoopDetector(
        pollers=[TOOL, *(tool.name for tool in sources.tools if tool.polls)],
        changers=[tool.name for tool in sources.tools if tool.changes],
    )
    steps = 0
    for exchange in exchanges_in(analysis.entries, analysis.shape, analysis.context):
        task = _task_of(analysis, exchange.called)
        detector.called(exchange.tool, exchange.arguments, step=steps, task_id=task)
        if exchange.answered:
            outcome = outcome_of(exchange, sources)
            detector.answered(exchange.tool, exchange.arguments, outcome=outcome, task_id=task)
        steps += 1
    return detector, steps


def _task_of(analysis: Analysis, position: int) -> str:
    """The task of an entry: by id, else by the settled unit it stands in, else the live one."""
    own = analysis.entries[position].task_id
    if own is not None:
        return own
    found = next((i for i, unit in enumerate(analysis.units) if unit.start <= position < unit.end), None)
    return "live" if found is None else f"unit-{found}"
