"""``constraints.txt``: what ``make`` installs, to the version."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

INSTALLED = ("dev", "sdk", "bench")
"""The extras that tasks of the Makefile install."""


def wanted(root: Path) -> Iterator[Requirement]:
    """Every package that the distribution and those extras ask for here."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for line in [*project["dependencies"], *(line for extra in INSTALLED for line in extras[extra])]:
        requirement = Requirement(line)
        if requirement.name != "reticent" and (requirement.marker is None or requirement.marker.evaluate()):
            yield requirement


def pins(root: Path) -> dict[str, str]:
    """The version of each package on this interpreter."""
    lines = [Requirement(line) for line in (root / "constraints.txt").read_text(encoding="utf-8").splitlines()]
    return {pin.name: next(iter(pin.specifier)).version for pin in lines if pin.marker is None or pin.marker.evaluate()}


def is_met(asked: Requirement, version: str | None) -> bool:
    """Whether there is a version, and it will do."""
    return version is not None and asked.specifier.contains(version, prereleases=True)


def test_what_is_asked_for_is_pinned_as_asked(root: Path) -> None:
    """Every package that pyproject.toml names is pinned, at a version it allows; else ``make lock``."""
    pinned = pins(root)

    assert [] == [str(asked) for asked in wanted(root) if not is_met(asked, pinned.get(canonicalize_name(asked.name)))]


def test_every_line_is_one_version(root: Path) -> None:
    """No line leaves a choice, and none says where a package comes from."""
    lines = (root / "constraints.txt").read_text(encoding="utf-8").splitlines()

    assert [] == [line for line in lines if [part.operator for part in Requirement(line).specifier] != ["=="]]
    assert [] == [line for line in lines if Requirement(line).url]
