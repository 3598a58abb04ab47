"""What fills a request, part by part, and what bounds each: only the history has nothing else that bounds it."""

from __future__ import annotations

from collections import Counter as Tally
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reticent.history.boundary import analyse
from reticent.history.changes import size_at
from reticent.history.entries import PartKind, Role
from reticent.history.knobs import Knobs
from reticent.history.scratchpad.block import literals_in
from reticent.history.tokens import BYTES_PER_TOKEN, estimate

if TYPE_CHECKING:
    from reticent.history.entries import Context
    from reticent.history.fold.request import Request
    from reticent.history.threshold import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """One part of a request: its tokens, and what bounds it. ``most`` is the bound in tokens; None: there is none."""

    part: str
    tokens: int
    bounded_by: str
    most: int | None

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {"part": self.part, "tokens": self.tokens, "bounded_by": self.bounded_by, "most": self.most}


def weigh(
    request: Request,
    window: Window,
    *,
    knobs: Knobs | None = None,
    dialect: str | None = None,
    context: Context | None = None,
) -> tuple[Weight, ...]:
    """Every part of ``request`` with its bound: from the system text to the reserve for the output."""
    known = knobs or Knobs()
    tally = _tally(request, dialect, context)
    cap = known.max_scratchpad_size // BYTES_PER_TOKEN if known.max_scratchpad_size else None
    system = estimate(request.system) if request.system is not None else 0
    rows = (
        ("system", system + tally["system"], "its own text", system + tally["system"]),
        ("schemas", estimate(list(request.tools or ())), "the declared tools", estimate(list(request.tools or ()))),
        ("results", tally["results"], "a share of the window for each", int(known.result_share * window.tokens)),
        ("history", tally["history"], "compaction alone", None),
        ("scratchpad", tally["scratchpad"], "max_scratchpad_size", cap),
        ("reasoning", tally["reasoning"], "the task's budget", None),
        ("output reserve", window.output_reserve, "the window", window.output_reserve),
    )
    return tuple(Weight(part=part, tokens=tokens, bounded_by=by, most=most) for part, tokens, by, most in rows)


def _tally(request: Request, dialect: str | None, context: Context | None) -> Tally[str]:
    analysis = analyse(request.messages, dialect=dialect, context=context)
    sizes: Tally[str] = Tally()
    for entry in analysis.entries:
        if entry.role is Role.SYSTEM:
            sizes["system"] += estimate(entry.raw) * BYTES_PER_TOKEN
            continue
        padded = any(literals_in(text) for text in analysis.shape.texts(entry.raw))
        for part in entry.parts:
            kind = {PartKind.RESULT: "results", PartKind.REASONING: "reasoning"}.get(part.kind, "history")
            sizes["scratchpad" if padded and kind == "history" else kind] += size_at(entry.raw, part.path)
    return Tally({name: -(-size // BYTES_PER_TOKEN) for name, size in sizes.items()})
