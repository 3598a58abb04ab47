"""What a user installs: the wheel holds everything that is needed and nothing else, and works by itself."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of the working tree."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=root,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    (built,) = folder.glob("*.whl")
    return built


def names(wheel: Path) -> set[str]:
    """List the files of the wheel, less its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def shipped(root: Path, source: str, target: str) -> set[str]:
    """List what must be in the wheel of one folder of the checkout."""
    files = (path for path in (root / source).rglob("*") if path.is_file())
    return {f"{target}/{path.relative_to(root / source)}" for path in files if path.suffix != ".pyc"}


def test_wheel_is_the_four_folders(root: Path, wheel: Path) -> None:
    """The wheel is the library, the service, the policy and the vectors, file for file."""
    expected = (
        shipped(root, "policy/reticent", "reticent")
        | shipped(root, "service/reticent_service", "reticent_service")
        | shipped(root, "rego", "reticent/_rego")
        | shipped(root, "tests/conformance", "reticent/_conformance")
    )

    assert expected == names(wheel)


@pytest.mark.parametrize(
    "name",
    [
        "reticent/py.typed",
        "reticent/surfaces/default.yaml",
        "reticent/compiler/policy.wasm",
        "reticent/compiler/default_plan.json",
        "reticent/dialects/kinds.yaml",
        "reticent/_rego/.manifest",
        "reticent/_rego/reticent/main/main.rego",
    ],
)
def test_data_files_are_in(name: str, wheel: Path) -> None:
    """The wheel has the files that the code opens at run time."""
    assert name in names(wheel)


def test_wheel_works_by_itself(wheel: Path, tmp_path: Path) -> None:
    """Unpacked away from the checkout, the library decides every surface of its own table."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = "import reticent; print(reticent.__file__); print(*reticent.load_plan().surfaces)"
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    place, surfaces = done.stdout.splitlines()

    assert place.startswith(str(tmp_path))
    assert "task_store" in surfaces.split()
