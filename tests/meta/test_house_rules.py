"""Rules about the files themselves: length, names, and no trace of the machine they were written on."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

MOST_LINES = 300
CODE = {".py", ".rego", ".sh"}

# Longer files, each with its reason. The list may only shrink.
LONG: dict[str, str] = {
    "policy/reticent/errors.py": "one tree, drawn and spelt out in one place",
    "policy/reticent/serializers/jsonbytes.py": "one scanner and its appliers, which share every private step",
    "policy/reticent/serializers/scan.py": "the signs that must stay beside the search that uses them",
    "policy/reticent/serializers/walk.py": "one class: the hot path is spelt out, not shared out",
    "tests/hostile/generate.py": "one list of documents",
    "tests/integrations/test_stdlib_logging.py": "one way out of a program, tried in every form",
    "tests/library/streams/test_reprs.py": "one table of spellings",
    "tests/properties/event_streams.py": "one builder and one reader for each protocol",
}

# Names that say nothing about what is inside.
SHAPELESS = {"base", "common", "core", "helper", "helpers", "manager", "misc", "util", "utils"}

# Another word for `strip`, `surface` or `table` would be a second vocabulary.
SYNONYM = re.compile(r"saniti[sz]e|redact(?!ed_)|scrub(?!$|_)|destination|policy_table", re.IGNORECASE)

# Each pattern has a class of one letter in it, so that this file does not hold what it looks for.
TRACES = {
    "a folder of somebody's machine": re.compile(r"/[w]ork/|/[r]oot/|/[t]mp/venv|/[h]ome/\w"),
    "the host of a registry": re.compile(
        r"python[h]osted\.org|proxy\.[g]olang\.org|sum\.[g]olang\.org|registry\.[n]pmjs|deb\.[d]ebian\.org"
    ),
    "material from outside the project": re.compile(
        r"\b[s]hared/(?:corpus|cases|reference|seeds|tools|design)|wire-[s]hapes\.md|[a]ccept\.py"
    ),
}


def code_lines(path: Path) -> int:
    """Count the lines of a file."""
    return len(path.read_text(encoding="utf-8").splitlines())


def test_files_are_short(root: Path, project_files: tuple[Path, ...]) -> None:
    """No source file is longer than 300 lines, but for those listed with a reason."""
    long = {str(path) for path in project_files if path.suffix in CODE and code_lines(root / path) > MOST_LINES}

    assert set(LONG) == long


def test_module_names_say_what_is_inside(project_files: tuple[Path, ...]) -> None:
    """No module or folder is called by a word that fits everything."""
    named = [path for path in project_files if path.suffix in CODE]

    assert [] == [str(path) for path in named if SHAPELESS & {part.strip("_") for part in path.with_suffix("").parts}]


def test_definitions_use_the_glossary(root: Path, project_files: tuple[Path, ...]) -> None:
    """No class or function of ours is named by a synonym of a glossary word."""
    sources = [path for path in project_files if path.suffix == ".py" and path.parts[0] in {"policy", "service"}]
    strays = [
        f"{path}: {node.name}"
        for path in sources
        for node in ast.walk(ast.parse((root / path).read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and SYNONYM.search(node.name)
    ]

    assert [] == strays


@pytest.mark.parametrize("trace", TRACES)
def test_no_trace_of_where_it_was_written(trace: str, root: Path, project_files: tuple[Path, ...]) -> None:
    """No file names a folder of somebody's machine, a registry's host, or material a reader does not have."""
    found = [
        str(path)
        for path in project_files
        if TRACES[trace].search((root / path).read_text(encoding="utf-8", errors="ignore"))
    ]

    assert [] == found


def test_source_roots_hold_one_package_each(root: Path) -> None:
    """``policy/`` and ``service/`` are source roots: all that stands in them becomes importable."""
    packages = {folder: {path.name for path in (root / folder).iterdir()} for folder in ("policy", "service")}

    assert {"policy": {"reticent"}, "service": {"reticent_service"}} == packages


def test_test_docstrings_are_one_sentence(root: Path, project_files: tuple[Path, ...]) -> None:
    """Each test says in one sentence, on one line, which fact it shows."""
    tests = [path for path in project_files if path.name.startswith("test_") and path.suffix == ".py"]
    wordy = [
        f"{path}: {node.name}"
        for path in tests
        for node in ast.walk(ast.parse((root / path).read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and not re.fullmatch(r"\S.*\.", ast.get_docstring(node) or "")
    ]

    assert [] == wordy
