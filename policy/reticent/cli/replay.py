"""``reticent replay``: what a changed table would have opened or closed for calls that were made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reticent.cli._exit import CLEAN, FINDINGS
from reticent.cli._options import OpaOption, TextJson, open_input, plan, write


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("replay")
    def _replay(
        log: Annotated[Path, typer.Argument(help="A decision log of `reticent serve`; - for standard input.")],
        table: Annotated[Path, typer.Option("--table", help="The table (or plan) that is proposed.")],
        old: Annotated[
            Path | None, typer.Option("--old", help="The table (or plan) in force; default: the one shipped.")
        ] = None,
        format_: Annotated[TextJson, typer.Option("--format", help="How to print it.")] = TextJson.text,
        opa: OpaOption = None,
    ) -> int:
        """Print what a changed table would have opened or closed for logged calls; exit code 1 when something opens."""
        from reticent.cli import _replay as replaying

        with open_input(log) as lines:
            told = replaying.replay(lines, plan(old, opa), plan(table, opa))
        write(replaying.to_json(told) if format_ is TextJson.json else replaying.to_text(told))
        return FINDINGS if told.opens else CLEAN
