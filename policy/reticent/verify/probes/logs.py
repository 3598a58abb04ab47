"""Logging: every handler of a program stands behind a guard, as the doctor sees it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

import orjson

from reticent.verify.probing import NotHeld, Settings, ShippedProbe

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reticent.verify.probing import Probe

_SECONDS: Final = 25
_LIBRARIES: Final = ("logging", "structlog", "loguru")


class LogSettings(Settings):
    """What configures logging, and the surfaces whose guards count.

    ``target`` is what ``reticent doctor`` takes (MODULE or MODULE:NAME); it is looked at in a process of its own, so
    that a change is seen. Without a target the probe looks at the process that it runs in.
    """

    target: str | None = None
    factory: bool = False
    surfaces: tuple[str, ...] = ("logs",)


def handlers(settings: LogSettings) -> str:
    """Every handler is guarded, and by one of the surfaces."""
    exits = [item for item in _exits(settings) if item[0] in _LIBRARIES]
    if not exits:
        raise NotHeld("not-found", "no handler is configured")
    bad = [name for _, name, surface in exits if surface not in settings.surfaces]
    if bad:
        raise NotHeld("unguarded", ", ".join(bad))
    return f"{len(exits)} handlers are guarded"


def _exits(settings: LogSettings) -> Iterable[tuple[str, str, str | None]]:
    if settings.target is None:
        from reticent import doctor

        return [(found.library, found.name, found.surface) for found in doctor.report().exits]
    return [(item["library"], item["name"], item["surface"]) for item in _asked(settings)["exits"]]


def _asked(settings: LogSettings) -> Any:
    command = [sys.executable, "-c", "from reticent.cli import main; main()", "doctor", str(settings.target)]
    command += ["--format", "json", *(["--factory"] if settings.factory else [])]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)  # noqa: S603 - ourselves
        return orjson.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise NotHeld("hung", f"{settings.target} was not loaded in {_SECONDS} seconds") from None
    except ValueError:
        raise NotHeld("unreadable", f"{settings.target} cannot be loaded") from None


PROBES: Final[Mapping[str, Probe]] = {"log-handlers": ShippedProbe(LogSettings, handlers)}
