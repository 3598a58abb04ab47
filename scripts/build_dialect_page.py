"""Write ``docs/dialects.md`` from the vocabulary; with ``--check``, say whether it is current."""

from __future__ import annotations

import sys
from pathlib import Path

from reticent.dialects import all_dialects, vocabulary_version

TARGET = Path(__file__).resolve().parent.parent / "docs" / "dialects.md"
INTRODUCTION = """\
# Dialects

<!-- Written by scripts/build_dialect_page.py from kinds.yaml; edit that. -->

A dialect is one wire shape in which reasoning travels: an API, a framework's messages, a span, a session file.
Every rule of every dialect looks at every object, because one body can speak several of them.
The names below appear in reports (`anthropic-messages/thinking`) and can be fixed with `dialect=`.

The vocabulary is of {version}.
A page says where reasoning hides, what is kept, how streams close up, and what breaks on replay.

| dialect | what it is | status | read |
|---|---|---|---|
"""


def page() -> str:
    """The Markdown text."""
    rows = [
        f"| [`{dialect.id}`](dialects/{dialect.id}.md) | {_linked(dialect.kinds.title, dialect.kinds.url)} "
        f"| {dialect.kinds.status} | {dialect.kinds.read} |"
        for dialect in all_dialects()
    ]
    return INTRODUCTION.format(version=vocabulary_version()) + "\n".join(rows) + "\n"


def _linked(title: str, url: str) -> str:
    return f"[{title}]({url})" if url else title


def main() -> int:
    """Write the page, or compare it."""
    text = page()
    if "--check" in sys.argv:
        current = TARGET.exists() and TARGET.read_text() == text
        print("docs/dialects.md is current" if current else "docs/dialects.md is stale: run `make regenerate`")
        return 0 if current else 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
