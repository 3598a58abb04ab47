"""``reticent boundary``: where the live task of a history begins, and why."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from reticent.cli._history import ContextOption, DialectOption, FileArgument, context, document
from reticent.cli._options import TextJson, write


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("boundary")
    def _boundary(
        file: FileArgument = None,
        dialect: DialectOption = "auto",
        harness: ContextOption = None,
        format_: Annotated[TextJson, typer.Option("--format", help="How to print it.")] = TextJson.text,
    ) -> int:
        """Say where the live task of a history begins, how sure that is, and why not further on.

        Exit code 1 means that an anomaly keeps history alive which may have settled.
        """
        from reticent.history import boundary_report

        read = document(file)
        chosen = None if dialect == "auto" else dialect
        report = boundary_report(read.entries, dialect=chosen, context=context(harness))
        write(json.dumps(report.to_json(), indent=2) if format_ is TextJson.json else report.render())
        return 1 if report.anomalies else 0
