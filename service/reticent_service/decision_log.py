"""The decision log: one line of JSON for each call, for `reticent replay` and for whoever asks what left and why."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson
import structlog

from reticent.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reticent_service.conditions import Lost
    from reticent_service.observing import Call
    from reticent_service.settings import Settings

VERSION = 1


class DecisionLog:
    """Writes to one place."""

    def __init__(self, out: BinaryIO) -> None:
        """Write to ``out``, a line at a time."""
        self._out = out
        self._log: Any = structlog.wrap_logger(
            structlog.BytesLogger(out),
            processors=[
                structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
                structlog.processors.JSONRenderer(serializer=_line),
            ],
            wrapper_class=structlog.BoundLogger,
            cache_logger_on_first_use=True,
        )

    def close(self) -> None:
        """Close the file; the process's own streams stay open."""
        if self._out not in {sys.stdout.buffer, sys.stderr.buffer}:
            self._out.close()

    def finished(self, call: Call) -> None:
        """Write one line."""
        removed = {rule: [removal.count, removal.length] for rule, removal in sorted(call.report.removals.items())}
        self._log.msg(
            "decision",
            version=VERSION,
            surface=call.surface or None,
            caller=call.caller,
            verdict=call.verdict,
            outcome=call.outcome,
            status=call.status,
            wire=call.wire,
            dialects=call.report.dialects,
            removed=removed,
            unknown_types=call.unknown_types,
            bytes_in=call.bytes_in,
            bytes_out=call.bytes_out,
            milliseconds=round(call.seconds * 1000, 3),
            plan=call.plan,
            lost=list(call.lost),
            hash=call.hash,
        )

    def condition(self, lost: Lost, plan: str, *, held: bool = False) -> None:
        """Write that a condition is lost from now on, or that one that was lost is ``held`` again."""
        told = {**lost.told(), "since": None, "status": "held", "code": None} if held else lost.told()
        self._log.msg("condition", version=VERSION, **told, plan=plan)

    def break_glass(self, what: str, told: Mapping[str, Any]) -> None:
        """Write that somebody asked, approved, looked or closed, or that it ended by itself."""
        self._log.msg("break-glass", version=VERSION, action=what, **told)


def _line(record: object, **_: object) -> bytes:
    return orjson.dumps(record)


def open_log(settings: Settings) -> DecisionLog | None:
    """The log that the settings name, None when it is off.

    Raises:
        ConfigurationError: the file cannot be opened.
    """
    match settings.decision_log:
        case "off":
            return None
        case "stderr":
            return DecisionLog(sys.stderr.buffer)
        case "stdout":
            return DecisionLog(sys.stdout.buffer)
        case name:
            try:
                # A line is one write at the end of the file, so that several workers can append to it.
                return DecisionLog(Path(name).open("ab"))
            except OSError as error:
                raise ConfigurationError(f"{name}: cannot be opened ({type(error).__name__})") from None
