"""``reticent explain``: why one surface passes or is stripped, and what would change that."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from reticent.cli._options import EvidenceOption, OpaOption, TableOption, engine, plan, write


class Format(StrEnum):
    """How to print an explanation."""

    text = "text"
    json = "json"
    dot = "dot"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("explain")
    def _explain(
        surface: Annotated[str, typer.Argument(help="The surface to explain.")],
        table: TableOption = None,
        format_: Annotated[Format, typer.Option("--format", help="How to print it.")] = Format.text,
        evidence: EvidenceOption = None,
        opa: OpaOption = None,
    ) -> None:
        """Print the hop-by-hop path, what blocks the others, and the one change that would flip the verdict."""
        from reticent.compiler import explain_render
        from reticent.compiler.explain import explain

        told = explain(plan(table, opa, evidence), surface, engine=engine(opa))
        render = {
            Format.text: explain_render.to_text,
            Format.json: explain_render.to_json,
            Format.dot: explain_render.to_dot,
        }
        write(render[format_](told))
