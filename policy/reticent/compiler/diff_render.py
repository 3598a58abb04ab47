"""A difference of two plans as text, for a pull request, and for programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reticent.compiler.diff import Difference, PlanDiff


def to_text(diff: PlanDiff) -> str:
    """Plain lines: what opens, what closes, what else changed."""
    if not diff.differences:
        return "Nothing opens, nothing closes.\n"
    lines = [line for title, items in _sections(diff) for line in (title, *_items(items, "  ", "    "))]
    return "\n".join(lines) + "\n"


def to_markdown(diff: PlanDiff) -> str:
    """The same for a pull request."""
    if not diff.differences:
        return "Nothing opens, nothing closes.\n"
    blocks = [[f"### {title}", "", *_items(items, "- ", "  - ")] for title, items in _sections(diff)]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def to_json(diff: PlanDiff) -> str:
    """The same for programs."""
    content = {
        "old": diff.old_digest,
        "new": diff.new_digest,
        **{name: [asdict(item) for item in getattr(diff, name)] for name in ("opens", "closes", "notes")},
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _sections(diff: PlanDiff) -> Iterator[tuple[str, tuple[Difference, ...]]]:
    sections = (("Opens", diff.opens), ("Closes", diff.closes), ("Also changed", diff.notes))
    return ((title, items) for title, items in sections if items)


def _items(items: tuple[Difference, ...], bullet: str, inner: str) -> Iterator[str]:
    for item in items:
        yield f"{bullet}{item.surface}: {item.what}"
        yield from (f"{inner}{reader}" for reader in item.readers)
