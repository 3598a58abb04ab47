"""What exists is described, under the name it has, and links lead somewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from typer.main import get_command

from reticent.cli import build_app

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

LINK = re.compile(r"\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (?P<text>.+)$", re.MULTILINE)


def public_stems(folder: Path) -> set[str]:
    """Name the public modules of a folder as their pages are named: kebab-case."""
    return {path.stem.replace("_", "-") for path in folder.glob("[!_]*.py")}


def page_names(folder: Path) -> set[str]:
    """Name the pages of a folder."""
    return {path.stem for path in folder.glob("*.md")} - {"index"}


def anchors(text: str) -> set[str]:
    """Name the headings of a page as links do."""
    headings = (match["text"] for match in HEADING.finditer(FENCE.sub("", text)))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_each_dialect_is_written_three_times(root: Path) -> None:
    """A dialect is a module, a folder of conformance vectors and a page, under one name."""
    modules = public_stems(root / "policy/reticent/dialects")
    vectors = {path.name for path in (root / "tests/conformance").glob("*") if (path / "messages.json").exists()}

    assert set() < modules
    assert set() == modules - vectors
    assert modules == page_names(root / "docs/dialects")


def test_each_integration_has_a_page(root: Path) -> None:
    """An integration and its page bear one name."""
    modules = public_stems(root / "policy/reticent/integrations")

    assert modules == page_names(root / "docs/integrations")


def test_each_rule_has_a_page(root: Path) -> None:
    """Every Rego rule has its page at the mirrored path."""
    rego = root / "rego/reticent/rules"
    rules = {path.parent.relative_to(rego) for path in rego.glob("*/*/*.rego")}
    pages = {path.relative_to(root / "docs/rules").with_suffix("") for path in root.glob("docs/rules/*/*.md")}

    assert set() < rules
    assert rules == pages


def test_each_rule_has_a_test(root: Path) -> None:
    """Every Rego file has its tests beside it."""
    files = {path for path in root.glob("rego/**/*.rego") if not path.stem.endswith("_test")}
    untested = {path for path in files if not path.with_name(f"{path.stem}_test.rego").exists()}

    # The annotations of the whole tree hold no rule.
    assert {root / "rego/reticent/reticent.rego"} >= untested


def commands(command: object, name: str) -> Iterator[tuple[str, object]]:
    """Yield each command with its full name; a group is told by the commands in it."""
    inner: Mapping[str, object] | None = getattr(command, "commands", None)
    if inner is None:
        yield name, command
    else:
        for word, child in inner.items():
            yield from commands(child, f"{name} {word}")


def test_each_command_is_described(root: Path) -> None:
    """Each command of the command line has a help text and a heading in docs/cli.md."""
    headings = anchors((root / "docs/cli.md").read_text(encoding="utf-8"))
    found = dict(commands(get_command(build_app()), "reticent"))

    assert {} == {name: "no help" for name, command in found.items() if not getattr(command, "help", None)}
    assert {name.replace(" ", "-") for name in found} <= headings


def test_each_decision_is_listed_once(root: Path) -> None:
    """Decisions have four-digit numbers, none of them twice."""
    names = [path.name for path in root.glob("docs/decisions/*.md")]
    numbers = [name[:4] for name in names]

    assert [] == [name for name in names if not re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", name)]
    assert sorted(set(numbers)) == sorted(numbers)


@pytest.mark.parametrize("kind", ["file", "heading"])
def test_links_lead_somewhere(kind: str, root: Path, project_files: tuple[Path, ...]) -> None:
    """Each relative link of a page names a file that exists, and a heading that is on it."""
    broken: list[str] = []
    for page in (path for path in project_files if path.suffix == ".md"):
        text = FENCE.sub("", (root / page).read_text(encoding="utf-8"))
        for target in (match["target"] for match in LINK.finditer(text) if "://" not in match["target"]):
            name, _, anchor = target.partition("#")
            file = (root / page).parent / name if name else root / page
            missing = not file.exists()
            lost = anchor != "" and not missing and anchor not in anchors(file.read_text(encoding="utf-8"))
            if missing if kind == "file" else lost:
                broken.append(f"{page}: {target}")

    assert [] == broken
