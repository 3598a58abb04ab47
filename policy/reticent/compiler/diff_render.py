"""A difference of two plans as text, for a pull request, and for programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Protocol

from reticent.compiler import sarif

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reticent.compiler.diff import PlanDiff
    from reticent.compiler.difference import Difference


_RULES = {
    "opens": "Something may leave now that could not before.",
    "closes": "Something may not leave any more.",
    "notes": "Something else changed.",
}


class Places(Protocol):
    """Finds the line and column of a path; ``reticent.surfaces.document.Positions`` does."""

    def find(self, path: tuple[str | int, ...]) -> tuple[int, int]:
        """Line and column from 1, (0, 0) without a file."""
        ...


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


def to_sarif(diff: PlanDiff, positions: Places, *, file: str) -> str:
    """The same for code hosts, at the rows of the new table, which is ``file``: what opens is an error."""
    levels = (("error", diff.opens), ("note", diff.closes), ("none", diff.notes))
    results = [_result(level, item, positions, file) for level, items in levels for item in items]
    return sarif.to_sarif(results, _RULES)


def _result(level: str, item: Difference, positions: Places, file: str) -> sarif.SarifResult:
    path = (item.surface,) if item.surface in ("vocabulary", "signers") else ("surfaces", item.surface)
    line, column = positions.find(path)
    message = f"{item.surface}: {'; '.join([item.what, *item.readers])}"
    return sarif.SarifResult(item.direction, level, message, file, ".".join(path), line, column)


def _sections(diff: PlanDiff) -> Iterator[tuple[str, tuple[Difference, ...]]]:
    sections = (("Opens", diff.opens), ("Closes", diff.closes), ("Also changed", diff.notes))
    return ((title, items) for title, items in sections if items)


def _items(items: tuple[Difference, ...], bullet: str, inner: str) -> Iterator[str]:
    for item in items:
        yield f"{bullet}{item.surface}: {item.what}"
        yield from (f"{inner}{reader}" for reader in item.readers)
