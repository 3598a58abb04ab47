"""What importing reticent costs, and who may import whom."""

from __future__ import annotations

import ast
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import reticent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HEAVY = {
    "anthropic",
    "cryptography",
    "fastapi",
    "google",
    "openai",
    "opa_client",
    "opapywasm",
    "pydantic",
    "requests",
    "rich",
    "ruamel",
    "sqlalchemy",
    "starlette",
    "structlog",
    "typer",
    "wasmtime",
}
LAZY_PARTS = ("reticent.dialects", "reticent.integrations", "reticent.surfaces", "reticent.history", "reticent.cli")


def loaded_by(statement: str, root: Path) -> set[str]:
    """Run one statement in a fresh interpreter and tell which modules it loaded."""
    code = f"import sys; before = set(sys.modules); {statement}; print(*(set(sys.modules) - before), sep='\\n')"
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(root / "policy")},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("statement", ["import reticent", "import reticent.errors", "import reticent.streams"])
def test_import_is_cheap(statement: str, root: Path) -> None:
    """Importing the library loads no dialect, no framework, no YAML reader and no engine."""
    loaded = loaded_by(statement, root)

    assert set() == HEAVY & {name.partition(".")[0] for name in loaded}
    assert [] == sorted(name for name in loaded if name.startswith(LAZY_PARTS))


def test_public_names_are_there() -> None:
    """``reticent.__all__`` is sorted, and each of its names can be had."""
    names = reticent.__all__

    assert sorted(set(names)) == list(names)
    assert [] == [name for name in names if not hasattr(reticent, name)]
    assert set(names) <= set(dir(reticent))


def test_public_names_are_the_documented_ones(root: Path) -> None:
    """The names that docs/versioning.md promises are exactly ``reticent.__all__``."""
    page = (root / "docs/versioning.md").read_text(encoding="utf-8")
    block = page.partition("<!-- public names -->\n")[2].partition("<!-- end -->")[0]
    promised = [line.split("`")[1] for line in block.splitlines() if line.startswith("- `")]

    assert promised == list(reticent.__all__)


def imported_names(path: Path) -> Iterator[str]:
    """Yield the dotted names a file imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_dialects_do_not_know_each_other(root: Path) -> None:
    """A dialect imports no other dialect; what several share is an underscore module."""
    folder = root / "policy/reticent/dialects"
    dialects = {f"reticent.dialects.{path.stem}" for path in folder.glob("[!_]*.py")}
    crossed = {
        path.name: sorted((dialects - {f"reticent.dialects.{path.stem}"}) & set(imported_names(path)))
        for path in folder.glob("[!_]*.py")
    }

    assert {} == {name: others for name, others in crossed.items() if others}
