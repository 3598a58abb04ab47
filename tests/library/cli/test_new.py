"""``reticent new dialect`` lays out files that are whole: they pass the project's own tests as they are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from reticent.cli import _exit, build_app

_ROOT = Path(__file__).parents[3]
_COPIED = ("policy", "docs", "scripts", "changelog.d", "tests/conformance", "tests/meta")
_FILES = ("pyproject.toml", "conftest.py", "README.md", "CONTRIBUTING.md")
_TESTS = ("tests/meta/test_documentation.py", "tests/meta/test_imports.py", "tests/conformance/test_vectors.py")
_CHOSEN = "written_three_times or do_not_know_each_other or keep_to_the_schema or acme-chat"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what a contributor has."""
    for name in _COPIED:
        shutil.copytree(_ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in _FILES:
        shutil.copy(_ROOT / name, tmp_path / name)
    return tmp_path


def _new(*arguments: str) -> int:
    return _exit.run(build_app(), ["new", "dialect", *arguments])


def _python(folder: Path, *arguments: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python in ``folder`` with the library of ``path`` (default: that of ``folder``)."""
    roots = os.pathsep.join([str(path)] if path else [str(folder / "policy"), str(folder / "service")])
    return subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": roots, "PYTEST_ADDOPTS": "-p no:cacheprovider", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def test_new_dialect_passes_the_projects_own_tests(checkout: Path) -> None:
    """Module, vocabulary, vectors, page and fragment agree, and the vectors hold."""
    assert 0 == _new("acme-chat", "--folder", str(checkout), "--title", "Acme Chat")

    done = _python(checkout, "-m", "pytest", "-q", "-n0", *_TESTS, "-k", _CHOSEN)
    current = _python(checkout, "scripts/build_kinds.py", "--check")

    assert 0 == done.returncode, done.stdout
    assert "passed" in done.stdout.splitlines()[-1]
    assert 0 == current.returncode, current.stdout
    assert (checkout / "changelog.d/+acme-chat.added.md").is_file()


def test_new_module_keeps_the_house_rules(checkout: Path) -> None:
    """The module that is laid out has nothing for the linter to say."""
    pytest.importorskip("ruff", reason="ruff is not installed")
    _new("acme-chat", "--folder", str(checkout))

    module = "policy/reticent/dialects/acme_chat.py"
    checked = _python(checkout, "-m", "ruff", "check", "--no-cache", module, "policy/reticent/dialects/__init__.py")
    formatted = _python(checkout, "-m", "ruff", "format", "--no-cache", "--check", module)

    assert 0 == checked.returncode, checked.stdout
    assert 0 == formatted.returncode, formatted.stdout


def _state(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("name", "there", "said"),
    [
        ("openai-chat", None, "is there already"),
        ("acme-chat", "docs/dialects/acme-chat.md", "docs/dialects/acme-chat.md is already there"),
        ("acme-chat", "policy/reticent/dialects/acme_chat.py", "nothing was written"),
        ("Acme Chat", None, "no id of a dialect"),
        ("../acme", None, "no id of a dialect"),
    ],
)
def test_nothing_is_written_over(
    name: str, there: str | None, said: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A dialect or file that is there, and a name that is no id, end the command before the first file."""
    if there:
        (checkout / there).write_text("mine", encoding="utf-8")
    before = _state(checkout)

    assert 2 == _new(name, "--folder", str(checkout))
    assert said in capsys.readouterr().err
    assert before == _state(checkout)


def test_folder_must_be_a_checkout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Anywhere else the command says what to do instead."""
    assert 2 == _new("acme-chat", "--folder", str(tmp_path))
    assert "--package" in capsys.readouterr().err
    assert {} == _state(tmp_path)


def test_package_is_found_by_its_entry_point(tmp_path: Path) -> None:
    """A package that is laid out builds, is picked up where it is installed, and passes its own tests."""
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    assert 0 == _new("acme-chat", "--package", "--folder", str(tmp_path))
    top = tmp_path / "reticent-acme-chat"

    built = _python(top, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist"))
    assert 0 == built.returncode, built.stdout
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    roots = Path(os.pathsep.join([str(tmp_path / "site"), str(_ROOT / "policy")]))
    done = _python(top, "-m", "pytest", "-q", "-n0", "tests", path=roots)

    assert 0 == done.returncode, done.stdout
    assert "5 passed" in done.stdout


def test_package_is_not_written_over(tmp_path: Path) -> None:
    """A second run changes nothing."""
    _new("acme-chat", "--package", "--folder", str(tmp_path))
    before = _state(tmp_path)

    assert 2 == _new("acme-chat", "--package", "--folder", str(tmp_path))
    assert before == _state(tmp_path)
