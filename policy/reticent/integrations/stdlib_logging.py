"""The standard library's ``logging``: a filter for records, a formatter for lines, and all handlers in one call.

.. code-block:: python

    from reticent.integrations.stdlib_logging import guard_handlers

    logging.basicConfig(level=logging.INFO)
    guard_handlers("logs")  # after the handlers are there

The filter changes the record itself, so that whatever reads it later (another handler, a queue, a formatter) finds no
reasoning in it: message, arguments, ``extra``, exception text and stack. ``exc_info`` leaves the record, because the
frames behind it hold every local variable; its text stays in ``exc_text``, where formatters look for it.
https://docs.python.org/3/library/logging.html#logrecord-attributes
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final, Literal

from reticent.integrations._guard import Guard, PlanSource
from reticent.integrations._templates import are_values, read_template
from reticent.integrations._traceback import traceback_text

__all__ = ["ReticentFilter", "ReticentFormatter", "guard_handlers"]

_OWN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""What ``logging`` itself writes into a record; the rest came with ``extra``."""
_NUMBERS: Final = (int, float, bool, type(None))
_DONE: Final = "_reticent_surfaces"
_STANDARD: Final = _OWN | {_DONE}
_NOWHERE: Final[frozenset[str]] = frozenset()


class ReticentFilter(logging.Filter):
    """Takes reasoning out of every record that comes by; lets every record through.

    Put it on handlers (:func:`guard_handlers` does) or on a logger that prints requests, such as ``anthropic``.
    ``formatter`` says how exceptions are written; default: as ``logging`` does.
    """

    def __init__(self, surface: str, *, plan: PlanSource = None, formatter: logging.Formatter | None = None) -> None:
        """Guard records on their way to ``surface``.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        super().__init__()
        self.guard = Guard(surface, plan=plan)
        self._formatter = formatter or logging.Formatter()

    def filter(self, record: logging.LogRecord) -> Literal[True]:
        """Always true; ``record`` holds no reasoning afterwards."""
        told = vars(record)
        done: frozenset[str] = told.get(_DONE, _NOWHERE)
        if self.guard.surface not in done and not self.guard.passes:
            self._clean(record)
            told[_DONE] = done | {self.guard.surface}
        return True

    def _clean(self, record: logging.LogRecord) -> None:
        try:
            self._clean_message(record)
            if record.exc_info or record.exc_text or record.stack_info:
                self._clean_exception(record)
            if not _STANDARD.issuperset(vars(record)):
                self._clean_extra(record)
        except Exception as error:  # noqa: BLE001 - a log call never raises, and never lets through what failed
            record.msg, record.args = self.guard.withheld(error, None), ()
            record.exc_info = record.exc_text = record.stack_info = None
            for name in _extra(record):
                delattr(record, name)

    def _clean_message(self, record: logging.LogRecord) -> None:
        message, args, settled = record.msg, record.args, False
        if args:
            args = record.args = _arguments(self.guard, args)
            template = read_template(message) if isinstance(message, str) else None
            settled = template is not None and are_values(args)
            if template is not None and settled and template.fits(args):
                return
        try:
            line = record.getMessage()
        except Exception:  # noqa: BLE001 - arguments that do not fit; logging would print them to standard error
            record.msg, record.args = f"{self.guard.text(str(message))} {_misfit(args)}", ()
            return
        shown = line if settled else self.guard.text(line)
        if shown != line:
            record.msg, record.args = shown, ()
        elif not isinstance(record.msg, str):
            record.msg = line

    def _clean_exception(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        if record.exc_info and not record.exc_text:
            record.exc_text = self._formatter.formatException(record.exc_info)
        record.exc_info = None
        if record.exc_text:
            record.exc_text = traceback_text(self.guard, error, record.exc_text)
        if record.stack_info:
            record.stack_info = self.guard.text(record.stack_info)

    def _clean_extra(self, record: logging.LogRecord) -> None:
        extra = _extra(record)
        if not extra:
            return
        kept = self.guard.record(extra)
        for name in extra.keys() - kept.keys():
            delattr(record, name)
        vars(record).update(kept)


class ReticentFormatter(logging.Formatter):
    """Formats with ``inner`` and takes reasoning out of the finished line: the last place to look.

    It serves formatters that write JSON as well: what is not removed is copied as it stands. ``inner`` defaults to
    the plain formatter of ``logging``.
    """

    def __init__(self, surface: str, *, inner: logging.Formatter | None = None, plan: PlanSource = None) -> None:
        """Guard lines on their way to ``surface``.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        super().__init__()
        self.guard = Guard(surface, plan=plan)
        self.inner = inner or logging.Formatter()

    def format(self, record: logging.LogRecord) -> str:
        """The line without reasoning; when ``inner`` fails, a placeholder with level and logger."""
        try:
            line = self.inner.format(record)
            if type(self.inner) is logging.Formatter and self.guard.surface in getattr(record, _DONE, ()):
                return line  # it adds nothing to what the filter cleaned
            error = record.exc_info[1] if record.exc_info else None
            return self.guard.text(line) if error is None else traceback_text(self.guard, error, line)
        except Exception as error:  # noqa: BLE001 - logging would print record and arguments to standard error
            return f"{record.levelname} {record.name} {self.guard.withheld(error, None)}"

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        """The traceback without reasoning."""
        return traceback_text(self.guard, ei[1], self.inner.formatException(ei))


def guard_handlers(
    surface: str, *, logger: logging.Logger | None = None, plan: PlanSource = None
) -> tuple[logging.Handler, ...]:
    """Guard every handler that ``logger`` (default: the root logger) has now; those that were guarded.

    On the root logger this includes ``logging.lastResort``, which writes to standard error when there is no handler.
    A handler that already has a guard for ``surface`` is left alone. Handlers that are added later are not guarded;
    ``reticent.doctor.report()`` names them.

    Raises:
        UnknownSurface: the plan has no such surface; no handler was touched.
    """
    Guard(surface, plan=plan)
    target = logger or logging.getLogger()
    handlers = list(target.handlers)
    if target.parent is None and logging.lastResort is not None:
        handlers.append(logging.lastResort)
    for handler in handlers:
        if not any(isinstance(old, ReticentFilter) and old.guard.surface == surface for old in handler.filters):
            inner = handler.formatter
            handler.addFilter(ReticentFilter(surface, plan=plan, formatter=inner))
            handler.setFormatter(ReticentFormatter(surface, inner=inner, plan=plan))
    return tuple(handlers)


def _arguments(guard: Guard, args: Any) -> Any:
    """The arguments of a message; numbers and what loses nothing stay as they are, so that ``%d`` and ``%r`` fit."""
    if isinstance(args, Mapping):
        # A single dictionary is taken for named arguments; it can be one message, so it is judged as a whole.
        return guard.record(args)
    return tuple(_argument(guard, value) for value in args) if args else args


def _argument(guard: Guard, value: Any) -> Any:
    if isinstance(value, _NUMBERS):
        return value
    if isinstance(value, str):
        return guard.text(value)
    return guard.printable(value)


def _misfit(args: Any) -> str:
    return f"[reticent: {len(args or ())} arguments that do not fit the message]"


def _extra(record: logging.LogRecord) -> Mapping[str, Any]:
    return {name: value for name, value in vars(record).items() if name not in _STANDARD}
