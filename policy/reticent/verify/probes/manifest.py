"""An export manifest: the list of what is exported leaves out what must stay."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import Field

from reticent.verify.probes._yaml import read_yaml
from reticent.verify.probing import NotHeld, Settings, ShippedProbe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reticent.verify.probing import Probe


class ManifestSettings(Settings):
    """The file (YAML or JSON), where in it the list stands, and what must not be on it.

    ``allowed`` is a dotted path of keys; ``*`` stands for every key or entry. An entry is a name, or a mapping that has
    its name under ``name``. Names on the list may hold ``*`` and ``?``; a name without a schema stands for any schema.
    """

    path: Path
    allowed: str = Field(min_length=1)
    excludes: tuple[str, ...] = Field(min_length=1)
    name: str = "name"


def exported(settings: ManifestSettings) -> str:
    """None of the names is on the list, nor covered by a pattern on it."""
    lists = list(_at(read_yaml(settings.path), settings.allowed.split(".")))
    if not lists:
        # Most exporters take everything where there is no list.
        raise NotHeld("no-list", f"nothing stands at {settings.allowed}")
    names = [_named(entry, settings.name) for found in lists for entry in _entries(found, settings.allowed)]
    found = sorted({f"{name} ({pattern})" for name in settings.excludes for pattern in names if _covers(pattern, name)})
    if found:
        raise NotHeld("exported", ", ".join(found))
    return f"{len(names)} names on the list"


def _at(value: Any, path: list[str]) -> Iterator[Any]:
    if not path:
        yield value
    elif path[0] == "*":
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        for item in inner:
            yield from _at(item, path[1:])
    elif isinstance(value, dict) and path[0] in value:
        yield from _at(value[path[0]], path[1:])


def _entries(found: Any, where: str) -> list[Any]:
    if not isinstance(found, list):
        raise NotHeld("no-list", f"what stands at {where} is no list")
    return found


def _named(entry: Any, key: str) -> str:
    name = entry.get(key) if isinstance(entry, dict) else entry
    if not isinstance(name, str):
        raise NotHeld("unreadable", "an entry of the list has no name")
    return name


def _covers(pattern: str, name: str) -> bool:
    """Whether an entry exports ``name``; where one of the two leaves out the schema, it may be any."""
    entry, wanted = pattern.replace('"', "").lower(), name.lower()
    if "." not in entry and "." in wanted:
        wanted = wanted.rpartition(".")[2]
    elif "." in entry and "." not in wanted:
        entry = entry.rpartition(".")[2]
    return fnmatchcase(wanted, entry)


PROBES: Final[Mapping[str, Probe]] = {"export-manifest": ShippedProbe(ManifestSettings, exported)}
