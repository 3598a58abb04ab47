"""Writes ``docs/requirements.md``: each requirement with the tests whose docstrings name it; ``--check`` only compares.

A requirement that a release must meet and no test names is an error.

python scripts/build_requirements.py [--check]
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "requirements.md"
ROWS = ROOT / "scripts" / "requirements.yaml"

ID = re.compile(r"\bR-[A-Z]{2}-\d{2}\b")

HEAD = """# Requirements and their tests

Written by `scripts/build_requirements.py` from the ids that tests name in their docstrings.
It covers what [survives a compaction](fold.md): scratchpad, summaries, fold and signals.
In *italics*: good to have, and not checked.
"""


def main() -> int:
    """Write the page, or say that it is not current; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the page is not current")
    arguments = parser.parse_args()
    groups = load_groups()
    named = named_by_tests()
    untested = [name for group in groups for name, row in group["rows"].items() if row["must"] and name not in named]
    if untested:
        print(f"no test names {', '.join(untested)}", file=sys.stderr)
        return 1
    text = page(groups, named)
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    if arguments.check:
        print("not current: docs/requirements.md (run scripts/build_requirements.py)", file=sys.stderr)
        return 1
    PAGE.write_text(text, encoding="utf-8")
    print("wrote docs/requirements.md")
    return 0


def load_groups() -> list[dict[str, Any]]:
    """The groups of requirements, in reading order."""
    from ruamel.yaml import YAML

    reader: Any = YAML(typ="safe", pure=True)
    loaded: list[dict[str, Any]] = reader.load(ROWS.read_text(encoding="utf-8"))["groups"]
    return loaded


def named_by_tests() -> dict[str, list[tuple[Path, str]]]:
    """For each id, the tests that name it: file and function, in order."""
    found: dict[str, list[tuple[Path, str]]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for name, told in docstrings(path):
            for one in dict.fromkeys(ID.findall(told)):
                found.setdefault(one, []).append((path.relative_to(ROOT), name))
    return found


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """Each test function of a file with its docstring."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node.name, ast.get_docstring(node) or ""


def page(groups: list[dict[str, Any]], named: dict[str, list[tuple[Path, str]]]) -> str:
    """The whole page."""
    lines = [HEAD]
    for group in groups:
        lines += [f"## {group['title']}", "", "| id | what | tests |", "| --- | --- | --- |"]
        for name, row in group["rows"].items():
            words = row["words"] if row["must"] else f"*{row['words']}*"
            tests = "<br>".join(f"[`{test}`](../{path.as_posix()})" for path, test in named.get(name, ()))
            lines.append(f"| {name} | {words} | {tests} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
