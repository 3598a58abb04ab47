"""``reticent lint``: where a model's answer leaves Python source without a guard."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from reticent.cli._exit import CLEAN, FINDINGS
from reticent.cli._options import write


class Format(StrEnum):
    """How to print findings."""

    text = "text"
    json = "json"
    sarif = "sarif"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("lint")
    def _lint(
        paths: Annotated[list[Path], typer.Argument(help="Python files, and folders of them.")],
        format_: Annotated[Format, typer.Option("--format", help="How to print it.")] = Format.text,
    ) -> int:
        """Find calls that log, store, trace, print or return a model's answer that nothing of reticent judged.

        A line is allowed by a comment with a reason: # reticent: allow RET101 - why.
        Exit code 1 when there are findings.
        """
        from reticent.lint import lint, render

        report = lint(paths)
        write(
            {Format.text: render.to_text, Format.json: render.to_json, Format.sarif: render.to_sarif}[format_](report)
        )
        return CLEAN if report.clean else FINDINGS
