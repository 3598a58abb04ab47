"""What there is to look through: files under paths, and tables behind addresses.

Nothing is skipped in silence. A file that is excluded is excluded by name; whatever else cannot be looked through is
told as not read.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reticent.errors import ConfigurationError
from reticent.scan.findings import NotRead

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Database", "File", "is_address", "shown", "sources"]

_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SCHEMES: Final = ("postgresql://", "postgres://")


@dataclass(frozen=True, slots=True)
class File:
    """A file to look through; ``stamp`` changes when its content does."""

    path: Path
    name: str
    size: int
    stamp: str


@dataclass(frozen=True, slots=True)
class Database:
    """A PostgreSQL database; ``name`` is its address without user and password."""

    url: str
    name: str


def is_address(target: str) -> bool:
    """Whether ``target`` is an address rather than a path."""
    return _ADDRESS.match(target) is not None


def shown(url: str) -> str:
    """An address without its user, password and options."""
    scheme, _, rest = url.partition("://")
    place = rest.partition("?")[0]
    host, slash, name = place.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{name}"


def sources(targets: Sequence[str], exclude: Sequence[str] = ()) -> Iterator[File | Database | NotRead]:
    """Everything behind ``targets``, each once, folders in the order of their names.

    Raises:
        ConfigurationError: a path that does not exist, or an address of a kind that is not known.
    """
    seen: set[tuple[int, int]] = set()
    roots = [os.path.realpath(target) for target in targets if not is_address(target)]
    for target in targets:
        if is_address(target):
            if not target.lower().startswith(_SCHEMES):
                raise ConfigurationError(f"{shown(target)}: only postgresql:// addresses can be scanned")
            yield Database(target, shown(target))
            continue
        path = Path(target)
        if not os.path.lexists(path):
            raise ConfigurationError(f"{target}: there is no such file or folder")
        yield from _below(path, seen, exclude, roots)


def stamp_of(found: os.stat_result) -> str:
    """What tells one content of a file from the next."""
    return f"{found.st_dev}:{found.st_ino}:{found.st_size}:{found.st_mtime_ns}"


def _below(
    path: Path, seen: set[tuple[int, int]], exclude: Sequence[str], roots: Sequence[str]
) -> Iterator[File | NotRead]:
    name = str(path)
    if any(fnmatch(name, pattern) or fnmatch(path.name, pattern) for pattern in exclude):
        return
    try:
        found = path.stat()
    except OSError as error:
        yield NotRead(name, "unreadable", f"cannot be read ({type(error).__name__})")
        return
    if (found.st_dev, found.st_ino) in seen:
        return
    if stat.S_ISDIR(found.st_mode):
        yield from _folder(path, seen, exclude, roots)
    elif not stat.S_ISREG(found.st_mode):
        yield NotRead(name, "not-a-file", "neither a file nor a folder")
    elif not _is_read_elsewhere(path, roots):
        seen.add((found.st_dev, found.st_ino))
        yield File(path, name, found.st_size, stamp_of(found))


def _folder(
    path: Path, seen: set[tuple[int, int]], exclude: Sequence[str], roots: Sequence[str]
) -> Iterator[File | NotRead]:
    if path.is_symlink() and str(path) not in roots and os.path.realpath(path) not in roots:
        if not _is_read_elsewhere(path, roots):
            yield NotRead(str(path), "symbolic-link", "a link to a folder elsewhere; name that folder to have it read")
        return
    try:
        names = sorted(entry.name for entry in os.scandir(path))
    except OSError as error:
        yield NotRead(str(path), "unreadable", f"cannot be listed ({type(error).__name__})")
        return
    for name in names:
        yield from _below(path / name, seen, exclude, roots)


def _is_read_elsewhere(path: Path, roots: Sequence[str]) -> bool:
    """Whether a link leads to something that is looked through under its own name."""
    if not path.is_symlink():
        return False
    real = os.path.realpath(path)
    return any(real != root and real.startswith(root.rstrip(os.sep) + os.sep) for root in roots)
