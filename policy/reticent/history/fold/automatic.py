"""When a fold runs by itself. It is not left to the model: weak ones forget the tool and fill the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reticent.history.fold.request import Request
    from reticent.history.knobs import Knobs


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
