"""``reticent check``: is the table valid, and does every row agree with the proof."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from reticent.cli._exit import CLEAN, FINDINGS
from reticent.cli._options import EvidenceOption, OpaOption, engine, write


class Format(StrEnum):
    """How to print faults."""

    text = "text"
    json = "json"
    sarif = "sarif"
    github = "github"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("check")
    def _check(
        file: Annotated[
            Path | None, typer.Argument(help="The table; default: the one shipped.", show_default=False)
        ] = None,
        format_: Annotated[Format, typer.Option("--format", help="How to print it.")] = Format.text,
        evidence: EvidenceOption = None,
        opa: OpaOption = None,
    ) -> int:
        """Validate and prove a table; every fault at once, with its place and what to write instead.

        Conditions that ask for evidence and are not shown to hold are warnings. Exit code 1 when there are faults.
        """
        from reticent.compiler import check_render
        from reticent.compiler.check import check_table

        report = check_table(file, engine=engine(opa), evidence=evidence or ())
        render = {
            Format.text: check_render.to_text,
            Format.json: check_render.to_json,
            Format.sarif: check_render.to_sarif,
            Format.github: check_render.to_github,
        }
        write(render[format_](report))
        return CLEAN if report.clean else FINDINGS
