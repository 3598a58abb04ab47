"""Writes the list of every key into ``docs/table.md`` from the table model; ``--check`` only compares.

python scripts/build_table_page.py [--check]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "policy"))

PAGE = ROOT / "docs" / "table.md"
START = "<!-- keys: start (written by scripts/build_table_page.py) -->\n"
END = "<!-- keys: end -->"

PARTS = (
    ("The file", "SurfaceTable"),
    ("A place", "Place"),
    ("A surface", "Surface"),
    ("`holds`", "Holding"),
    ("A condition", "Condition"),
    ("`evidence`", "WantedEvidence"),
    ("`limits`", "Limits"),
    ("An exception", "SignedException"),
    ("A signer", "Signer"),
    ("`vocabulary`", "Vocabulary"),
    ("A name of reasoning", "ReasoningName"),
    ("A visible name", "BlockName"),
)
"""The headings of the list, in reading order, and the model of each."""


_SIMPLE = {"date": "date", "object": "mapping by name", "boolean": "true or false", "integer": "number"}


def main() -> int:
    """Write the page, or say that it is not current; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the page is not current")
    text = PAGE.read_text(encoding="utf-8")
    current = page(text)
    if text == current:
        return 0
    if parser.parse_args().check:
        print("not current: docs/table.md (run scripts/build_table_page.py)", file=sys.stderr)
        return 1
    PAGE.write_text(current, encoding="utf-8")
    print("wrote docs/table.md")
    return 0


def page(text: str) -> str:
    """``text`` with the list between the markers as the model has it now."""
    from reticent.surfaces.schema import table_schema

    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    schema = table_schema()
    parts = {**schema["$defs"], "SurfaceTable": schema}
    keys = "\n".join(line for title, name in PARTS for line in _part(title, parts[name]))
    return f"{before}{START}\n{keys}\n{END}{after}"


def _part(title: str, part: dict[str, Any]) -> Iterator[str]:
    required = set(part.get("required", ()))
    yield f"### {title}"
    yield ""
    yield "| key | value | |"
    yield "| --- | --- | --- |"
    for key, told in part["properties"].items():
        need = "required" if key in required else f"default {_default(told)}" if _default(told) else "optional"
        yield f"| `{key}` | {_value(told)}; {need} | {told['description']} |"
    yield ""


def _value(told: dict[str, Any]) -> str:
    if "anyOf" in told:
        return " or ".join(_value(one) for one in told["anyOf"] if one.get("type") != "null")
    if "enum" in told or "const" in told:
        return ", ".join(f"`{word}`" for word in told.get("enum", [told.get("const")]))
    if "$ref" in told:
        return "mapping"
    if told.get("type") == "array":
        return f"list of {_value(told['items'])}"
    return _SIMPLE.get(str(told.get("format", told.get("type"))), "text")


def _default(told: dict[str, Any]) -> str:
    default = told.get("default")
    return "" if default in (None, [], {}) else f"`{str(default).lower()}`"


if __name__ == "__main__":
    sys.exit(main())
