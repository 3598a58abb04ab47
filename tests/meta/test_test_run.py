"""The rules of the test run itself: no skips in CI, and pages whose examples are true."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

SKIPS = """
import pytest

def test_skips():
    pytest.skip("no server")

@pytest.mark.xfail(strict=True, reason="known")
def test_known():
    assert False
"""


def run_pytest(root: Path, what: Path, *options: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run pytest over a file or folder with the project's own conftest as its only plugin."""
    clean = {name: value for name, value in os.environ.items() if name != "RETICENT_CI"}
    own = {"PYTHONPATH": str(root), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "NO_COLOR": "1"}
    return subprocess.run(  # noqa: S603 - our own interpreter
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "conftest",
            "-c",
            os.devnull,
            "--rootdir",
            str(what),
            *options,
            str(what),
        ],
        cwd=what,
        env=clean | own | environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("environ", "outcome"), [({}, "1 skipped"), ({"RETICENT_CI": "1"}, "1 failed")])
def test_skip_is_a_failure_in_ci(environ: dict[str, str], outcome: str, root: Path, tmp_path: Path) -> None:
    """A skipped test fails the run under RETICENT_CI, an expected failure does not."""
    (tmp_path / "test_it.py").write_text(SKIPS, encoding="utf-8")

    done = run_pytest(root, tmp_path, **environ)

    assert outcome in done.stdout
    assert "1 xfailed" in done.stdout


def test_skipped_module_is_a_failure_in_ci(root: Path, tmp_path: Path) -> None:
    """A module that skips itself while it is collected fails the run under RETICENT_CI."""
    (tmp_path / "test_it.py").write_text("import pytest\npytest.importorskip('no_such_module')\n", encoding="utf-8")

    done = run_pytest(root, tmp_path, RETICENT_CI="1")

    assert "1 error" in done.stdout


PAGES = {
    "one namespace": ("```python\nx = 1\n```\n```python\nprint(x)\n```\n```output\n1\n```\n", "PASSED"),
    "wrong output": ("```python\nprint(1)\n```\n```output\n2\n```\n", "FAILED"),
    "doctest": ("```python\n>>> 1 + 1\n2\n```\n", "PASSED"),
    "wrong doctest": ("```python\n>>> 1 + 1\n3\n```\n", "FAILED"),
    "crash": ("```python\nraise SystemError\n```\n", "FAILED"),
    "file": ('```yaml title="a.yaml"\nx: 1\n```\n```console\n$ cat a.yaml\nx: 1\n```\n', "PASSED"),
    "wrong console": ("```console\n$ echo one\ntwo\n```\n", "FAILED"),
    "not run": (
        "<!-- not run: needs a key -->\n```python\nraise SystemError\n```\n```python\nx = 1\n```\n",
        "PASSED",
    ),
}


def test_page_is_what_it_says(root: Path, tmp_path: Path) -> None:
    """A page passes when its examples print what it says, and fails when they do not."""
    for name, (text, _) in PAGES.items():
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")

    report = run_pytest(root, tmp_path, "-rA").stdout

    assert {} == {name: want for name, (_, want) in PAGES.items() if f"{want} {name}.md::examples" not in report}
