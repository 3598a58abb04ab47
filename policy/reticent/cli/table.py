"""``reticent table``: the compiled table, one line per surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from reticent.cli._options import EvidenceOption, OpaOption, TableOption, TextJsonMarkdown, plan, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reticent.compiler import Decision, Plan

_NO_WAY_OUT = "nothing can be reached from here"
_HEADINGS = ("surface", "verdict", "path or what blocks it", "owner")


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("table")
    def _table(
        table: TableOption = None,
        format_: Annotated[TextJsonMarkdown, typer.Option("--format", help="How to print it.")] = TextJsonMarkdown.text,
        evidence: EvidenceOption = None,
        opa: OpaOption = None,
    ) -> None:
        """Print the compiled table: verdict, path and reason for each surface."""
        write(render(plan(table, opa, evidence), format_))


def render(compiled: Plan, format_: TextJsonMarkdown) -> str:
    """The table of ``compiled`` as text, JSON or Markdown."""
    decisions = [compiled.decision(name) for name in compiled.surfaces]
    if format_ is TextJsonMarkdown.json:
        document = {"plan": compiled.digest, "surfaces": [_json(decision) for decision in decisions]}
        return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()
    rows = [(decision.surface, decision.verdict, because(decision), decision.owner) for decision in decisions]
    return _markdown(rows) if format_ is TextJsonMarkdown.markdown else text_table((_HEADINGS, *rows))


def because(decision: Decision) -> str:
    """Why, in one cell: the offending path, or the conditions that keep readers out (the row's own first)."""
    if decision.path:
        return "; ".join([" → ".join(decision.path), *lost(decision)])
    blocking = [condition for condition in decision.conditions if condition.keeps_out]
    own = [condition.name for condition in blocking if condition.surface == decision.surface]
    others = len(blocking) - len(own)
    return f"held by {', '.join(own)}{f' (+{others} of other rows)' if others else ''}" if blocking else _NO_WAY_OUT


def lost(decision: Decision) -> list[str]:
    """The conditions on its way that evidence does not show, each with what is wrong: ``tasks.encrypted is stale``."""
    return [
        f"{condition.surface}.{condition.name} is {condition.evidence.status}"
        for condition in decision.conditions
        if condition.evidence and condition.lost
    ]


def text_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows in aligned columns; the last column is not padded."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    lines = [_HEADINGS, tuple("---" for _ in _HEADINGS), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |" for row in lines)


def _json(decision: Decision) -> dict[str, Any]:
    return {
        "surface": decision.surface,
        "verdict": decision.verdict,
        "classes": dict(decision.classes),
        "path": list(decision.path),
        "reasons": list(decision.reasons),
        "conditions": [condition.name for condition in decision.conditions],
        "lost": lost(decision),
        "owner": decision.owner,
        "why": decision.why,
    }
