"""Where the project is and which files belong to it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    """The top folder of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def project_files() -> tuple[Path, ...]:
    """Every file under version control or about to be, as paths from the top folder."""
    # Files not yet added count too: a rule that waits for the commit is found too late.
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607 - git is where PATH says
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
    )
    names = listed.stdout.decode().split("\0")
    return tuple(sorted({Path(name) for name in names if name and (ROOT / name).is_file()}))
