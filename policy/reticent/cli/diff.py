"""``reticent diff``: what a changed table, or other evidence, opens and closes, and for whom."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reticent.cli._exit import CLEAN, FINDINGS
from reticent.cli._options import OpaOption, plan, write

if TYPE_CHECKING:
    from reticent.compiler.diff import PlanDiff


class Format(StrEnum):
    """How to print a difference."""

    text = "text"
    json = "json"
    markdown = "markdown"
    sarif = "sarif"


_Evidence = Annotated[list[Path] | None, typer.Option("--evidence", metavar="FILE", help="Evidence for both sides.")]
_OldEvidence = Annotated[list[Path] | None, typer.Option("--old-evidence", metavar="FILE", help="Evidence for OLD.")]
_NewEvidence = Annotated[list[Path] | None, typer.Option("--new-evidence", metavar="FILE", help="Evidence for NEW.")]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("diff")
    def _diff(  # noqa: PLR0913, PLR0917 - the options of the contract
        old: Annotated[Path, typer.Argument(help="The table (or plan) that is in force.")],
        new: Annotated[
            Path | None, typer.Argument(help="The one that is proposed; default: the same table.", show_default=False)
        ] = None,
        evidence: _Evidence = None,
        old_evidence: _OldEvidence = None,
        new_evidence: _NewEvidence = None,
        format_: Annotated[Format, typer.Option("--format", help="How to print it.")] = Format.text,
        opa: OpaOption = None,
    ) -> int:
        """Print what opens and what closes, by person or system reached; exit code 1 when something opens.

        With evidence, verdicts are those that it shows: two evidence files for one table are compared in the same way.
        """
        from reticent.compiler.diff import diff_plans

        after = old if new is None else new
        difference = diff_plans(
            plan(old, opa, [*(evidence or []), *(old_evidence or [])]),
            plan(after, opa, [*(evidence or []), *(new_evidence or [])]),
        )
        write(_rendered(difference, format_, after))
        return FINDINGS if difference.opens else CLEAN


def _rendered(difference: PlanDiff, format_: Format, new: Path) -> str:
    from reticent.compiler import diff_render

    if format_ is Format.sarif:
        from reticent.surfaces import read_table

        return diff_render.to_sarif(difference, read_table(new).positions, file=str(new))
    render = {
        Format.text: diff_render.to_text,
        Format.json: diff_render.to_json,
        Format.markdown: diff_render.to_markdown,
    }
    return render[format_](difference)
