"""``reticent signals``: what in a transcript shows that something was lost."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from reticent.cli._history import ContextOption, DialectOption, FileArgument, context, document
from reticent.cli._options import TextJson, write
from reticent.cli._scratchpad import sources
from reticent.cli.fold import SourcesOption


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("signals")
    def _signals(
        file: FileArgument = None,
        tools: SourcesOption = None,
        window: Annotated[
            int | None, typer.Option("--window", min=1, help="Context window in tokens, for the live span's share.")
        ] = None,
        dialect: DialectOption = "auto",
        harness: ContextOption = None,
        format_: Annotated[TextJson, typer.Option("--format", help="How to print it.")] = TextJson.text,
    ) -> int:
        """Say where a transcript repeats a call within its task, and how much of it is live.

        It reads session logs too. Arguments appear as digests. Exit code 1 means that something was found.
        """
        from reticent.history.signals import signals_of

        read = document(file)
        report = signals_of(
            read.entries,
            dialect=None if dialect == "auto" else dialect,
            context=context(harness),
            sources=sources(tools),
            window=window,
        )
        write(json.dumps(report.to_json(), indent=2) if format_ is TextJson.json else report.render())
        return 0 if report.clean else 1
