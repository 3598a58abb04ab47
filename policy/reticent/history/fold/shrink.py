"""The last line of defence: a smaller limit on the output, and an end before it can only give half an answer.

The chain to break: the output limit is clamped to its floor so that the request fits, the model's JSON is cut off, its
parser fails, and the loop sends the same request again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reticent.errors import ConfigurationError, TaskEnded
from reticent.history.changes import handle_of

if TYPE_CHECKING:
    from reticent.history.fold.request import Request


def output_limit(used: int, window: int | None, *, wanted: int, floor: int) -> int:
    """How many tokens the answer may have beside ``used`` tokens of request; ``wanted`` where the window is unknown.

    Raises:
        ConfigurationError: ``floor`` is not between 1 and ``wanted``.
        TaskEnded: not even ``floor`` tokens are left: close the task with what there is, and send nothing.
    """
    if not 1 <= floor <= wanted:
        raise ConfigurationError(f"floor must lie between 1 and wanted ({wanted}), not at {floor}")
    if window is None or window <= 0:
        return wanted
    left = window - used
    if left < floor:
        raise TaskEnded(f"{max(0, left)} tokens are left for an answer that needs {floor}: end with a partial answer")
    return min(wanted, left)


class RetryGuard:
    """Remembers the request whose answer was cut off, and refuses to send it again unchanged."""

    def __init__(self) -> None:
        self.refused = 0
        """Retries that were refused."""
        self._cut_off: str | None = None

    def cut_off(self, request: Request, *, limit: int) -> None:
        """The answer to ``request`` under this output limit could not be parsed because it was cut off."""
        self._cut_off = _digest(request, limit)

    def before_send(self, request: Request, *, limit: int) -> None:
        """Look at a request that is about to be sent.

        Raises:
            TaskEnded: it is the one whose answer was cut off, with no more room than before.
        """
        if self._cut_off == _digest(request, limit):
            self.refused += 1
            raise TaskEnded(
                "the same request was cut off before; change it, give it more room, or end with what there is"
            )
        self._cut_off = None


def _digest(request: Request, limit: int) -> str:
    return handle_of([list(request.messages), list(request.tools or ()), request.system, limit])
