"""Running probes: all at once, each in a thread that is given up when it takes too long."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

from reticent.verify.probing import Finding, NotHeld, Probe, find_probe

TIMEOUT_SECONDS: Final = 30.0
"""How long one look may take."""

_MOST_CHARACTERS: Final = 300
_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")

_hanging: dict[tuple[str, ...], threading.Thread] = {}
"""Looks that were given up and have not ended; another one of the same kind would only hang beside them."""


@dataclass(frozen=True, slots=True)
class Look:
    """One look to take: ``key`` tells it from others, ``probe`` names who looks, ``settings`` are the table's."""

    key: tuple[str, ...]
    probe: str
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])


def look(
    looks: Iterable[Look], *, timeout: float = TIMEOUT_SECONDS, find: Callable[[str], Probe] = find_probe
) -> Mapping[tuple[str, ...], Finding]:
    """Take every look, at the same time, and say what came of each. Never raises for what a probe does.

    ``timeout`` is in seconds and counts for all together, since they run beside each other.
    """
    found: dict[tuple[str, ...], Finding] = {}
    threads = {one.key: _started(one, found, find) for one in looks}
    end = monotonic() + timeout
    for key, thread in threads.items():
        thread.join(max(0.0, end - monotonic()))
        if thread.is_alive():
            _hanging[key] = thread
    hung = Finding(held=False, code="hung", detail=f"no answer in {timeout:g} seconds")
    # What came too late, or of an earlier round that hung, does not count.
    return {key: hung if thread.is_alive() else found.get(key, hung) for key, thread in threads.items()}


def _started(one: Look, found: dict[tuple[str, ...], Finding], find: Callable[[str], Probe]) -> threading.Thread:
    before = _hanging.pop(one.key, None)
    if before is not None and before.is_alive():
        return before
    thread = threading.Thread(
        target=lambda: found.__setitem__(one.key, _looked(one, find)), name=f"reticent-probe-{one.probe}", daemon=True
    )
    thread.start()
    return thread


def _looked(one: Look, find: Callable[[str], Probe]) -> Finding:
    try:
        finding = find(one.probe).look(_filled(one.settings))
    except NotHeld as error:
        return Finding(held=False, code=error.code, detail=_printable(error.detail))
    except ImportError as error:
        return Finding(held=False, code="library-missing", detail=_printable(error.name or ""))
    except BaseException as error:  # noqa: BLE001 - whatever it is, it shows nothing; its text may quote content
        return Finding(held=False, code="raised", detail=type(error).__name__)
    if not isinstance(finding, Finding):  # pyright: ignore[reportUnnecessaryIsInstance] - anybody's code
        return Finding(held=False, code="raised", detail="the probe gave no finding")
    return Finding(held=finding.held is True, code=_printable(finding.code), detail=_printable(finding.detail))


def _filled(value: Any) -> Any:
    """Settings with ``${NAME}`` replaced by what the environment has."""
    if isinstance(value, str):
        return _VARIABLE.sub(lambda match: _variable(match[1]), value)
    if isinstance(value, Mapping):
        return {key: _filled(item) for key, item in value.items()}
    return [_filled(item) for item in value] if isinstance(value, list | tuple) else value


def _variable(name: str) -> str:
    try:
        return os.environ[name]
    except KeyError:
        raise NotHeld("settings-invalid", f"the environment has no {name}") from None


def _printable(text: str) -> str:
    cut = text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"
    return "".join(one if one.isprintable() else " " for one in cut)
