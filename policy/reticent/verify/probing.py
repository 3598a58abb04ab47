"""What a probe is, and where probes are found: those that ship, and those of installed packages.

A package adds probes under the entry point group ``reticent.probes``; each entry point names an object with a ``look``
(see :class:`Probe`), and the name of the entry point is the probe's name in a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Final, Generic, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, ConfigDict, ValidationError

from reticent.errors import did_you_mean

GROUP: Final = "reticent.probes"

SHIPPED: Final[Mapping[str, str]] = {
    "export-manifest": "manifest",
    "log-handlers": "logs",
    "otel-collector": "collector",
    "postgres-erasure": "postgres_rows",
    "postgres-grants": "postgres_grants",
    "postgres-publication": "postgres_copies",
    "postgres-row-ciphertext": "postgres_rows",
    "postgres-triggers": "postgres_copies",
    "redis-acl": "redis_server",
    "redis-persistence": "redis_server",
    "redis-ttl": "redis_server",
    "sqlite-ciphertext": "sqlite_file",
    "sqlite-erasure": "sqlite_file",
}
"""Every probe that ships, and the module of ``reticent.verify.probes`` it lives in."""


class NotHeld(Exception):
    """What a probe raises when the condition does not hold, or cannot be shown to.

    ``code`` is a stable kebab-case word; ``detail`` names what was found (a role, a table) and never quotes content.
    """

    def __init__(self, code: str, detail: str = "") -> None:
        """Say why."""
        super().__init__(f"{code}: {detail}" if detail else code)
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one look."""

    held: bool
    code: str = "held"
    detail: str = ""


@runtime_checkable
class Probe(Protocol):
    """Looks at one real thing."""

    def look(self, settings: Mapping[str, Any]) -> Finding:
        """Say whether the condition holds, with the settings that the table gives.

        Runs in a thread of its own that is given up after a while, so it must not change anything and should have
        time limits of its own. Whatever it raises counts as not held.

        Raises:
            NotHeld: it does not hold, or that could not be found out; with the reason.
        """
        ...


class Settings(BaseModel):
    """What a probe that ships is told; keys that it does not know are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


_S = TypeVar("_S", bound=Settings)


@dataclass(frozen=True, slots=True)
class ShippedProbe(Generic[_S]):
    """A probe that ships: a model of its settings, and a function that raises, or tells what it saw."""

    settings: type[_S]
    function: Callable[[_S], str]

    def look(self, settings: Mapping[str, Any]) -> Finding:
        """See :meth:`Probe.look`."""
        try:
            told = self.settings.model_validate(dict(settings))
        except ValidationError as error:
            faults = sorted({f"{'.'.join(map(str, fault['loc']))}: {fault['type']}" for fault in error.errors()})
            raise NotHeld("settings-invalid", "; ".join(faults)) from None
        return Finding(held=True, detail=self.function(told))


def find_probe(name: str) -> Probe:
    """The probe of that name; one that ships wins over one of a package.

    Raises:
        NotHeld: there is none, or its package cannot be loaded.
    """
    if name in SHIPPED:
        probes: Mapping[str, Probe] = import_module(f"reticent.verify.probes.{SHIPPED[name]}").PROBES
        return probes[name]
    for entry in entry_points(group=GROUP, name=name):
        try:
            found = entry.load()
        except Exception as error:  # noqa: BLE001 - another package's code
            raise NotHeld("unknown-probe", f"{name} cannot be loaded ({type(error).__name__})") from None
        probe = found() if isinstance(found, type) else found
        if isinstance(probe, Probe):
            return probe
    raise NotHeld("unknown-probe", f"no probe is called {name!r}.{did_you_mean(name, probe_names())}")


def probe_names() -> tuple[str, ...]:
    """The name of every probe that can be used here."""
    return tuple(sorted({*SHIPPED, *(entry.name for entry in entry_points(group=GROUP))}))
