"""structlog: a processor for event dictionaries, and a renderer whose finished line is looked at last.

.. code-block:: python

    import structlog
    from reticent.integrations.structlog import ReticentProcessor

    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            ReticentProcessor("logs"),  # right before the renderer
            structlog.processors.JSONRenderer(),
        ]
    )

https://www.structlog.org/en/stable/processors.html
"""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING, Any, Final

from structlog.processors import JSONRenderer

from reticent.integrations._guard import Guard, PlanSource
from reticent.integrations._traceback import traceback_text

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from structlog.typing import Processor, WrappedLogger

__all__ = ["ReticentProcessor", "ReticentRenderer"]

_META: Final = ("_record", "_from_structlog")
"""What ``ProcessorFormatter`` keeps in the event for itself: https://www.structlog.org/en/stable/standard-library.html."""
_ENVELOPE: Final = ("event", "level", "logger", "timestamp")


class ReticentProcessor:
    """Takes reasoning out of an event dictionary; put it right before the renderer.

    ``exc_info`` becomes text under ``exception`` here, because renderers that format it themselves may print the
    local variables of every frame.
    """

    def __init__(self, surface: str, *, plan: PlanSource = None) -> None:
        """Guard events on their way to ``surface``.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        self.guard = Guard(surface, plan=plan)

    def __call__(
        self, _logger: WrappedLogger, _name: str, event_dict: MutableMapping[str, Any]
    ) -> MutableMapping[str, Any]:
        """The event without reasoning; a placeholder stands where something could not be judged."""
        if self.guard.passes:
            return event_dict
        shown: dict[str, Any] = {}
        rest: dict[str, Any] = {}
        for name, value in event_dict.items():
            if name in _ENVELOPE:
                shown[name] = self._told(value)
            else:
                (shown if name in _META else rest)[name] = value
        if not rest:
            return shown
        kept = self.guard.record(_with_exception_text(self.guard, rest))
        shown |= kept
        return {name: shown[name] for name in dict.fromkeys((*event_dict, *kept)) if name in shown}

    def _told(self, value: Any) -> Any:
        return self.guard.text(value) if isinstance(value, str) else self.guard.printable(value)


class ReticentRenderer:
    """Renders with ``inner`` and takes reasoning out of what comes out, whatever earlier processors did.

    ``inner`` defaults to structlog's ``JSONRenderer``; text and bytes are both fine.
    """

    def __init__(self, surface: str, *, inner: Processor | None = None, plan: PlanSource = None) -> None:
        """Guard lines on their way to ``surface``.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        self.guard = Guard(surface, plan=plan)
        self.inner = inner or JSONRenderer()

    def __call__(self, logger: WrappedLogger, name: str, event_dict: MutableMapping[str, Any]) -> Any:
        """The rendered line without reasoning; when ``inner`` fails, a placeholder."""
        try:
            line = self.inner(logger, name, event_dict)
        except Exception as error:  # noqa: BLE001 - what a renderer says of a value may quote it
            return self.guard.withheld(error, None)
        if isinstance(line, bytes | bytearray):
            return self.guard.text(bytes(line).decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        return self.guard.text(line) if isinstance(line, str) else self.guard.value(line)


def _with_exception_text(guard: Guard, given: dict[str, Any]) -> dict[str, Any]:
    """The fields with ``exc_info`` written out, as ``structlog.processors.format_exc_info`` would."""
    told = given.pop("exc_info", None)
    if isinstance(told, tuple):
        error = told[1]
    else:
        error = told if isinstance(told, BaseException) else sys.exception() if told else None
    if error is not None:
        text = "".join(traceback.format_exception(error)).rstrip("\n")
        given["exception"] = traceback_text(guard, error, text)
    return given
