"""When a fold runs by itself. It is not left to the model: weak ones forget the tool and fill the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reticent.history.fold.outcome import FoldOutcome, FoldReport
from reticent.history.fold.request import CHARS_PER_TOKEN
from reticent.history.knobs import Knobs

if TYPE_CHECKING:
    from reticent.history.fold.request import Request
    from reticent.history.scratchpad.records import Scratchpad


def not_due(request: Request, window: int | None, knobs: Knobs, *, chars_per_token: float) -> str:
    """Why no fold is due, as a word; ``""`` when one is.

    Called last, on the request as it would be sent: system text, scratchpad and tool schemas count. An unknown window
    (None, or not above 0) leaves the overflow to the shrink guard.
    """
    if window is None or window <= 0:
        return "window-unknown"
    if len(request.messages) <= knobs.auto_least_messages:
        return "too-few-messages"
    return "" if request.tokens(chars_per_token) >= knobs.auto * window else "below-auto-threshold"


def untouched(
    request: Request,
    pad: Scratchpad,
    window: int | None,
    knobs: Knobs | None = None,
    *,
    chars_per_token: float = CHARS_PER_TOKEN,
) -> FoldOutcome | None:
    """The outcome of a request that is not due for a fold; None when it is, or when nobody set a window."""
    reason = "" if window is None else not_due(request, window, knobs or Knobs(), chars_per_token=chars_per_token)
    if not reason:
        return None
    size = request.size
    report = FoldReport(status="not-due", reason=reason, size_before=size, size_after=size)
    return FoldOutcome(request=request, pad=pad, report=report)
