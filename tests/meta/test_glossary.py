"""The glossary defines the words of the house, and they are the words in use."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# The fixed vocabulary; a word more or less is a decision, and changes here and in the glossary.
WORDS = (
    "condition",
    "content class",
    "derived",
    "dialect",
    "engine",
    "evidence",
    "exception",
    "flow",
    "opaque",
    "pass",
    "place",
    "plan",
    "probe",
    "producer",
    "reasoning",
    "serializer",
    "signer",
    "strip",
    "summary",
    "surface",
    "table",
    "text",
    "verdict",
)

# Words the table is designed for and no code reads yet; the set may only shrink.
AHEAD: set[str] = set()


def entries(root: Path) -> list[str]:
    """Read the terms of the glossary, in the order of the page."""
    page = (root / "docs/glossary.md").read_text(encoding="utf-8")
    return re.findall(r"^\*\*([\w ]+)\*\*", page, re.MULTILINE)


def test_each_word_is_defined_once_and_in_order(root: Path) -> None:
    """The glossary defines exactly the house's words, in alphabetical order."""
    assert list(WORDS) == entries(root)


def test_each_word_is_in_use(root: Path) -> None:
    """No entry describes a word that neither the code nor the policy uses."""
    sources = [*root.glob("policy/**/*.py"), *root.glob("policy/**/*.yaml"), *root.glob("rego/**/*.rego")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources).lower()

    unused = {word for word in WORDS if not re.search(rf"\b{word}(?:s|es)?\b", text.replace("_", " "))}

    assert unused <= AHEAD
