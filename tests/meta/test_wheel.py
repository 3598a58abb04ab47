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
        "reticent/_rego/reticent_access/access.rego",
        "reticent_service/access.wasm",
        "reticent_service/review/static/icon.svg",
        "reticent_service/review/static/page.css",
        "reticent_service/review/static/page.js",
        *(f"reticent_service/review/templates/{name}.html" for name in ("diff", "lab", "layout", "surface", "table")),
    ],
)
def test_data_files_are_in(name: str, wheel: Path) -> None:
    """The wheel has the files that the code opens at run time."""
    assert name in names(wheel)


def run(code: str, folder: Path) -> list[str]:
    """Run something in a folder where the wheel was unpacked; gives what it printed."""
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_wheel_works_by_itself(wheel: Path, tmp_path: Path) -> None:
    """Unpacked away from the checkout, the library decides every surface of its own table."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    place, surfaces = run("import reticent; print(reticent.__file__); print(*reticent.load_plan().surfaces)", tmp_path)

    assert place.startswith(str(tmp_path))
    assert "task_store" in surfaces.split()


SERVED = """
import reticent_service
from fastapi.testclient import TestClient
from reticent_service.app import create_app
from reticent_service.callers import hash_of
from reticent_service.settings import Settings

headers = {"authorization": "Bearer token"}
with TestClient(create_app(Settings(operator_sha256=hash_of("token"))), headers=headers) as caller:
    print(reticent_service.__file__)
    for path in ("/", "/surfaces/logs", "/diff", "/lab", "/static/page.css", "/static/page.js", "/static/icon.svg"):
        print(caller.get(path).status_code)
"""


def test_wheel_serves_by_itself(wheel: Path, tmp_path: Path) -> None:
    """Unpacked away from the checkout, the service decides who may call and shows every view of its page."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    place, *answers = run(SERVED, tmp_path)

    assert place.startswith(str(tmp_path))
    assert ["200"] * 7 == answers
