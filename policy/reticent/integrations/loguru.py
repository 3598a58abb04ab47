"""loguru: a patcher for records, and a sink that looks at the finished message.

.. code-block:: python

    from loguru import logger
    from reticent.integrations.loguru import ReticentPatcher

    logger.configure(patcher=ReticentPatcher("logs"))

``configure(patcher=...)`` runs first; a patcher of ``logger.patch(...)`` runs after it and can bring something back,
which :class:`ReticentSink` still catches. https://loguru.readthedocs.io/en/stable/api/logger.html#loguru._logger.Logger.patch
"""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING, Any, Protocol

from reticent.integrations._guard import Guard, PlanSource
from reticent.integrations._traceback import traceback_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from loguru import Record

__all__ = ["ReticentPatcher", "ReticentSink"]


class ReticentPatcher:
    """Takes reasoning out of a record's message, ``extra`` and exception.

    The exception becomes text at the end of the message: with ``diagnose=True``, which is loguru's default, handlers
    would print the value of every variable in it.
    """

    def __init__(self, surface: str, *, plan: PlanSource = None) -> None:
        """Guard records on their way to ``surface``.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        self.guard = Guard(surface, plan=plan)

    def __call__(self, record: Record) -> None:
        """Change ``record`` in place, as patchers do."""
        if self.guard.passes:
            return
        try:
            record["message"] = _message(self.guard, record)
        except Exception as error:  # noqa: BLE001 - an exception's own methods can do anything
            record["message"] = self.guard.withheld(error, None)
        record["exception"] = None
        record["extra"] = self.guard.record(record["extra"])


class _Writer(Protocol):
    def write(self, text: str, /) -> object: ...


class ReticentSink:
    """Passes finished messages on to ``sink`` (a function, or anything with ``write``) without reasoning.

    It takes the place of the sink in ``logger.add``; what it hands on is plain text. Without ``sink``, standard error.
    """

    def __init__(
        self, surface: str, sink: Callable[[str], object] | _Writer | None = None, *, plan: PlanSource = None
    ) -> None:
        """Guard messages on their way to ``surface``.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        self.guard = Guard(surface, plan=plan)
        self._sink = sink

    def __call__(self, message: str) -> None:
        """Hand on one message."""
        sink: Any = self._sink if self._sink is not None else sys.stderr
        (sink if callable(sink) else sink.write)(self.guard.text(str(message)))


def _message(guard: Guard, record: Record) -> str:
    message = guard.text(record["message"])
    told = record["exception"]
    if told is None or told.value is None:
        return message
    lines = traceback.format_exception(told.type, told.value, told.traceback)
    return f"{message}\n{traceback_text(guard, told.value, ''.join(lines).rstrip())}"
