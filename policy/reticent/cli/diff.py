"""``reticent diff``: what a changed table opens and closes, and for whom."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reticent.cli._exit import CLEAN, FINDINGS
from reticent.cli._options import OpaOption, TextJsonMarkdown, plan, write


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("diff")
    def _diff(
        old: Annotated[Path, typer.Argument(help="The table (or plan) that is in force.")],
        new: Annotated[Path, typer.Argument(help="The table (or plan) that is proposed.")],
        format_: Annotated[TextJsonMarkdown, typer.Option("--format", help="How to print it.")] = TextJsonMarkdown.text,
        opa: OpaOption = None,
    ) -> int:
        """Print what opens and what closes, by person or system reached; exit code 1 when something opens."""
        from reticent.compiler import diff_render
        from reticent.compiler.diff import diff_plans

        difference = diff_plans(plan(old, opa), plan(new, opa))
        render = {
            TextJsonMarkdown.text: diff_render.to_text,
            TextJsonMarkdown.json: diff_render.to_json,
            TextJsonMarkdown.markdown: diff_render.to_markdown,
        }
        write(render[format_](difference))
        return FINDINGS if difference.opens else CLEAN
